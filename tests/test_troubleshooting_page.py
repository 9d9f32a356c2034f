"""docs/troubleshooting.md quotes real messages: each is in the source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

GAP = "…"
"""What a message says there differs from case to case."""
REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = (REPOSITORY / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def quoted_messages() -> list[str]:
    """The first cell of each row, in the tables that begin with a message, if it is code."""
    messages, is_of_messages = [], False
    for line in PAGE.splitlines():
        if line.startswith("| message"):
            is_of_messages = True
        elif not line.startswith("|"):
            is_of_messages = False
        elif is_of_messages and (found := re.match(r"\| `([^`]+)` \|", line)):
            messages.append(found[1])
    return messages


def messages_of_the_source() -> set[str]:
    """Every string in the source, with a gap for each expression in it."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (REPOSITORY / "src").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    plain = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return plain | {_with_gaps(node) for node in nodes if isinstance(node, ast.JoinedStr)}


def _with_gaps(string: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in string.values)


@pytest.fixture(scope="module")
def source() -> set[str]:
    return messages_of_the_source()


@pytest.mark.parametrize("message", quoted_messages())
def test_a_quoted_message_exists(message: str, source: set[str]) -> None:
    gap = re.escape(GAP)
    pattern = re.compile(".*".join(re.escape(part.strip()) for part in re.split(gap, message)))
    begins = [text for text in source if pattern.match(text) or (message.startswith(GAP) and pattern.search(text))]
    assert begins, f"no message of headnote reads {message!r}"


def test_there_are_messages_to_check() -> None:
    assert len(quoted_messages()) >= 25

"""ATX headings: `## Title ##`. Setext headings begin as paragraphs and are found there."""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import Dialect, Rule, SpansRead

OPENING = r"#{1,6}+(?=[ \t\n])"


def atx_heading(_: Dialect) -> Rule:
    return Rule("atx_heading", r"(#{1,6}+)(?=[ \t\n])[^\n]*+\n", _read)


def _read(_: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("heading", start, end - 1, len(match[match.lastindex + 1]), ""))  # type: ignore[operator]
    return end

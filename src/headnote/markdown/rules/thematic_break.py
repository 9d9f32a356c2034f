"""Thematic breaks: three or more `*`, `-` or `_` on a line, spaces between them allowed."""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import Dialect, Rule, SpansRead

OPENING = r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)\n"


def thematic_break(_: Dialect) -> Rule:
    return Rule("thematic_break", OPENING, _read)


def _read(_: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("rule", start, end - 1, 0, ""))
    return end

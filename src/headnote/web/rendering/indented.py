"""Boxes whose content is indented, as MkDocs has them: `!!! note "Title"`, `??? note`, `=== "Tab"`."""

from __future__ import annotations

import re
from typing import Any

from headnote.web.rendering.markers import Marker, push_marker

_OPENING = re.compile(
    r"""(!!!|\?\?\?\+?)[ \t]++([A-Za-z][\w -]*+)(?:"([^"\n]*+)")?[ \t]*+$"""
    r"""|(===[!+]?)[ \t]++"([^"\n]++)"[ \t]*+$"""
)
_INDENT = 4


def indented_rule(state: Any, line: int, end_line: int, silent: bool) -> bool:
    """A block rule: the box holds all lines that are indented by four, as an item of a list does."""
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    if state.is_code_block(line) or not state.src.startswith(("!!!", "???", "==="), start, end):
        return False
    opening = _OPENING.match(state.src, start, end)
    if opening is None:
        return False
    if silent:
        return True
    inner = state.sCount[line] + _INDENT
    last = _last_line(state, line, end_line, inner)
    push_marker(state, _marker(opening), line, line)
    _parse_inside(state, line + 1, last + 1, inner)
    closing = push_marker(state, Marker("indented", -1, "", ""), last, last)
    closing.map = [last, last + 1]
    state.line = last + 1
    return True


def _marker(opening: re.Match[str]) -> Marker:
    if opening[4]:
        return Marker("indented", 1, "tab", opening[0], opening[5])
    fold = {"!!!": "", "???": "-", "???+": "+"}[opening[1]]
    words = opening[2].split()
    return Marker("indented", 1, words[0], opening[0], opening[3], fold=fold)


def _last_line(state: Any, line: int, end_line: int, inner: int) -> int:
    """The last line inside that is not blank; `line` if there is none."""
    last = line
    for at in range(line + 1, end_line):
        if state.isEmpty(at):
            continue
        if state.sCount[at] < inner:
            break
        last = at
    return last


def _parse_inside(state: Any, line: int, end_line: int, inner: int) -> None:
    before = state.blkIndent, state.parentType, state.lineMax, state.tight
    state.blkIndent, state.parentType, state.lineMax = inner, "blockquote", end_line
    state.level += 1  # counts against the deepest nesting that is parsed
    state.md.block.tokenize(state, line, end_line)
    state.level -= 1
    state.blkIndent, state.parentType, state.lineMax, state.tight = before

"""`==marks==`, as Obsidian and others write them."""

from __future__ import annotations

import re
from typing import Any

_MARK = re.compile(r"==(?=[^\s=])((?:[^=`\\\n]|`[^`\n]*`|\\.|=(?!=)|\n(?!\n)){1,2000}?)(?<=[^\s=])==(?!=)")


def mark_rule(state: Any, silent: bool) -> bool:
    """An inline rule."""
    if not state.src.startswith("==", state.pos):
        return False
    match = _MARK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    end, last = match.end(), state.posMax
    if not silent:
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.start(1), match.end(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
    state.pos, state.posMax = end, last
    return True

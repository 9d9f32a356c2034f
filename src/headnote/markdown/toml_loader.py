"""A TOML loader for untrusted files: input that would take more than linear time is refused before it is parsed.

The reader of the standard library copies a dotted key once for each of its parts, and calls itself for every bracket.
Keys and nesting of a bounded depth make it linear.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from headnote.markdown.plain_data import MAX_DEPTH, TooLarge

# Strings and comments are matched to hide what is in them. An unclosed one reaches to the end of the line or text:
# the reader fails there, and what follows does not matter.
_TOKEN = re.compile(
    r'''
    \#[^\n]*+
    | """(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?
    | \'\'\'(?:[^']|'(?!''))*+(?:'{3,5})?
    | "(?:[^"\\\n]|\\.)*+"?
    | '[^'\n]*+'?
    | (?P<dot>\.)
    | (?P<opening>[\[{])
    | (?P<closing>[\]}])
    | (?P<end>[=,\n])
    ''',
    re.VERBOSE | re.DOTALL,
)


def load(body: str) -> dict[str, Any]:
    _refuse_deep_nesting(body)
    return tomllib.loads(body)


def _refuse_deep_nesting(body: str) -> None:
    depth = dots = 0
    for token in _TOKEN.finditer(body):
        match token.lastgroup:
            case "dot":
                dots += 1
            case "opening":
                depth, dots = depth + 1, 0
            case "closing":
                depth, dots = depth - 1, 0
            case "end":
                dots = 0
        if depth > MAX_DEPTH or dots > MAX_DEPTH:
            raise TooLarge(f"it nests deeper than {MAX_DEPTH} levels")

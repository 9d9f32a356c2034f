"""Link reference definitions: `[label]: destination "title"`, at the head of a paragraph."""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import SpansRead

LABEL = r"\[(?P<label>(?:[^\\\[\]]|\\[\s\S])++)\]:"
_ANGLED = r"<(?:[^<>\n\\]|\\[^\n])*+>"
_BARE = r"(?!<)[^\x01-\x20\x7f]++"
_TITLE = r""" "(?:[^"\\]|\\[\s\S])*+" | '(?:[^'\\]|\\[\s\S])*+' | \((?:[^()\\]|\\[\s\S])*+\) """.replace(" ", "")
_GAP = r"(?:[ \t]*+\n)?+[ \t]*+"

DEFINITION = re.compile(
    rf"[ \t]*+{LABEL}{_GAP}(?P<target>{_ANGLED}|{_BARE})"
    rf"(?:(?=[ \t\n]){_GAP}(?:{_TITLE})[ \t]*+(?:\n|\Z)|[ \t]*+(?:\n|\Z))"
)
_PARENTHESES = re.compile(r"\\.|[()]")
_MAX_LABEL_CHARS = 999


def read_definitions(text: str, start: int, end: int, reading: SpansRead) -> int:
    """Take the definitions off the head of the paragraph `text[start:end]`; where the rest of it begins."""
    while start < end:
        match = DEFINITION.match(text, start, end)
        if match is None or not _is_valid(match):
            break
        reading.spans.append(("definition", start, match.end() - 1, 0, match["label"]))
        start = match.end()
    return start


def only_definitions(text: str, start: int, end: int) -> bool:
    """Whether nothing of the paragraph is left once its definitions are taken off."""
    return read_definitions(text, start, end, SpansRead()) == end


def _is_valid(match: re.Match[str]) -> bool:
    label = match["label"]
    if len(label) > _MAX_LABEL_CHARS or not label.strip(" \t\n"):
        return False
    target = match["target"]
    return target.startswith("<") or ("(" not in target and ")" not in target) or _is_balanced(target)


def _is_balanced(target: str) -> bool:
    depth = 0
    for match in _PARENTHESES.finditer(target):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0

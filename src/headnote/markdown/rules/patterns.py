"""Regex fragments that more than one rule needs.

Every fragment is linear: repetition is possessive (`*+`) or over a single character class, so nothing is ever tried
twice. They are written for text whose every line ends in `\\n`, which the scanner sees to.
"""

from __future__ import annotations

from collections.abc import Iterable

BLANK_LINE = r"[ \t]*+\n"
REST_OF_LINE = r"[^\n]*+\n"
LINES_TO_BLANK = rf"(?:[ \t]*+[^ \t\n]{REST_OF_LINE})*+"


def any_of(words: Iterable[str]) -> str:
    """A fragment that matches one of the words in any case, decided letter by letter instead of word by word."""
    by_letter: dict[str, list[str]] = {}
    complete = False
    for word in words:
        if word:
            by_letter.setdefault(word[0], []).append(word[1:])
        else:
            complete = True
    branches = [_one_letter(letter) + any_of(rests) for letter, rests in sorted(by_letter.items())]
    if not branches:
        return ""
    fragment = branches[0] if len(branches) == 1 and not complete else f"(?:{'|'.join(branches)})"
    return f"{fragment}?+" if complete else fragment


def _one_letter(letter: str) -> str:
    return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter

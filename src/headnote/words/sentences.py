"""Where sentences end: whether a full stop ends one, or only a short form such as `e.g.`, `Dr.` or `J. Smith`.

By hand: the libraries for this bring a model or a table per language, and none says "not yet" while an answer is
streamed. A stop that is wrongly passed over joins two sentences, which a reader hardly notices; one that is wrongly
taken cuts a sentence in two. So doubt joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = re.compile(r"([.!?]++[\"'”’)\]*_`]*+)\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD_BEFORE = re.compile(r"(?:\w|\.(?=\w))++\Z")
_DOTTED = re.compile(r"(?:\w\.)+\w")
_NEVER_LAST = frozenset(
    # Something always follows these: an example, a name, a number.
    "e.g i.e eg ie cf vs approx ca fig figs eq eqs sec ch no nos nr vol vols pp art ed eds dr mr mrs ms prof st mt"
    " gen col sgt capt rev hon z.b d.h u.a bzw vgl inkl exkl evtl ggf sog p.ex c.-à-d".split()
)
_MAX_WORD_CHARS = 20


def ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether the stop at `text[start:end]`, with the quotes and brackets that close after it, ends its sentence.

    What follows must be known: at least the first character that is not blank.
    """
    if text[start:end] != ".":
        return True
    match = _WORD_BEFORE.search(text, max(0, start - _MAX_WORD_CHARS), start)
    word = match[0] if match else ""
    following = text[end : end + 200].lstrip()[:1]
    if word.casefold() in _NEVER_LAST or following.islower():
        return False
    if _DOTTED.fullmatch(word):
        # `U.S. The` begins a sentence, `U.S. 61` does not.
        return following.isupper()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    return not is_initial


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, the blanks behind it among it. Together they are the text."""
    start = 0
    for stop in _STOP.finditer(text):
        if stop[1] is None or (ends_sentence(text, *stop.span(1)) and not _is_marker(text, stop.start())):
            yield start, stop.end()
            start = stop.end()
    yield start, len(text)


def _is_marker(text: str, stop: int) -> bool:
    """Whether a full stop belongs to the number of an item, as in `1. First`."""
    line = text[text.rfind("\n", 0, stop) + 1 : stop]
    return line.strip(" \t>").isdigit()

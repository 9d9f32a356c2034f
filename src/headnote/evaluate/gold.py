"""Finds a gold passage, as written in a question set, in its document."""

from __future__ import annotations

import re
from itertools import accumulate

from headnote.evaluate.questions import Gold, Place
from headnote.evaluate.spans import Span
from headnote.formats.opening import open_document
from headnote.lines import whole_lines
from headnote.markdown.outline import OutlineEntry


def locate(gold: Gold, text: str, place: Place) -> Span:
    """The span of a gold passage, without surrounding blanks."""
    if gold.heading:
        start, end = _section(gold, text, place)
    elif gold.lines is not None:
        start, end = _lines(gold, gold.lines, text, place)
    elif gold.excerpt:
        start, end = _excerpt(gold, text, place)
    else:
        start, end = gold.characters or (0, len(text))
        if end > len(text):
            raise place.error(f"{gold.path} has {len(text)} characters, and gold ends at {end}")
    span = _trimmed(Span(gold.path, start, end), text)
    if not span.length:
        raise place.error(f"the gold in {gold.path} is blank")
    return span


def _trimmed(span: Span, text: str) -> Span:
    """Without blanks at either end."""
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return span._replace(start=start, end=max(start, span.end - len(inner) + len(inner.rstrip())))


def _section(gold: Gold, text: str, place: Place) -> tuple[int, int]:
    entries = open_document(text, gold.path).outline
    for name_of in (_anchor, _breadcrumb, _title):
        matches = [entry for entry in entries if name_of(entry) == _folded(gold.heading)]
        if len(matches) > 1:
            anchors = ", ".join(entry.heading.slug for entry in matches[:4])
            raise place.error(
                f"{gold.path} has {len(matches)} headings {gold.heading!r}", f"name the anchor: {anchors}"
            )
        if matches:
            return matches[0].start, matches[0].end
    raise place.error(f"{gold.path} has no heading {gold.heading!r}", f"see headnote outline {gold.path}")


def _anchor(entry: OutlineEntry) -> str:
    return _folded(entry.heading.slug)


def _breadcrumb(entry: OutlineEntry) -> str:
    return _folded(" > ".join(entry.heading.path))


def _title(entry: OutlineEntry) -> str:
    return _folded(entry.heading.text)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _lines(gold: Gold, lines: tuple[int, int], text: str, place: Place) -> tuple[int, int]:
    ends = list(accumulate(map(len, whole_lines(text))))
    first, last = lines
    if last > len(ends):
        raise place.error(f"{gold.path} has {len(ends)} lines, and gold ends at {last}")
    return (ends[first - 2] if first > 1 else 0), ends[last - 1]


def _excerpt(gold: Gold, text: str, place: Place) -> tuple[int, int]:
    start = text.find(gold.excerpt)
    if start >= 0:
        return start, start + len(gold.excerpt)
    # It may have been copied from a rendering with other line breaks.
    loose = re.search(r"\s+".join(map(re.escape, gold.excerpt.split())), text)
    if loose is None:
        raise place.error(f"the excerpt is not in {gold.path}", "copy it from the file as it is")
    return loose.span()

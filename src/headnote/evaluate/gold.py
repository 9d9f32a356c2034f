"""What somebody wrote down as the answer → its place in the document."""

from __future__ import annotations

import re

from headnote.evaluate.questions import Gold, Place
from headnote.evaluate.spans import Span
from headnote.markdown.document import Document
from headnote.markdown.outline import OutlineEntry

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")


def locate(gold: Gold, text: str, place: Place) -> Span:
    """Where in the document it is. Blanks around it do not count."""
    if gold.heading:
        start, end = _section(gold, text, place)
    elif gold.lines is not None:
        start, end = _of_lines(gold, gold.lines, text, place)
    elif gold.excerpt:
        start, end = _of_excerpt(gold, text, place)
    else:
        start, end = gold.characters or (0, len(text))
        if end > len(text):
            raise place.error(f"{gold.path} has {len(text)} characters, and gold ends at {end}")
    span = trimmed(Span(gold.path, start, end), text)
    if not span.length:
        raise place.error(f"the gold in {gold.path} is blank")
    return span


def trimmed(span: Span, text: str) -> Span:
    """Without blanks at either end."""
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return span._replace(start=start, end=max(start, span.end - len(inner) + len(inner.rstrip())))


def _section(gold: Gold, text: str, place: Place) -> tuple[int, int]:
    entries = Document(text, gold.path).outline
    for names in (_anchor, _breadcrumb, _title):
        found = [entry for entry in entries if names(entry) == _folded(gold.heading)]
        if len(found) > 1:
            anchors = ", ".join(entry.heading.slug for entry in found[:4])
            raise place.error(f"{gold.path} has {len(found)} headings {gold.heading!r}", f"name the anchor: {anchors}")
        if found:
            return found[0].start, found[0].end
    raise place.error(f"{gold.path} has no heading {gold.heading!r}", f"see headnote outline {gold.path}")


def _anchor(entry: OutlineEntry) -> str:
    return _folded(entry.heading.slug)


def _breadcrumb(entry: OutlineEntry) -> str:
    return _folded(" > ".join(entry.heading.path))


def _title(entry: OutlineEntry) -> str:
    return _folded(entry.heading.text)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _of_lines(gold: Gold, lines: tuple[int, int], text: str, place: Place) -> tuple[int, int]:
    ends = [match.end() for match in _LINE.finditer(text)]
    first, last = lines
    if last > len(ends):
        raise place.error(f"{gold.path} has {len(ends)} lines, and gold ends at {last}")
    return (ends[first - 2] if first > 1 else 0), ends[last - 1]


def _of_excerpt(gold: Gold, text: str, place: Place) -> tuple[int, int]:
    start = text.find(gold.excerpt)
    if start >= 0:
        return start, start + len(gold.excerpt)
    # Copied from where lines are broken elsewhere.
    loose = re.search(r"\s+".join(map(re.escape, gold.excerpt.split())), text)
    if loose is None:
        raise place.error(f"the excerpt is not in {gold.path}", "copy it from the file as it is")
    return loose.span()

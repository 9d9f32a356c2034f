"""Hits → the lines of documents to show, exactly as stored. Citations are checked against them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from headnote.model import Hit
from headnote.store.base import Reader

_LINE_END = re.compile(r"\r\n|\n|\r")


class ShownPassage(NamedTuple):
    """Lines of a document that an answer may rest on."""

    hit: Hit
    start_line: int
    end_line: int
    """Inclusive."""
    lines: tuple[str, ...]
    """Their text without line ends, and the blank lines that follow: so neighbours join."""

    @property
    def path(self) -> str:
        return self.hit.path

    def up_to(self, end_line: int) -> ShownPassage:
        """Its beginning only."""
        return self._replace(end_line=end_line, lines=self.lines[: end_line - self.start_line + 1])


def read_passages(reader: Reader, hits: Iterable[Hit]) -> list[ShownPassage]:
    """The stored lines of each hit. Hits that are no longer stored are left out."""
    documents: dict[str, list[str]] = {}
    passages = []
    for hit in hits:
        if hit.path not in documents:
            row = reader.document(hit.path)
            documents[hit.path] = _LINE_END.split(row.text) if row else []
        if shown := passage_of(documents[hit.path], hit):
            passages.append(shown)
    return passages


def passage_of(document: list[str], hit: Hit) -> ShownPassage | None:
    """The lines of a hit. Of a first or last line that was cut, only its own part."""
    lines = document[hit.start_line - 1 : hit.end_line]
    if not any(line.strip() for line in lines):
        return None
    start = hit.start_line
    own = "\n".join(_LINE_END.split(hit.text)).strip("\n")
    whole = "\n".join(lines)
    at = whole.find(own)
    # A reopened fence or a repeated header is not in the source; then whole lines are shown.
    if own.strip() and at >= 0:
        start += whole.count("\n", 0, at)
        lines = own.split("\n")
    end = start + len(lines) - 1
    after = end
    while after < len(document) and not document[after].strip():
        after += 1
    return ShownPassage(hit, start, end, (*lines, *document[end:after]))

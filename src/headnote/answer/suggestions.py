"""Questions that a folder can answer, made from its own titles and headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headnote.formats.kinds import open_document
from headnote.markdown.shown_headings import shown_heading
from headnote.store.interface import Reader
from headnote.store.rows import DocumentSummary

DOCUMENTS = 40
"""Documents that are read for questions: enough for variety, and a matter of milliseconds."""
MAX_CHARS = 100_000
"""Maximum bytes of a document that is read for questions: to parse a larger one for a heading would take seconds."""
MAX_LEVEL = 3
"""Deepest level of headings that become questions; deeper ones rarely make sense alone."""

_QUESTION = re.compile(
    # "What it costs" and "Do not open" ask nothing.
    r"(?:how|what|why|when|where|which|who)\s+"
    r"(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|much|many|often|long|happens)\b.{4,}",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"how to\s+(.{4,})", re.IGNORECASE)
_MARK = re.compile(r"[?？]\s*\Z")
_WORDS = range(2, 11)
_LENGTH = range(6, 90)


class Suggestion(NamedTuple):
    """A question, and the document whose heading it comes from."""

    question: str
    path: str


def suggested_questions(reader: Reader, limit: int) -> list[Suggestion]:
    """Questions from many documents: those that headings ask themselves first, then what others are about."""
    rows = [row for summary in _spread(reader.summaries()) if (row := reader.document(summary.path))]
    headings = [(row.path, text) for row in rows for text in _headings(row.title, row.text, row.path)]
    # "Overview" or "See also" stand in many documents, and are about none of them.
    seen = Counter(text.casefold() for _, text in headings)
    own = [(path, text) for path, text in headings if seen[text.casefold()] == 1]
    asked = [Suggestion(question, path) for path, text in own if (question := _asked(text))]
    about = [Suggestion(f"What do the documents say about “{text}”?", path) for path, text in own if not _asked(text)]
    return list(_one_each([*asked, *about]))[:limit]


def _spread(summaries: Sequence[DocumentSummary]) -> list[DocumentSummary]:
    """Documents that are likely to hold questions, and others from the whole folder."""
    short = [summary for summary in summaries if summary.size <= MAX_CHARS]
    full = [summary for summary in short if summary.chunks > 1] or short
    likely = [summary for summary in full if _asked(summary.title)]
    step = max(1, len(full) // DOCUMENTS)
    return list(dict.fromkeys([*likely[: DOCUMENTS // 2], *full[::step]]))[:DOCUMENTS]


def _headings(title: str, text: str, path: str) -> Iterator[str]:
    headings = (shown_heading(h.text) for h in open_document(text, path).headings if h.level <= MAX_LEVEL)
    yield from (
        heading
        for heading in dict.fromkeys([title, *headings])
        if len(heading) in _LENGTH and (len(heading.split()) in _WORDS or not heading.isascii())
    )


def _asked(heading: str) -> str:
    """The question that a heading asks; empty if it asks none."""
    if _MARK.search(heading):
        return heading
    if how := _HOW_TO.fullmatch(heading):
        return f"How do I {how[1][0].lower()}{how[1][1:]}?"
    return f"{heading}?" if _QUESTION.fullmatch(heading) and not heading.endswith((".", ":", "!")) else ""


def _one_each(suggestions: Iterable[Suggestion]) -> Iterator[Suggestion]:
    """The first of each document, then the second, and so on."""
    turns: dict[str, int] = {}
    numbered = []
    for number, suggestion in enumerate(suggestions):
        turns[suggestion.path] = turns.get(suggestion.path, -1) + 1
        numbered.append((turns[suggestion.path], number, suggestion))
    yield from (suggestion for _, _, suggestion in sorted(numbered))

"""Hits for people: where each stands, and its lines that say most about the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from headnote.chunking.data_uris import strip_data_uris
from headnote.cli.opening import from_here
from headnote.cli.terminal import Line, Span
from headnote.model import Hit, Passage, Why
from headnote.search.snippets import SnippetLine, best_lines, clipped, marked_terms, marks

if TYPE_CHECKING:
    from headnote.api import Index


def surroundings(index: Index, hit: Hit, lines: int) -> Passage:
    """A hit as it stands in its document, with so many lines before and after it."""
    return index.read(hit.path, max(hit.start_line - lines, 1), hit.end_line + lines)


def record(query: str, root: Path, hits: Sequence[Hit], around: Sequence[Passage] | None = None) -> dict[str, Any]:
    """The same for programs."""
    plain = [_plain(hit) for hit in hits]
    for fields, passage in zip(plain, around or (), strict=False):
        fields["context"] = passage._asdict()
    return {"query": query, "root": str(root), "hits": plain}


def _plain(hit: Hit) -> dict[str, Any]:
    return hit._asdict() | {"why": hit.why._asdict(), "metadata": msgspec.to_builtins(hit.metadata)}


def view(
    query: str,
    root: Path,
    hits: Sequence[Hit],
    full: bool,
    explain: bool = False,
    around: Sequence[Passage] | None = None,
) -> Iterator[Line]:
    """A line about each hit, and what it says."""
    terms = marked_terms(query)
    for number, hit in enumerate(hits):
        if number:
            yield []
        yield [
            Span(f"{from_here(root, hit.path)}:{hit.start_line}", "cyan"),
            Span(f"  {hit.breadcrumb or hit.title}", "bold"),
            Span(f"  {hit.score:.2f}", "dim"),
        ]
        if explain:
            yield from reasons(hit.why)
        if around is not None:
            yield from _in_context(hit, around[number], terms, full)
            continue
        lines = strip_data_uris(hit.text).splitlines()
        for line in lines if full else [lines[place].strip() for place in best_lines(lines, terms)]:
            plain = line.expandtabs(4).rstrip()
            shown = SnippetLine(plain, tuple(marks(plain, terms))) if full else clipped(plain, terms)
            yield [Span("    "), *_highlighted(shown)] if plain else []


def _in_context(hit: Hit, around: Passage, terms: frozenset[str], full: bool) -> Iterator[Line]:
    """Lines with their numbers: the best ones, or all, and as many around them as there are around the hit."""
    lines = strip_data_uris(around.text).splitlines()
    before, after = hit.start_line - around.start_line, around.end_line - hit.end_line
    own = lines[before : len(lines) - after]
    best = range(len(own)) if full else best_lines(own, terms)
    reach = max(before, after)
    chosen = sorted({at for place in best for at in range(before + place - reach, before + place + reach + 1)})
    last = None
    for at in (at for at in chosen if 0 <= at < len(lines)):
        if last is not None and at > last + 1:
            yield [Span("    …", "dim")]
        last = at
        shown = clipped(lines[at].expandtabs(4).rstrip(), terms)
        yield [Span(f"{around.start_line + at:6} ", "dim"), *_highlighted(shown)]


def reasons(why: Why) -> Iterator[Line]:
    """Why a hit was found, as a small tree."""
    rows = []
    if why.keyword_rank is not None:
        words = ", ".join(why.matched) or "none"
        rows.append(f"words    rank {why.keyword_rank}, score {why.keyword_score:.2f}: {words}")
    if why.semantic_rank is not None:
        rows.append(f"meaning  rank {why.semantic_rank}, similarity {why.similarity:.2f}")
    if why.linked_from:
        rows.append(f"links    from {why.linked_from}, {why.link_score:+.2f}")
    if why.links_to:
        rows.append(f"links    to {why.links_to}, {why.link_score:+.2f}")
    if why.recency != 1.0:
        rows.append(f"recency  factor {why.recency:.2f}")
    for number, row in enumerate(rows, 1):
        yield [Span(f"    {'└─' if number == len(rows) else '├─'} {row}", "dim")]


def _highlighted(line: SnippetLine) -> Iterator[Span]:
    """The line, with its marks in colour."""
    at = 0
    for start, end in line.marks:
        if start > at:
            yield Span(line.text[at:start])
        yield Span(line.text[start:end], "bold yellow")
        at = end
    if at < len(line.text):
        yield Span(line.text[at:])

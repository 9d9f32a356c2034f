"""Hits for people: where each stands, and its lines that say most about the query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from headnote.chunking.data_uris import strip_data_uris
from headnote.cli.opening import from_here
from headnote.cli.terminal import Line, Span
from headnote.model import Hit, Passage, Why
from headnote.search.snippets import marked_terms, marks
from headnote.store.terms import terms

if TYPE_CHECKING:
    from headnote.api import Index

BEST = 3
"""Lines that are shown of a hit."""
WIDEST = 160
"""Characters of a line; of a longer one a part is shown."""
_BEFORE = 40
"""Characters in front of the first word that was found, where a line has to be cut."""

_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)|\s*(?:=+|-+)\s*$")


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
    wanted = marked_terms(query)
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
            yield from _in_context(hit, around[number], wanted, full)
            continue
        text = strip_data_uris(hit.text)
        for line in text.splitlines() if full else best_lines(text, wanted):
            shown = line.expandtabs(4).rstrip()
            yield [Span("    "), *highlighted(shown if full else _part(shown, wanted), wanted)] if shown else []


def _in_context(hit: Hit, around: Passage, wanted: frozenset[str], full: bool) -> Iterator[Line]:
    """Lines with their numbers: the best ones, or all, and as many around them as there are around the hit."""
    lines = strip_data_uris(around.text).splitlines()
    before, after = hit.start_line - around.start_line, around.end_line - hit.end_line
    own = lines[before : len(lines) - after]
    best = range(len(own)) if full else best_places(own, wanted)
    reach = max(before, after)
    chosen = sorted({at for place in best for at in range(before + place - reach, before + place + reach + 1)})
    last = None
    for at in (at for at in chosen if 0 <= at < len(lines)):
        if last is not None and at > last + 1:
            yield [Span("    …", "dim")]
        last = at
        shown = lines[at].expandtabs(4).rstrip()
        yield [Span(f"{around.start_line + at:6} ", "dim"), *highlighted(_part(shown, wanted), wanted)]


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


def best_lines(text: str, wanted: frozenset[str]) -> list[str]:
    """The lines that have most of the words, rare ones counting more, in their order; if none has any, the first."""
    lines = text.splitlines()
    return [lines[number].strip() for number in best_places(lines, wanted)]


def best_places(lines: Sequence[str], wanted: frozenset[str]) -> list[int]:
    """Which lines these are."""
    telling = [number for number, line in enumerate(lines) if line.strip() and not _HEADING.match(line)]
    found = [wanted & set(terms(lines[number])) for number in telling]
    often = Counter(term for terms_of_line in found for term in terms_of_line)
    chosen: set[int] = set()
    seen: set[str] = set()
    while len(chosen) < BEST:
        # Worth most is what says something that was not said yet.
        worth = [
            (sum(1 / often[term] for term in said - seen), sum(1 / often[term] for term in said), -number)
            for number, said in enumerate(found)
        ]
        new, _, place = max(worth, default=(0, 0, 0))
        if not new:
            break
        chosen.add(-place)
        seen |= found[-place]
    return [telling[number] for number in sorted(chosen) or range(min(2, len(telling)))]


def _part(line: str, wanted: frozenset[str]) -> str:
    if len(line) <= WIDEST:
        return line
    first = next((start for start, _ in marks(line, wanted)), 0)
    start = max(0, min(first - _BEFORE, len(line) - WIDEST))
    if start:
        start = line.find(" ", start, start + _BEFORE) + 1 or start
    end = start + WIDEST
    if end < len(line):
        end = max(line.rfind(" ", start + WIDEST // 2, end), 0) or end
    return ("… " if start else "") + line[start:end].strip() + (" …" if end < len(line) else "")


def highlighted(line: str, wanted: frozenset[str]) -> Iterator[Span]:
    """The line, with what was looked for in colour."""
    at = 0
    for start, end in marks(line, wanted):
        if start > at:
            yield Span(line[at:start])
        yield Span(line[start:end], "bold yellow")
        at = end
    if at < len(line):
        yield Span(line[at:])

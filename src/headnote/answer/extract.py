"""An answer without a model: the quotes from the best passages that say most about the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from headnote.answer.citations import find_brackets
from headnote.answer.prompt import ShownPassage
from headnote.chunking.data_uris import strip_data_uris
from headnote.embedding.embedder import Embedder
from headnote.formats.kinds import open_document
from headnote.model import Block, Citation
from headnote.search.spelling import content_terms, coverage, rarity
from headnote.words.sentences import sentences
from headnote.words.terms import terms

QUOTES = 4
"""Quotes at most."""
PASSAGES = 6
"""Passages they are taken from."""
MIN_SHARE = 0.6
"""Share of the best score. Quotes below it are left out."""
FADING = 0.95
"""Factor per passage, in the order of the search."""
SHORT = 50
"""Characters. A sentence with fewer is quoted with the next one."""
MAX_LINES = 8
"""Lines of code and the like in one quote."""

_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]++\S")
_QUOTE_MARK = re.compile(r"^[ \t]*+(?:>[ \t]?)++", re.MULTILINE)
_NO_WORDS = re.compile(r"[\s>]*+")
_PROSE = {"paragraph", "quote", "footnote"}
_SILENT = {"heading", "rule", "definition", "frontmatter", "mdx_esm"}


class Quote(NamedTuple):
    """Lines that can be quoted by themselves: a sentence, an item of a list, a row, some code."""

    passage: int
    start_line: int
    end_line: int
    text: str
    heading: str = ""
    """The headings above it."""
    block: int = -1
    """Start of the paragraph that the sentence belongs to; -1 for anything but a sentence."""


def extract(question: str, passages: Sequence[ShownPassage], embedder: Embedder) -> tuple[str, tuple[Citation, ...]]:
    """The best quotes, each with its citation."""
    best_passages = passages[:PASSAGES]
    quotes = [quote for number, passage in enumerate(best_passages) for quote in quotes_of(passage, number)]
    if not quotes:
        quotes = [Quote(0, passages[0].start_line, passages[0].end_line, "\n".join(passages[0].lines).strip())]
    chosen = joined(best_quotes(question, quotes, embedder))
    citations = [_citation(quote, best_passages[quote.passage]) for quote in chosen]
    names = [passage.path for passage in passages]
    texts = [_written(quote, citation, names) for quote, citation in zip(chosen, citations, strict=True)]
    return "\n\n".join(texts), tuple(dict.fromkeys(citations))


def _written(quote: Quote, citation: Citation, names: Sequence[str]) -> str:
    text = quote.text
    # Citations inside a document would look like ours.
    for bracket in find_brackets(text, names):
        text = f"{text[: bracket.start]}({text[bracket.start + 1 : bracket.end - 1]}){text[bracket.end :]}"
    return f"{text}{chr(10) if chr(10) in text else ' '}[{citation.place}]"


def quotes_of(passage: ShownPassage, number: int = 0) -> Iterator[Quote]:
    """Everything in a passage that can be quoted."""
    text = strip_data_uris("\n".join(passage.lines))
    heading = passage.hit.breadcrumb
    for block in open_document(text, passage.path).blocks:
        if block.kind == "heading":
            heading = f"{passage.hit.breadcrumb} {text[block.start : block.end]}"
        if block.kind in _SILENT:
            continue
        first = passage.start_line + block.start_line - 1
        for start, end, part in _parts(block, text[block.start : block.end]):
            if terms(part):
                of_prose = block.start if block.kind in _PROSE else -1
                yield Quote(number, first + start, first + end, part, heading, of_prose)


def best_quotes(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[Quote]:
    """The best quotes by words and by meaning, at least one, those of the best passage first."""
    words = _by_words(question, quotes)
    meaning = _by_meaning(question, quotes, embedder)
    scores = [
        ((by_words + by_meaning) / 2 if meaning else by_words) * FADING**quote.passage
        for quote, by_words, by_meaning in zip(quotes, words, meaning or words, strict=True)
    ]
    order = sorted(range(len(quotes)), key=lambda number: (-scores[number], number))
    enough = scores[order[0]] * MIN_SHARE
    chosen = {number for number in order[:QUOTES] if scores[number] >= enough}
    chosen |= {number + 1 for number in chosen if _goes_on(quotes, number)}
    best: dict[int, float] = {}
    for number in chosen:
        best[quotes[number].passage] = max(scores[number], best.get(quotes[number].passage, 0.0))
    return [quotes[number] for number in sorted(chosen, key=lambda number: (-best[quotes[number].passage], number))]


def _goes_on(quotes: Sequence[Quote], number: int) -> bool:
    """Whether a sentence is too short to say it all, and the next belongs to it."""
    if number + 1 == len(quotes) or len(quotes[number].text) >= SHORT or quotes[number].block < 0:
        return False
    quote, following = quotes[number], quotes[number + 1]
    return (quote.passage, quote.block) == (following.passage, following.block)


def joined(quotes: Sequence[Quote]) -> list[Quote]:
    """Neighbours as one quote."""
    merged: list[Quote] = []
    for quote in quotes:
        last = merged[-1] if merged else None
        if last and last.passage == quote.passage and quote.start_line <= last.end_line + 1:
            gap = "\n" if "\n" in last.text + quote.text or _ITEM.match(quote.text) or "|" in quote.text else " "
            merged[-1] = last._replace(end_line=max(last.end_line, quote.end_line), text=last.text + gap + quote.text)
        else:
            merged.append(quote)
    return merged


def _by_words(question: str, quotes: Sequence[Quote]) -> list[float]:
    """How much of the question each quote covers; terms that only its heading has count less."""
    quote_terms = [set(terms(quote.text)) for quote in quotes]
    frequencies = Counter(term for own in quote_terms for term in own)
    weights = rarity({term: frequencies[term] for term in content_terms(question)}, len(quotes))
    return [
        (coverage(weights, own) + 2 * coverage(weights, own.union(terms(quote.heading)))) / 3
        for own, quote in zip(quote_terms, quotes, strict=True)
    ]


def _by_meaning(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[float]:
    if not embedder.dimensions:
        return []
    vectors = embedder.embed([f"{quote.heading}\n{quote.text}" for quote in quotes])
    similarities = [float(similarity) for similarity in vectors @ embedder.embed_query(question)]
    return [similarity if math.isfinite(similarity) else 0.0 for similarity in similarities]


def _parts(block: Block, text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text) of what a block consists of, lines counted from 0."""
    lines = text.split("\n")
    if block.kind in _PROSE:
        yield from _sentences(text)
    elif block.kind == "list":
        starts = [number for number, line in enumerate(lines) if _ITEM.match(line)] or [0]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield start, *_trimmed(lines, start, end, shorten=True)
    elif block.kind == "table":
        for number, line in enumerate(lines[2:], 2):
            yield number, number, line.strip()
    else:
        for start in range(0, len(lines), MAX_LINES):
            yield start, *_trimmed(lines, start, min(start + MAX_LINES, len(lines)))


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    for begin, end in sentences(text):
        start = _NO_WORDS.match(text, begin, end).end()  # type: ignore[union-attr]
        own = text[start:end].rstrip()
        first = text.count("\n", 0, start)
        sentence = " ".join(_QUOTE_MARK.sub("", own).split())
        if sentence:
            yield first, first + own.count("\n"), sentence


def _trimmed(lines: list[str], start: int, end: int, shorten: bool = False) -> tuple[int, str]:
    """The last line that says something, and the text."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    if shorten:
        end = min(end, start + MAX_LINES)
    return end - 1, dedent("\n".join(lines[start:end])).rstrip()


def _citation(quote: Quote, passage: ShownPassage) -> Citation:
    lines = passage.lines[quote.start_line - passage.start_line : quote.end_line - passage.start_line + 1]
    return Citation(passage.path, quote.start_line, quote.end_line, "\n".join(lines))

"""The part of a hit that is shown, with the words of the query marked.

Every surface cuts its snippets here, from lines as a reader sees them. A terminal shows the best lines of a hit,
wherever they stand: `best_lines` and `clipped`. A page shows a short passage as it reads: `excerpt`. Marks are ranges
(start, end) in the text they come with, and lines are those of the document.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from headnote.chunking.data_uris import strip_data_uris
from headnote.lines import count_line_ends
from headnote.markdown.document import is_mdx
from headnote.model import Hit
from headnote.search.readable import ReadableLine, readable_lines
from headnote.search.terms import content_terms
from headnote.store.languages import language_of
from headnote.store.terms import is_without_blanks, runs, terms, words_of

Mark = tuple[int, int]

LONGEST_CACHED_WORD = 40
"""Characters. Longer words hardly come twice."""

BEST_LINES = 3
"""Lines that a terminal shows of a hit."""
LINE_WIDTH = 160
"""Characters of a line in a terminal; a longer one is clipped."""
_CLIP_LEAD = 40
"""Characters in front of the first mark of a clipped line, at most."""

EXCERPT_LINES = 5
EXCERPT_CHARACTERS = 420
"""Characters of an excerpt; a single line that is longer is cut to as many."""
_EXCERPT_LEAD = 90
"""Characters in front of the first mark of a line that is cut, at most."""

_WORD = re.compile(r"\w(?:[\w.'’+-]*\w)?")


class SnippetLine(NamedTuple):
    """A line to show."""

    line: int
    """Of the document; of a paragraph over several lines, the first one that is shown."""
    text: str
    marks: tuple[Mark, ...] = ()
    is_code: bool = False
    """Whether blanks count."""


class Snippet(NamedTuple):
    """A passage to show."""

    lines: tuple[SnippetLine, ...]
    cut_before: bool
    """Whether the hit has text before it."""


def lines_of(hit: Hit) -> list[ReadableLine]:
    """The lines of a hit as a reader sees them, with their numbers in the document. What comes before its own text is
    shown with other hits, or stands there only to let it stand alone."""
    begins_file = hit.start == 0 and not hit.lead
    lines = readable_lines(strip_data_uris(hit.text), is_mdx(hit.path), begins_file=begins_file)
    added = count_line_ends(hit.text[: hit.lead])
    own = [line for line in lines if line.number >= added] or lines
    return [line._replace(number=min(hit.start_line + max(line.number - added, 0), hit.end_line)) for line in own]


# -- marks


def marked_terms(query: str, matched: Iterable[str] = (), text: str = "") -> frozenset[str]:
    """The terms that are worth marking: those of the query, and what a hit matched, since words may be guessed. In a
    text in another language, words with a matched stem have other terms by themselves."""
    chosen = {*content_terms(query), *matched}
    if language := language_of(text):
        words = {word for word in words_of(text) if not chosen.isdisjoint(terms(word, language))}
        chosen.update(term for word in words for term in terms(word))
    return frozenset(chosen)


def marks(text: str, query_terms: frozenset[str]) -> Iterator[Mark]:
    """Ranges of the words that share a term with the query, in order. Those that touch are one: where there are no
    blanks, a word is found by its pairs of characters."""
    before: Mark | None = None
    for start, end in _found(text, query_terms):
        if before and start <= before[1]:
            before = before[0], max(before[1], end)
            continue
        if before:
            yield before
        before = start, end
    if before:
        yield before


def _found(text: str, query_terms: frozenset[str]) -> Iterator[Mark]:
    for word in _WORD.finditer(text):
        word_terms = _terms_of(word[0]) if len(word[0]) <= LONGEST_CACHED_WORD else terms(word[0])
        if query_terms.isdisjoint(word_terms):
            continue
        if word[0].isascii():
            yield word.span()
        else:
            yield from ((word.start() + start, word.start() + end) for start, end in _inside(word[0], query_terms))


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> frozenset[str]:
    """The terms of one word. Texts use the same words again and again."""
    return frozenset(terms(word))


def _inside(word: str, query_terms: frozenset[str]) -> Iterator[Mark]:
    """The parts of a word to mark: it may be a whole clause, in scripts without blanks, and a name among it."""
    for start, end, has_blanks in runs(word):
        run = word[start:end]
        if has_blanks:
            if not query_terms.isdisjoint(terms(run)):
                yield start, end
        elif pattern := _terms_without_blanks(query_terms):
            if unicodedata.is_normalized("NFKC", run):
                yield from ((start + match.start(), start + match.end(1)) for match in pattern.finditer(run))
            elif pattern.search(unicodedata.normalize("NFKC", run)):  # of other lengths: half as wide
                yield start, end


@lru_cache(maxsize=64)
def _terms_without_blanks(query_terms: frozenset[str]) -> re.Pattern[str] | None:
    """Those worth marking inside a clause, wherever they begin. A single character of a pair occurs everywhere."""
    others = [term for term in query_terms if is_without_blanks(term)]
    whole = [term for term in others if not any(term in other for other in others if other != term)]
    return re.compile(f"(?=({'|'.join(map(re.escape, sorted(whole, key=len, reverse=True)))}))") if whole else None


# -- best lines, for a terminal


def best_lines(lines: Sequence[ReadableLine], query_terms: frozenset[str]) -> list[ReadableLine]:
    """The lines with the most terms, rare ones counting more, in order; the first lines if none has any."""
    candidates = [line for line in lines if line.kind != "heading"]
    line_terms = [query_terms & set(terms(line.text)) for line in candidates]
    frequencies = Counter(term for matched in line_terms for term in matched)

    def weight(matched: frozenset[str]) -> float:
        return sum(1 / frequencies[term] for term in matched)

    chosen: set[int] = set()
    covered: frozenset[str] = frozenset()
    while len(chosen) < BEST_LINES:
        # The next line is the one with the most terms that no chosen line has.
        ranking = [(weight(matched - covered), weight(matched), -number) for number, matched in enumerate(line_terms)]
        new, _, place = max(ranking, default=(0, 0, 0))
        if not new:
            break
        chosen.add(-place)
        covered |= line_terms[-place]
    return [candidates[number] for number in sorted(chosen) or range(min(2, len(candidates)))]


def clipped(line: ReadableLine, query_terms: frozenset[str]) -> SnippetLine:
    """The line, cut around its first mark if it is too wide."""
    text = line.text.expandtabs(4).strip()
    return _shown([line._replace(text=text)], query_terms, _characters(text, LINE_WIDTH), _CLIP_LEAD)


def _characters(text: str, columns: int) -> int:
    """How many characters of a text fit into so many columns, on average: characters of East Asia take two."""
    if text.isascii() or len(text) * 2 <= columns:
        return columns
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return columns * len(text) // (len(text) + wide)


# -- an excerpt, for a page


Paragraph = list[ReadableLine]


def excerpt(lines: Iterable[ReadableLine], query_terms: frozenset[str]) -> Snippet:
    """The few lines from where most marks follow. A paragraph over several lines is one."""
    paragraphs = _paragraphs(lines)
    counts = [sum(1 for _ in marks(_text(paragraph), query_terms)) for paragraph in paragraphs]
    first = _best_start(paragraphs, counts)
    shown: list[SnippetLine] = []
    length = 0
    for paragraph in paragraphs[first : first + EXCERPT_LINES]:
        length += len(_text(paragraph))
        if shown and length > EXCERPT_CHARACTERS:
            break
        shown.append(_shown(paragraph, query_terms, EXCERPT_CHARACTERS, _EXCERPT_LEAD))
    return Snippet(tuple(shown), not all(map(_is_heading, paragraphs[:first])))


def _paragraphs(lines: Iterable[ReadableLine]) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    for line in lines:
        if paragraphs and line.continues:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _text(paragraph: Paragraph) -> str:
    return " ".join(line.text for line in paragraph)


def _is_heading(paragraph: Paragraph) -> bool:
    return paragraph[0].kind == "heading"


def _best_start(paragraphs: Sequence[Paragraph], counts: Sequence[int]) -> int:
    """The line after which most marks follow. Headings come last: the breadcrumb has them already."""
    best = next((at for at, paragraph in enumerate(paragraphs) if not _is_heading(paragraph)), 0)
    most = sum(counts[best : best + EXCERPT_LINES])
    for at in range(best + 1, len(paragraphs)):
        following = sum(counts[at : at + EXCERPT_LINES]) if counts[at] else 0
        if following > most:
            best, most = at, following
    return best


# -- a line to show


def _shown(paragraph: Paragraph, query_terms: frozenset[str], length: int, lead: int) -> SnippetLine:
    """The paragraph as a line, cut around its first mark if it is longer than `length`."""
    text = _text(paragraph)
    first = next((start for start, _ in marks(text, query_terms)), 0)
    start, end = _window(text, first, length, lead)
    ends = accumulate(len(line.text) + 1 for line in paragraph)
    line = next(line.number for line, its_end in zip(paragraph, ends, strict=True) if start < its_end)
    text = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    return SnippetLine(line, text, tuple(marks(text, query_terms)), paragraph[0].kind == "code")


def _window(text: str, mark: int, length: int, lead: int) -> Mark:
    """The part of a long text to show: whole words, the mark among them."""
    if len(text) <= length:
        return 0, len(text)
    start = max(0, min(mark - lead, len(text) - length))
    if start and not text[start - 1].isspace():
        start = text.find(" ", start, mark) + 1 or start
    end = min(start + length, len(text))
    if end < len(text) and not text[end].isspace():
        end = max(text.rfind(" ", max(mark + 1, start + length // 2), end), 0) or end
    return start, end

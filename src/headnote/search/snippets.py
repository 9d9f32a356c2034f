"""The part of a hit that is shown, with the words of the query marked.

Every surface cuts its snippets here, from lines as a reader sees them. A terminal shows the best lines of a hit,
wherever they stand: `best_lines` and `clipped`. A page shows a short passage as it reads: `excerpt`. Marks are ranges
(start, end) in the text they come with, and lines are those of the document.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from sys import intern
from typing import NamedTuple

from headnote.chunking.masking import strip_data_uris
from headnote.lines import count_line_ends, split_lines
from headnote.markdown.document import is_mdx
from headnote.markdown.frontmatter import match_frontmatter
from headnote.model import FoundWord, Hit, Passage
from headnote.search.language import understood
from headnote.search.readable import CELLS_APART, ReadableLine, readable_lines
from headnote.search.spelling import WordReading, content_terms, read_words
from headnote.store.interface import Reader
from headnote.store.keyword_fields import keyword_fields_of
from headnote.store.rows import DocumentRow, StoredChunk
from headnote.words.languages import language_of
from headnote.words.phrases import has_phrase, pattern_of, sentences
from headnote.words.terms import is_operator, is_without_blanks, operator_places, runs, terms, word_terms, words_of

Mark = tuple[int, int]

MAX_CACHED_WORD_CHARS = 40
"""Characters. Longer words hardly come twice."""
MAX_CACHED_TEXT_CHARS = 8_000
"""Characters. Nearly all chunks are shorter; 2,048 of them, as a reader sees them, take 20 MB."""

BEST_LINES = 3
"""Lines that a terminal shows of a hit."""
LINE_WIDTH = 240
"""Characters of a line in a terminal; a longer one is clipped. All but one in a hundred sentences fit, or two."""
_CLIP_LEAD = 40
"""Characters in front of the first mark of a clipped line, at most."""

EXCERPT_LINES = 5
EXCERPT_CHARACTERS = 420
"""Characters of an excerpt; a single line that is longer is cut to as many."""
_EXCERPT_LEAD = 90
"""Characters in front of the first mark of a line that is cut, at most."""

QUOTE = '"'
"""What a phrase begins with among terms, none of which does."""

PHRASE_WEIGHT = 5
"""Words that a phrase counts as when the lines to show are chosen: it is what was asked for."""

_WORD = re.compile(r"(\w(?:[\w.'’+-]*\w)?)")


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line to show."""

    line: int
    """Of the document; of a paragraph over several lines, the first one that is shown."""
    text: str
    marks: tuple[Mark, ...] = ()
    code: bool = False
    """Whether blanks count."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage to show."""

    lines: tuple[ExcerptLine, ...]
    cut_before: bool
    """Whether the hit has text before it."""


class Paragraph(NamedTuple):
    """Lines that are shown as one."""

    lines: tuple[ReadableLine, ...]
    text: str
    words: tuple[str, ...]
    """Of the text, in order."""

    @property
    def is_heading(self) -> bool:
        return self.lines[0].kind == "heading"


class ReadText(NamedTuple):
    """A text as a reader sees it."""

    paragraphs: tuple[Paragraph, ...]
    words: frozenset[str]
    """All of them, each once."""


def lines_of(hit: Hit) -> list[ReadableLine]:
    """The lines of a hit as a reader sees them, with their numbers in the document. What comes before its own text is
    shown with other hits, or stands there only to let it stand alone."""
    return [
        line._replace(number=_in_document(hit, line.number))
        for paragraph in _read(hit).paragraphs
        for line in paragraph.lines
    ]


def _in_document(hit: Hit, line: int) -> int:
    return min(hit.start_line + line, hit.end_line)


def _read(hit: Hit) -> ReadText:
    """The hit, with the numbers of its lines in it."""
    read = _read_chunk if len(hit.text) <= MAX_CACHED_TEXT_CHARS else _read_chunk.__wrapped__
    return read(hit.text, hit.lead, is_mdx(hit.path), hit.start == 0 and not hit.lead)


@lru_cache(maxsize=2048)
def _read_chunk(text: str, lead: int, mdx: bool, begins_file: bool) -> ReadText:
    """Reading the Markdown of a chunk takes longer than all else that is done to show it, and the same chunks are found
    again and again."""
    lines = readable_lines(strip_data_uris(text), mdx, begins_file=begins_file)
    added = count_line_ends(text[:lead])
    own = [line for line in lines if line.number >= added] or lines
    return _read_lines(line._replace(number=max(line.number - added, 0)) for line in own)


def _read_lines(lines: Iterable[ReadableLine]) -> ReadText:
    paragraphs = tuple(_paragraphs(lines))
    return ReadText(paragraphs, frozenset(chain.from_iterable(paragraph.words for paragraph in paragraphs)))


# -- marks


def marked_terms(query: str, matched: Iterable[str] = (), text: str = "", literal: bool = False) -> frozenset[str]:
    """The terms that are worth marking: those of the query, and what a hit matched, since words may be guessed. In a
    text in another language, words with a matched stem have other terms by themselves.

    A phrase is one of them, with its quote in front. Its words are marked by themselves only if no line has all of it.
    """
    asked = understood(query, literal)
    phrases = [phrase for phrase in asked.quoted if has_phrase(text, phrase)]
    chosen = {*_content_terms(asked.words), *matched}
    if whole := [phrase for phrase in phrases if any(has_phrase(line, phrase) for line in split_lines(text))]:
        inside = frozenset(term for phrase in whole for term in terms(phrase))
        chosen -= inside.difference(_content_terms(_without_phrases(asked.words, whole)))
    if language := language_of(text):
        own_terms = word_terms(language)
        words = {word for word in words_of(text) if not chosen.isdisjoint(own_terms[word])}
        chosen.update(chain.from_iterable(map(word_terms("").__getitem__, words)))
    return frozenset((*chosen, *(QUOTE + phrase for phrase in phrases)))


def _without_phrases(words: str, phrases: Iterable[str]) -> str:
    for phrase in phrases:
        words = pattern_of(phrase).sub(" ", words)
    return words


@lru_cache(maxsize=64)
def _content_terms(query: str) -> tuple[str, ...]:
    """Remembered: every hit of a query asks for them."""
    return tuple(content_terms(query))


def marks(text: str, query_terms: frozenset[str]) -> Iterator[Mark]:
    """Ranges of the words that share a term with the query, in order. Those that touch are one: where there are no
    blanks, a word is found by its pairs of characters."""
    words = _found_words(text, query_terms) if query_terms else []
    phrases = [found.span() for one in _phrases_in(query_terms) for found in pattern_of(one).finditer(text)]
    if operators := _operators_in(query_terms):
        phrases += operator_places(text, operators)
    if phrases:
        return _joined(sorted([*phrases, *words]))
    return iter(words) if text.isascii() else _joined(words)


def _joined(found: Iterable[Mark]) -> Iterator[Mark]:
    before: Mark | None = None
    for start, end in found:
        if before and start <= before[1]:
            before = before[0], max(before[1], end)
            continue
        if before:
            yield before
        before = start, end
    if before:
        yield before


@lru_cache(maxsize=64)
def _phrases_in(query_terms: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(term[1:] for term in query_terms if term[:1] == QUOTE))


@lru_cache(maxsize=64)
def _operators_in(query_terms: frozenset[str]) -> tuple[str, ...]:
    """Remembered: few queries have an operator, and every line of every hit asks."""
    return tuple(filter(is_operator, query_terms))


def _found_words(text: str, query_terms: frozenset[str]) -> list[Mark]:
    # To cut a text into words and what is between them, and to add up lengths, is twice as fast as matching words.
    pieces = _WORD.split(text)
    words = pieces[1::2]
    matching = _matching(query_terms).among(words)
    if not matching:
        return []
    ends = list(accumulate(map(len, pieces)))
    found: list[Mark] = []
    for at in [at for at, word in enumerate(words) if word in matching]:
        start, end, word = ends[2 * at], ends[2 * at + 1], words[at]
        found += [(start, end)] if word.isascii() else [(start + a, start + b) for a, b in _inside(word, query_terms)]
    return found


class _Matching:
    """Which words share a term with a query. Each word is looked at once, for all hits and lines of a search."""

    def __init__(self, query_terms: frozenset[str]) -> None:
        self._query_terms = query_terms
        self._seen: set[str] = set()
        self._matching: set[str] = set()

    def among(self, words: Collection[str]) -> set[str]:
        if self._seen.issuperset(words):
            return self._matching.intersection(words)
        new = set(words).difference(self._seen)
        own_terms = word_terms("")
        matching = {word for word in new if not self._query_terms.isdisjoint(own_terms[word])}
        if max(map(len, new), default=0) > MAX_CACHED_WORD_CHARS:
            return matching | self._matching.intersection(words)
        # The matching ones first: another thread may ask for the same words.
        self._matching |= matching
        self._seen |= new
        return self._matching.intersection(words)


@lru_cache(maxsize=64)
def _matching(query_terms: frozenset[str]) -> _Matching:
    return _Matching(query_terms)


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
    """The lines and sentences with the most terms, rare ones counting more, in order; the first ones if none has any.
    What says nothing by itself is not among them."""
    units = [unit for paragraph in _paragraphs(lines) if not paragraph.is_heading for unit in _units(paragraph)]
    candidates = [unit for unit in units if unit.says_something] or [unit for unit in units if unit.is_field]
    line_terms = [_terms_in(line.text, query_terms) for line in candidates]
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


def _units(paragraph: Paragraph) -> Iterator[ReadableLine]:
    """What is shown as one: a line that fits, else the sentences of the paragraph. A row of a table stays whole."""
    first, *others = paragraph.lines
    text = paragraph.text
    if first.kind == "code" or CELLS_APART in text or not (others or len(text) > _characters(text, LINE_WIDTH)):
        yield from paragraph.lines
        return
    for start, end in sentences(text):
        if sentence := text[start:end].strip():
            yield ReadableLine(_line_at(paragraph, start), sentence)


def _line_at(paragraph: Paragraph, place: int) -> int:
    """The line that a place of the text of a paragraph is in."""
    ends = accumulate(len(line.text) + 1 for line in paragraph.lines)
    return next(line.number for line, end in zip(paragraph.lines, ends, strict=True) if place < end)


def _terms_in(text: str, query_terms: frozenset[str]) -> frozenset[str]:
    """Those of the terms that a line has. A phrase counts where it stands in one line."""
    found = query_terms & set(terms(text))
    for phrase in _phrases_in(query_terms):
        if has_phrase(text, phrase):
            found |= {QUOTE + phrase}
    return found


def clipped(line: ReadableLine, query_terms: frozenset[str]) -> ExcerptLine:
    """The line, cut around its first mark if it is too wide."""
    text = line.text.expandtabs(4).strip()
    return _shown(_paragraph([line._replace(text=text)]), query_terms, _characters(text, LINE_WIDTH), _CLIP_LEAD)


def _characters(text: str, columns: int) -> int:
    """How many characters of a text fit into so many columns, on average: characters of East Asia take two."""
    if text.isascii() or len(text) * 2 <= columns:
        return columns
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return columns * len(text) // (len(text) + wide)


# -- an excerpt, for a page


def excerpt_of(hit: Hit, query_terms: frozenset[str]) -> Snippet:
    """The excerpt of a hit, with the numbers of its lines in the document."""
    snippet = _excerpt(_read(hit), query_terms)
    lines = tuple(replace(line, line=_in_document(hit, line.line)) for line in snippet.lines)
    return Snippet(lines, snippet.cut_before)


def excerpt_with(hit: Hit, quotes: Iterable[tuple[Passage, str]]) -> Snippet | None:
    """The paragraphs of a hit that have these quotes of its lines, which are marked; None if it has none of them."""
    wanted = [
        (place, paragraph.text)
        for place, quote in quotes
        if place.path == hit.path
        for paragraph in _read_lines(readable_lines(quote, is_mdx(hit.path))).paragraphs
    ]
    read = _read(hit)
    shown: list[ExcerptLine] = []
    first = len(read.paragraphs)
    for number, paragraph in enumerate(read.paragraphs):
        begin, end = (_in_document(hit, paragraph.lines[at].number) for at in (0, -1))
        own = [quote for place, quote in wanted if place.start_line <= end and begin <= place.end_line]
        if marked := _placed(paragraph.text, own):
            start, stop = _window(paragraph.text, marked[0][0], EXCERPT_CHARACTERS, _EXCERPT_LEAD)
            text = paragraph.text[start:stop]
            line = _in_document(hit, _line_at(paragraph, marked[0][0]))
            shown.append(ExcerptLine(line, text, _placed(text, own), paragraph.lines[0].kind == "code"))
            first = min(first, number)
    return Snippet(tuple(shown), not all(one.is_heading for one in read.paragraphs[:first])) if shown else None


def _placed(text: str, quotes: Iterable[str]) -> tuple[Mark, ...]:
    """Where the quotes stand, none in another."""
    places = sorted({(at, at + len(quote)) for quote in quotes if (at := text.find(quote)) >= 0})
    return tuple(place for number, place in enumerate(places) if number == 0 or place[0] >= places[number - 1][1])


def excerpt(lines: Iterable[ReadableLine], query_terms: frozenset[str]) -> Snippet:
    """The few lines from where most marks follow. A paragraph over several lines is one."""
    return _excerpt(_read_lines(lines), query_terms)


def _excerpt(read: ReadText, query_terms: frozenset[str]) -> Snippet:
    paragraphs = read.paragraphs
    counts = _mark_counts(read, query_terms)
    first = _best_start(paragraphs, counts)
    shown: list[ExcerptLine] = []
    length = 0
    for paragraph, count in zip(paragraphs[first : first + EXCERPT_LINES], counts[first:], strict=False):
        length += len(paragraph.text)
        if shown and length > EXCERPT_CHARACTERS:
            break
        # What has none need not be looked through again. Operators are not among what is counted.
        asked = query_terms if count or _operators_in(query_terms) else frozenset[str]()
        shown.append(_shown(paragraph, asked, EXCERPT_CHARACTERS, _EXCERPT_LEAD))
    return Snippet(tuple(shown), not all(paragraph.is_heading for paragraph in paragraphs[:first]))


def _mark_counts(read: ReadText, query_terms: frozenset[str]) -> list[int]:
    """How many marks each paragraph would have, and more for the phrases in it."""
    found, phrases = _matching(query_terms).among(read.words), _phrases_in(query_terms)
    if not phrases and all(map(str.isascii, found)):
        return [sum(map(found.__contains__, paragraph.words)) for paragraph in read.paragraphs]
    return [
        sum(1 for _ in marks(paragraph.text, query_terms))
        + PHRASE_WEIGHT * sum(has_phrase(paragraph.text, phrase) for phrase in phrases)
        for paragraph in read.paragraphs
    ]


def _paragraphs(lines: Iterable[ReadableLine]) -> Iterator[Paragraph]:
    together: list[ReadableLine] = []
    for line in lines:
        if together and not line.continues:
            yield _paragraph(together)
            together = []
        together.append(line)
    if together:
        yield _paragraph(together)


def _paragraph(lines: Sequence[ReadableLine]) -> Paragraph:
    text = " ".join(line.text for line in lines)
    # Different chunks have the same words.
    return Paragraph(tuple(lines), text, tuple(map(intern, _WORD.findall(text))))


def _best_start(paragraphs: Sequence[Paragraph], counts: Sequence[int]) -> int:
    """The line after which most marks follow. Headings come last: the breadcrumb has them already."""
    best = next((at for at, paragraph in enumerate(paragraphs) if not paragraph.is_heading), 0)
    most = sum(counts[best : best + EXCERPT_LINES])
    for at in range(best + 1, len(paragraphs)):
        following = sum(counts[at : at + EXCERPT_LINES]) if counts[at] else 0
        if following > most and paragraphs[at].lines[0].says_something:
            best, most = at, following
    return best


# -- a line to show


def _shown(paragraph: Paragraph, query_terms: frozenset[str], length: int, lead: int) -> ExcerptLine:
    """The paragraph as a line, cut around its first mark if it is longer than `length`."""
    text = paragraph.text
    found = tuple(marks(text, query_terms))
    start, end = _window(text, found[0][0] if found else 0, length, lead)
    line = _line_at(paragraph, start)
    if end - start < len(text):
        text = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
        found = tuple(marks(text, query_terms))
    return ExcerptLine(line, text, found, paragraph.lines[0].kind == "code")


def _window(text: str, mark: int, length: int, lead: int) -> Mark:
    """The part of a long text to show, the mark among it: whole sentences, or whole words of a long one."""
    if len(text) <= length:
        return 0, len(text)
    whole = [(start, end) for start, end in sentences(text) if end > mark]
    first = whole[0][0]
    if whole[0][1] - first <= length:
        return first, len(text[: max(end for _, end in whole if end - first <= length)].rstrip())
    start = max(0, min(mark - lead, len(text) - length))
    if start and not text[start - 1].isspace():
        start = text.find(" ", start, mark) + 1 or start
    end = min(start + length, len(text))
    if end < len(text) and not text[end].isspace():
        end = max(text.rfind(" ", max(mark + 1, start + length // 2), end), 0) or end
    return start, end


# -- The words of a document that a query finds: what a search marks in its hits, all through the document.


def found_words(reader: Reader, document: DocumentRow, query: str) -> list[FoundWord]:
    """The words in the lines of a document as a reader sees them, in order; none of them in its frontmatter."""
    readings = read_words(reader, understood(query).words, reader.chunk_count())
    matched = _matched(readings, reader.chunks_of(document.path))
    query_terms = marked_terms(query, matched, document.text)
    frontmatter = match_frontmatter(document.text)
    first = count_line_ends(document.text[: frontmatter[0]]) + 1 if frontmatter else 0
    return [
        FoundWord(line.number + 1, line.text[start:end])
        for line in readable_lines(document.text, document.mdx, begins_file=True)
        if line.number >= first
        for start, end in marks(line.text, query_terms)
    ]


def _matched(readings: Sequence[WordReading], chunks: Sequence[StoredChunk]) -> Iterator[str]:
    """The terms that each chunk is found by. A word stands for others only in chunks that lack the word itself."""
    for fields in keyword_fields_of(chunks):
        chunk_terms = {term for field in fields for term in field.split()}
        for reading in readings:
            yield from reading.found_in(chunk_terms)

"""The part of a hit that is shown, with the words of the query marked.

Every surface cuts its snippets here. A terminal shows the best lines of a hit, wherever they stand: `best_lines` and
`clipped`. A page shows a short passage as it reads, without Markdown's signs: `excerpt`. Marks are ranges
(start, end) in the text they come with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from headnote.search.terms import content_terms
from headnote.store.languages import language_of
from headnote.store.terms import terms, words_of

Mark = tuple[int, int]

LONGEST_CACHED_WORD = 40
"""Characters. Longer words hardly come twice."""

BEST_LINES = 3
"""Lines that a terminal shows of a hit."""
LINE_WIDTH = 160
"""Characters of a line in a terminal; a longer one is clipped."""
_CLIP_LEAD = 40
"""Characters in front of the first mark of a clipped line."""

EXCERPT_LINES = 5
EXCERPT_CHARACTERS = 420
"""Characters of an excerpt; a single line that is longer is cut to as many."""
_EXCERPT_LEAD = 90
"""Characters in front of the first mark of a line that is cut."""

_WORD = re.compile(r"\w(?:[\w.'’+-]*\w)?")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)|\s*(?:=+|-+)\s*$")

_FENCE = re.compile(r"\s*(?:```|~~~)")
_RULE = re.compile(r"[\s:|*_-]+")
_UNDERLINE = re.compile(r"(?:=+|-+)\s*")
_OPENS_BLOCK = re.compile(r"\s*(?:[-*+>|]|[0-9]+[.)]\s|#{1,6}\s|<|```|~~~|\[\^)")
# Lengths are bounded: a text of nothing but brackets must not take forever.
_SIGNS = re.compile(
    r"""
      (?<=\S[ ])\s+                     # indents and wide gaps
    | ^\#{1,6}\s+ | \*\* | __ | `+    # headings, emphasis, code
    | !?\[(?=[^\]]{0,1000}\]\()         # a link before its text …
    | \]\([^)]{0,2000}\)                # … and after it, with its address
    | \[\[ | \]\]                       # a wikilink
    """,
    re.VERBOSE,
)


class SnippetLine(NamedTuple):
    """A line to show."""

    text: str
    marks: tuple[Mark, ...] = ()
    is_code: bool = False
    """Whether blanks count: code, or a row of a table."""


class Snippet(NamedTuple):
    """A passage to show."""

    lines: tuple[SnippetLine, ...]
    cut_before: bool
    """Whether the hit has text before it."""


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
    """Ranges of the words that share a term with the query, in order."""
    for word in _WORD.finditer(text):
        word_terms = _terms_of(word[0]) if len(word[0]) <= LONGEST_CACHED_WORD else terms(word[0])
        if query_terms.isdisjoint(word_terms):
            continue
        # In scripts without blanks a "word" is a whole clause: mark only the terms inside it.
        inside = [] if word[0].isascii() else list(_ranges_inside(word[0], query_terms))
        yield from ((word.start() + start, word.start() + end) for start, end in inside or [(0, len(word[0]))])


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> frozenset[str]:
    """The terms of one word. Texts use the same words again and again."""
    return frozenset(terms(word))


def _ranges_inside(word: str, query_terms: frozenset[str]) -> Iterator[Mark]:
    pattern = _terms_without_blanks(query_terms)
    if pattern:
        yield from (match.span() for match in pattern.finditer(word))


@lru_cache(maxsize=64)
def _terms_without_blanks(query_terms: frozenset[str]) -> re.Pattern[str] | None:
    """Those worth marking inside a clause, the longest first. A single character of a pair occurs everywhere."""
    others = [term for term in query_terms if not term.isascii()]
    whole = [term for term in others if not any(term in other for other in others if other != term)]
    return re.compile("|".join(map(re.escape, sorted(whole, key=len, reverse=True)))) if whole else None


# -- best lines, for a terminal


def best_lines(lines: Sequence[str], query_terms: frozenset[str]) -> list[int]:
    """Places of the lines with the most terms, rare ones counting more, in order; the first lines if none has any."""
    places = [place for place, line in enumerate(lines) if line.strip() and not _HEADING.match(line)]
    line_terms = [query_terms & set(terms(lines[place])) for place in places]
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
    return [places[number] for number in sorted(chosen) or range(min(2, len(places)))]


def clipped(line: str, query_terms: frozenset[str]) -> SnippetLine:
    """The line, cut around its first mark if it is too wide."""
    if len(line) > LINE_WIDTH:
        first = next((start for start, _ in marks(line, query_terms)), 0)
        start = max(0, min(first - _CLIP_LEAD, len(line) - LINE_WIDTH))
        if start:
            start = line.find(" ", start, start + _CLIP_LEAD) + 1 or start
        end = start + LINE_WIDTH
        if end < len(line):
            end = max(line.rfind(" ", start + LINE_WIDTH // 2, end), 0) or end
        line = ("… " if start else "") + line[start:end].strip() + (" …" if end < len(line) else "")
    return SnippetLine(line, tuple(marks(line, query_terms)))


# -- an excerpt, for a page


class _ReadingLine(NamedTuple):
    """A line as it reads: a paragraph over several lines is one. Line ends become blanks: offsets hold."""

    start: int
    end: int
    kind: Literal["prose", "code", "heading", "blank"]


def excerpt(text: str, text_marks: Sequence[Mark]) -> Snippet:
    """The few lines from where most marks follow, without the signs that a rendered text hides."""
    lines = [line for line in _reading_lines(text) if line.kind != "blank"]
    marks_of = _marks_by_line(lines, text_marks)
    first = _best_start(lines, [len(line_marks) for line_marks in marks_of])
    shown: list[SnippetLine] = []
    length = 0
    for line, line_marks in zip(lines[first : first + EXCERPT_LINES], marks_of[first:], strict=False):
        length += line.end - line.start
        if shown and length > EXCERPT_CHARACTERS:
            break
        shown.append(_shown(text, line, line_marks))
    return Snippet(tuple(shown), any(line.kind != "heading" for line in lines[:first]))


def _reading_lines(text: str) -> list[_ReadingLine]:
    lines: list[_ReadingLine] = []
    start = 0
    in_fence = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        kind = "blank" if is_fence else _kind(line, in_fence)
        in_fence ^= is_fence
        end = start + len(line)
        if lines and lines[-1].kind == kind == "prose" and not _OPENS_BLOCK.match(line):
            lines[-1] = lines[-1]._replace(end=end)
        else:
            lines.append(_ReadingLine(start, end, kind))
        start = end + 1
    return lines


def _kind(line: str, in_fence: bool) -> Literal["prose", "code", "heading", "blank"]:
    is_underline = _UNDERLINE.fullmatch(line) is not None
    if not line.strip() or (not in_fence and _RULE.fullmatch(line) and not is_underline):
        return "blank"
    if in_fence or line.lstrip().startswith("|"):
        return "code"
    return "heading" if is_underline or re.match(r"#{1,6}\s", line) else "prose"


def _marks_by_line(lines: Sequence[_ReadingLine], text_marks: Sequence[Mark]) -> list[list[Mark]]:
    marks_of: list[list[Mark]] = [[] for _ in lines]
    at = 0
    for mark in text_marks:
        while at < len(lines) and lines[at].end <= mark[0]:
            at += 1
        if at < len(lines) and lines[at].start <= mark[0]:
            marks_of[at].append(mark)
    return marks_of


def _best_start(lines: Sequence[_ReadingLine], counts: Sequence[int]) -> int:
    """The line after which most marks follow. Headings come last: the breadcrumb has them already."""
    best = next((at for at, line in enumerate(lines) if line.kind != "heading"), 0)
    most = sum(counts[best : best + EXCERPT_LINES])
    for at in range(best + 1, len(lines)):
        following = sum(counts[at : at + EXCERPT_LINES]) if counts[at] else 0
        if following > most:
            best, most = at, following
    return best


def _shown(text: str, line: _ReadingLine, line_marks: Sequence[Mark]) -> SnippetLine:
    line_text = text[line.start : line.end].replace("\n", " ")
    is_code = line.kind == "code"
    start, end = _window(line_text, line_marks[0][0] - line.start if line_marks else 0)
    signs = [] if is_code else [sign.span() for sign in _SIGNS.finditer(line_text)]
    shown = "… " if start else ""
    shown_marks = []
    at = start
    for mark_start, mark_end in ((first - line.start, last - line.start) for first, last in line_marks):
        if min(mark_end, end) <= max(mark_start, at):
            continue
        shown += _without(signs, line_text, at, max(mark_start, at))
        marked = _without(signs, line_text, max(mark_start, at), min(mark_end, end))
        if marked:
            shown_marks.append((len(shown), len(shown) + len(marked)))
        shown += marked
        at = min(mark_end, end)
    shown += _without(signs, line_text, at, end) + (" …" if end < len(line_text) else "")
    return SnippetLine(shown, tuple(shown_marks), is_code)


def _window(text: str, mark: int) -> Mark:
    """The part of a long line to show: whole words, the first mark among them."""
    if len(text) <= EXCERPT_CHARACTERS:
        return 0, len(text)
    start = text.find(" ", mark - _EXCERPT_LEAD) + 1 if mark > _EXCERPT_LEAD * 2 else 0
    limit = start + EXCERPT_CHARACTERS
    if limit >= len(text):
        return start, len(text)
    end = text.rfind(" ", 0, limit + 1)
    return start, end if end > start else limit


def _without(signs: Sequence[Mark], text: str, start: int, end: int) -> str:
    """`text[start:end]` without the signs."""
    pieces = []
    for first, last in signs:
        if last <= start or first >= end:
            continue
        pieces.append(text[start : max(start, first)])
        start = min(last, end)
    return "".join(pieces) + text[start:end]

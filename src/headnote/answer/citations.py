"""Checks the citations of an answer. Those that do not hold are removed, and reported with the reason.

A citation holds if

1. it names one of the sources,
2. its lines were shown; of wider ones, what was shown remains,
3. these lines have something to do with the sentence it stands in: of the sentence's content terms, those of the
   section's headings left out, they have a `SHARE`, and at least two if there are as many (a row of a table says what
   its header says, too),
4. and, if it is alone in a sentence with numbers, the lines have at least one of the numbers.

The terms are those of the keyword index, so `calibrated` and `calibration` are the same word. A sentence with fewer
than two terms of its own ("See there.") is judged with the text before it in its paragraph; a line that only cites,
with the whole paragraph, list or code before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headnote.answer.prompt import ShownPassage, shown_path
from headnote.model import Citation, Dropped
from headnote.search.spelling import content_terms
from headnote.words.phrases import ends_sentence
from headnote.words.terms import terms

# -- The citations in an answer: `[a.md:12-30]`, `[a.md:12]`, `[a.md:12-30, 40; b.md:7]`.
#
# Names of files may hold blanks, commas and brackets, so the names of the sources are tried first. Everything else in
# the form of a citation counts as one, too: it will be removed.


_MAX_LINE_NUMBER = 10**9
_BLANKS = re.compile(r"[ \t]*+")
_LINES = re.compile(r"[ \t]*+[:#,][ \t]*+(?:lines?[ \t]*+|L)?([0-9]++)(?:[ \t]*+[-–—‑][ \t]*+L?([0-9]++))?")
_MORE_LINES = re.compile(r"(?:lines?[ \t]*+|L)?([0-9]++)(?:[ \t]*+[-–—‑][ \t]*+L?([0-9]++))?(?=[ \t]*+[,;\]])")
_BEHIND = re.compile(r"[ \t]*+([,;\]])")
_NAME = re.compile(r"[^\[\],;\r\n]{1,300}+")
_NAME_AND_LINES = re.compile(rf"(.*?)({_LINES.pattern.replace('[:#,]', '[:#]')})", re.DOTALL)
_OF_A_DOCUMENT = re.compile(r".*\.(?:md|mdx|markdown)", re.IGNORECASE | re.DOTALL)
_ONE_WORD = re.compile(r"[^\W\d]\S*+|\S*[^\W\d]\S*+")
_BACKTICKS = re.compile(r"`++")


class CitedPlace(NamedTuple):
    """One cited place."""

    written: str
    path: str
    """As it is written."""
    start_line: int | None
    """None if no lines are named."""
    end_line: int


class Bracket(NamedTuple):
    """A pair of brackets in a text, and the places it cites."""

    start: int
    end: int
    items: tuple[CitedPlace, ...]


def find_brackets(text: str, names: Sequence[str], in_code: bool = False) -> list[Bracket]:
    """Every citation in a text. `names` are those of the sources.

    In code, only names of sources and documents make a citation: `a[i:10]` is none.
    """
    code = [(0, len(text))] if in_code else list(_code_spans(text))
    brackets = []
    at = text.find("[")
    while at >= 0:
        bracket = read_bracket(text, at, names)
        if bracket and any(start <= at < end for start, end in code):
            bracket = bracket if all(_is_document(item.path, names) for item in bracket.items) else None
        if bracket:
            brackets.append(bracket)
        at = text.find("[", bracket.end if bracket else at + 1)
    return brackets


def read_bracket(text: str, start: int, names: Sequence[str]) -> Bracket | None:
    """The citation that begins with this bracket, if it is one."""
    items: list[CitedPlace] = []
    at = start + 1
    while True:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        read = (items and _read_more(text, at, items[-1].path)) or _read_item(text, at, names)
        if not read:
            return None
        item, at = read
        items.append(item)
        behind = _BEHIND.match(text, at)
        if behind is None:
            return None
        at = behind.end()
        if behind[1] == "]":
            break
    if text.startswith("(", at) and any(item.start_line is None for item in items):
        return None  # a link
    return Bracket(start, at, tuple(items))


def _read_item(text: str, at: int, names: Sequence[str]) -> tuple[CitedPlace, int] | None:
    for name in sorted(names, key=len, reverse=True):
        if name and text.startswith(name, at):
            end = at + len(name)
            if lines := _LINES.match(text, end):
                return _item(text[at : lines.end()], name, lines[1], lines[2]), lines.end()
            if _BEHIND.match(text, end):
                return CitedPlace(name, name, None, 0), end
    name_match = _NAME.match(text, at)
    if name_match is None:
        return None
    written = name_match[0].rstrip()
    end = at + len(written)
    if lines := _NAME_AND_LINES.fullmatch(written):
        name = lines[1].strip()
        # `[see #12]` and `[ratio 3:4]` are none.
        plausible = lines[2].lstrip()[0] == ":" and ("/" in name or _ONE_WORD.fullmatch(name))
        if plausible or _OF_A_DOCUMENT.fullmatch(name):
            return _item(written, name, lines[3], lines[4]), end
        return None
    if _OF_A_DOCUMENT.fullmatch(written):
        # `[evil.md, 12-30]`: the comma may stand where the colon should.
        if lines := _LINES.match(text, end):
            return _item(text[at : lines.end()], written, lines[1], lines[2]), lines.end()
        return CitedPlace(written, written, None, 0), end
    return None


def _read_more(text: str, at: int, path: str) -> tuple[CitedPlace, int] | None:
    """Further lines of the same document."""
    if lines := _MORE_LINES.match(text, at):
        return _item(f"{path}:{lines[0]}", path, lines[1], lines[2]), lines.end()
    return None


def _item(written: str, path: str, start: str, end: str | None) -> CitedPlace:
    first = _number(start)
    return CitedPlace(written, path, first, _number(end) if end else first)


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 10 else _MAX_LINE_NUMBER


def _is_document(path: str, names: Sequence[str]) -> bool:
    return path in names or _OF_A_DOCUMENT.fullmatch(path) is not None


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Runs of backticks, and the text between two of the same length."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    at = 0
    while at < len(runs):
        start, opened = runs[at]
        closing = next((n for n in range(at + 1, len(runs)) if runs[n][1] - runs[n][0] == opened - start), None)
        if closing is not None:
            yield start, runs[closing][1]
            at = closing
        at += 1


# -- A growing answer → its sentences, each with the citations after it. Every line end ends a sentence.


MAX_SENTENCE_CHARS = 4000
"""Characters. Longer sentences are cut, so that an endless line does not block the stream."""
_MAX_BRACKET_CHARS = 1000
_LIST_MARKER = re.compile(r"[ \t]*+(?:>[ \t]*+)*+(?:[-*+•]|[0-9]{1,9}[.)])[ \t]++")
_STOP = re.compile(r"\r\n|[\r\n\[\]]|[.!?…]++[\"'”’)*_`]*+(?=[ \t\r\n]|\Z)|[。！？]++[」』）”’]*+")
_FULL_STOPS = re.compile(r"[.!?]*+")


def sentence_end(text: str, start: int, names: Sequence[str], final: bool) -> int | None:
    """Where the sentence that begins at `start` ends, with its citations and the blanks behind it.

    None if that depends on the following text. No sentence ends inside an open bracket, so none loses its citation.
    """
    marker = _LIST_MARKER.match(text, start)
    at = marker.end() if marker else start
    depth = 0
    while stop := _STOP.search(text, at, start + MAX_SENTENCE_CHARS):
        sign, at = stop[0], stop.end()
        if sign[0] in "\r\n":
            return None if sign == "\r" and at == len(text) and not final else at
        if sign == "[":
            bracket = read_bracket(text, stop.start(), names)
            if bracket:
                at = bracket.end
            elif not final and _is_open(text, stop.start()):
                return None
            else:
                depth += 1
        elif sign == "]":
            depth = max(0, depth - 1)
        elif not depth:
            end = _after_citations(text, at, names, final)
            if end is None or _ends_here(text, stop, end):
                return end
    if len(text) - start >= MAX_SENTENCE_CHARS:
        return start + MAX_SENTENCE_CHARS
    return len(text) if final else None


def _ends_here(text: str, stop: re.Match[str], end: int) -> bool:
    """Whether a sentence ends with this stop: nothing goes on after a citation or at the end of a line."""
    goes_on = not text[stop.end() : end].strip(" \t") and end < len(text)
    return not goes_on or text[end - 1] in "\r\n" or ends_sentence(text, stop.start(), stop.end())


def _is_open(text: str, start: int) -> bool:
    """Whether a bracket may still become a citation."""
    rest = text[start : start + _MAX_BRACKET_CHARS]
    return len(rest) < _MAX_BRACKET_CHARS and not re.search(r"[\r\n]", rest) and rest.count("]") < rest.count("[")


def _after_citations(text: str, at: int, names: Sequence[str], final: bool) -> int | None:
    """Past the citations that follow a full stop, and the blanks after them."""
    while True:
        blanks = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if blanks == len(text):
            return blanks if final else None
        if text[blanks] != "[":
            # The line end belongs to the sentence: nothing but the end of a block stands alone.
            line_end = re.compile(r"\r\n|\n|\r(?!\Z)").match(text, blanks)
            return line_end.end() if line_end else blanks
        bracket = read_bracket(text, blanks, names)
        if bracket is None:
            return None if not final and _is_open(text, blanks) else blanks
        at = _FULL_STOPS.match(text, bracket.end).end()  # type: ignore[union-attr]


# -- Checks the citations of an answer


SHARE = 0.3
"""Part of a sentence's terms that its lines must have. Chosen from six values with 22 sentences that say in other
words what the handbook says, then tried on 16 more: of these 15 pass; beside other lines of the same document 3 in
a hundred do, beside those of another document 1. `tests/answer/test_support_rule.py` has the sentences."""
_PASSES = 8
"""Removing a citation may turn the text around it into another one. That does not happen twice by accident."""
_CONTENT_WORD = "qqq"
_FENCE = re.compile(r"[ \t>]*+(?:```|~~~)")
_NUMBER = re.compile(r"[0-9](?:[0-9.,]*[0-9])?")
_MARKER = re.compile(r"[ \t>]*+(?:[-*+•]|[0-9]{1,9}[.)])[ \t]++")
_LOST_BLANKS = re.compile(r"[ \t]++(?=[.,;:!?)]|[ \t\r\n]|\Z)")


class Statement(NamedTuple):
    """The parts of a sentence that its cited lines can support."""

    terms: frozenset[str]
    numbers: frozenset[str]


class Checker:
    """Checks an answer while it is streamed. Text that it returns is final."""

    def __init__(self, shown: Sequence[ShownPassage]) -> None:
        self._sources = _Sources(shown)
        self._citations: dict[Citation, None] = {}
        self._dropped: list[Dropped] = []
        self._waiting = ""
        self._block: frozenset[str] = frozenset()
        """Terms of the text since the last blank line."""
        self._block_before: frozenset[str] = frozenset()
        self._in_code = False
        self._at_line_start = True

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._citations)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        return tuple(self._dropped)

    def feed(self, piece: str) -> str:
        """The sentences that are complete with this piece."""
        self._waiting += piece
        return self._release(final=False)

    def finish(self, cut_off: bool = False) -> str:
        """The rest. If the text was cut off, an unfinished citation is left out."""
        if cut_off:
            self._waiting = re.sub(r"[ \t]*+\[[^\[\]\r\n]*\Z", "", self._waiting)
        return self._release(final=True)

    def _release(self, final: bool) -> str:
        released = []
        start = 0
        while start < len(self._waiting):
            end = sentence_end(self._waiting, start, self._sources.names, final)
            if end is None:
                break
            released.append(self._check(self._waiting[start:end]))
            start = end
        self._waiting = self._waiting[start:]
        return "".join(released)

    def _check(self, sentence: str) -> str:
        is_fence = self._at_line_start and _FENCE.match(sentence) is not None
        if not sentence.strip():
            if self._at_line_start and self._block:
                self._block_before, self._block = self._block, frozenset()
        elif is_fence:
            self._in_code = not self._in_code
        checked, own = self._settle(sentence, is_fence or self._in_code)
        self._block |= own
        self._at_line_start = sentence[-1] in "\r\n"
        return checked

    def _settle(self, sentence: str, in_code: bool) -> tuple[str, frozenset[str]]:
        """The sentence with the citations that hold, and its own terms."""
        own = Statement(frozenset(), frozenset())
        for _ in range(_PASSES):
            brackets = find_brackets(sentence, self._sources.names, in_code)
            own = read_statement(_rewritten(sentence, [(bracket, "") for bracket in brackets]))
            statement = own._replace(terms=self._terms_to_support(own.terms))
            alone = sum(len(bracket.items) for bracket in brackets) == 1
            outcomes = [self._judged(bracket, statement, alone) for bracket in brackets]
            sentence = _rewritten(
                sentence, [(bracket, _written(holds)) for bracket, (holds, _) in zip(brackets, outcomes, strict=True)]
            )
            fallen = [dropped for _, some in outcomes for dropped in some]
            self._dropped += fallen
            if not fallen:
                self._citations.update(dict.fromkeys(citation for holds, _ in outcomes for citation in holds))
                break
        else:
            sentence = sentence.translate({ord("["): "(", ord("]"): ")"})
        if (
            len(sentence) >= MAX_SENTENCE_CHARS
            and sentence[-1] not in "\r\n"
            and sentence.count("[") != sentence.count("]")
        ):
            # Cut at an arbitrary place: following text must not close a bracket that opens here.
            sentence = sentence.replace("[", "(")
        return sentence, own.terms

    def _terms_to_support(self, own: frozenset[str]) -> frozenset[str]:
        """The terms that a citation must support: of its sentence, or of its block if the sentence has hardly any."""
        if len(own) >= 2:
            return own
        return self._block | own or self._block_before

    def _judged(self, bracket: Bracket, statement: Statement, alone: bool) -> tuple[list[Citation], list[Dropped]]:
        holds, fallen = [], []
        for item in bracket.items:
            outcome = self._sources.judge(item, statement, alone)
            if isinstance(outcome, Citation):
                holds.append(outcome)
            else:
                fallen.append(Dropped(item.written, outcome))
        return holds, fallen


class _Sources:
    """The lines that were shown, by file and number."""

    def __init__(self, shown: Iterable[ShownPassage]) -> None:
        self._paths: dict[str, str] = {}
        self._lines: dict[str, dict[int, str]] = {}
        self._headings: dict[str, dict[int, str]] = {}
        for passage in shown:
            self._paths.setdefault(passage.path, passage.path)
            self._paths.setdefault(shown_path(passage.path), passage.path)
            numbered = dict(enumerate(passage.lines, passage.start_line))
            self._lines.setdefault(passage.path, {}).update(numbered)
            self._headings.setdefault(passage.path, {}).update(dict.fromkeys(numbered, passage.hit.breadcrumb))
        self.names = tuple(self._paths)

    def judge(self, item: CitedPlace, statement: Statement, alone: bool) -> Citation | str:
        """The citation, clipped to what was shown, or the reason why it does not hold."""
        path = self._paths.get(item.path)
        if path is None:
            return "not among the sources"
        if item.start_line is None:
            return "names no lines"
        if item.end_line < item.start_line:
            return "not a range of lines"
        lines = self._clipped(path, item.start_line, item.end_line)
        if not lines:
            return "these lines were not shown"
        text = "\n".join(self._lines[path][line] for line in lines)
        headings = " ".join(dict.fromkeys(self._headings[path][line] for line in lines))
        cited_text = f"{self._table_header(path, lines[0])}\n{text}"
        if reason := unsupported(statement, cited_text, headings, alone):
            return reason
        return Citation(path, lines[0], lines[-1], text)

    def _table_header(self, path: str, line: int) -> str:
        """The header above a row of a table; empty if the line is no row."""
        known = self._lines[path]
        while "|" in known.get(line, "") and "|" in known.get(line - 1, ""):
            line -= 1
        return known[line] if "|" in known[line] else ""

    def _clipped(self, path: str, start: int, end: int) -> range:
        """The longest run of lines within these that was shown, without blank ones at its ends."""
        known = self._lines[path]
        runs: list[list[int]] = [[]]
        for line in sorted(line for line in known if start <= line <= end):
            if runs[-1] and line != runs[-1][-1] + 1:
                runs.append([])
            runs[-1].append(line)
        filled = [[line for line in run if known[line].strip()] for run in runs]
        ranges = [range(run[0], run[-1] + 1) for run in filled if run]
        return max(ranges, key=len, default=range(0))


def read_statement(sentence: str) -> Statement:
    """The content terms and numbers of a sentence. A sentence of function words has no terms."""
    text = _MARKER.sub("", sentence, count=1)
    # `content_terms` falls back to function words if there is nothing else; one content word prevents that.
    content = frozenset(content_terms(f"{text} {_CONTENT_WORD}")) - {_CONTENT_WORD}
    return Statement(content, frozenset(_numbers(text)))


def unsupported(statement: Statement, lines: str, headings: str = "", alone: bool = False) -> str:
    """Why lines do not support a statement; empty if they do."""
    own = statement.terms.difference(terms(headings)) or statement.terms
    shared = own.intersection(terms(lines))
    if len(shared) < min(2, len(own)) or len(shared) < SHARE * len(own) or not own:
        return "its lines do not say this"
    if alone and statement.numbers and statement.numbers.isdisjoint(_numbers(lines)):
        return "its lines have other numbers"
    return ""


def _numbers(text: str) -> set[str]:
    return {number.replace(",", "") for number in _NUMBER.findall(text)}


def _written(citations: Sequence[Citation]) -> str:
    return f"[{'; '.join(dict.fromkeys(shown_path(citation.place) for citation in citations))}]" if citations else ""


def _rewritten(text: str, changes: Sequence[tuple[Bracket, str]]) -> str:
    """The text with other citations. Where none is left, the gap closes."""
    parts = []
    at = 0
    for bracket, written in changes:
        before = text[at : bracket.start]
        if not written and before.strip() and _LOST_BLANKS.match(" " + text[bracket.end : bracket.end + 1]):
            before = before.rstrip(" \t")
        # Before a parenthesis, brackets would make a link.
        parts += [before, written, " " if written and text.startswith("(", bracket.end) else ""]
        at = bracket.end
    return "".join(parts) + text[at:]

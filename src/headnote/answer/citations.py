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
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headnote.answer.brackets import Bracket, Item, find_brackets
from headnote.answer.passages import ShownPassage
from headnote.answer.prompt import shown_path
from headnote.answer.sentences import LONGEST, sentence_end
from headnote.model import Citation, Dropped
from headnote.search.terms import content_terms
from headnote.store.terms import terms

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


class Checked(NamedTuple):
    """A text with only the citations that hold."""

    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[Dropped, ...]


def check_citations(text: str, shown: Sequence[ShownPassage]) -> Checked:
    """A whole answer at once."""
    checker = Checker(shown)
    checked = checker.feed(text) + checker.finish()
    return Checked(checked, checker.citations, checker.dropped)


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
        if len(sentence) >= LONGEST and sentence[-1] not in "\r\n" and sentence.count("[") != sentence.count("]"):
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

    def judge(self, item: Item, statement: Statement, alone: bool) -> Citation | str:
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

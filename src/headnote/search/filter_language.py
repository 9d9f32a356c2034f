"""The language of filters: `version >= 2 and not status in (draft, "on hold")` → what a document must satisfy.

A field compares with `=`, `!=`, `<`, `<=`, `>`, `>=`, `in (…)` or `not in (…)`, or it `exists` or is `missing`. What
follows a sign is its value up to `and`, `or`, a parenthesis or the end, so that one needs quotes only if it has these.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple, NoReturn

from headnote.errors import FilterError
from headnote.store.filters import (
    Either,
    FieldExists,
    FieldIs,
    HasTag,
    Not,
    Requirement,
    Sign,
    all_of,
    either_of,
    folded,
    folded_tag,
)

MAX_CONDITIONS = 200
MAX_DEPTH = 50
"""Maximum nesting of parentheses and `not`."""
TAGS = frozenset({"tag", "tags"})
"""Fields that stand for the tags of a passage, wherever they are written."""

_SIGN = re.compile(r"\s*(>=|<=|!=|<>|==|[=<>≥≤≠])\s*")
_SIGNS: dict[str, tuple[Sign, bool]] = {
    **{sign: (sign, False) for sign in ("=", "<", "<=", ">", ">=")},
    "==": ("=", False),
    "≤": ("<=", False),
    "≥": (">=", False),
    **dict.fromkeys(("!=", "<>", "≠"), ("=", True)),
}
"""Sign → how values compare, and whether the opposite is meant."""
_KEYWORD = re.compile(r"\s*(and|or|not)(?![^\s()])", re.IGNORECASE)
_JOINT = re.compile(r"(?<!\s)\s++(?:and|or)(?![^\s(])", re.IGNORECASE)
_QUOTED = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\')')
_NAME_WORD = re.compile(r"\s*((?:(?!!=|<>)[^\s=<>≥≤≠()\"',])+)")
_AFTER_NAME = re.compile(r"\s*(not\s+in|in|exists|missing)(?![^\s(),])", re.IGNORECASE)
_AGO = re.compile(r"([0-9]{1,5})([hdwy])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}
_EXAMPLE = "such as status = draft, version >= 2, or tags in (a, b)"


class _Literal(NamedTuple):
    text: str
    is_text: bool


@lru_cache(maxsize=256)
def _read(text: str, place: str, today: str) -> Requirement:  # noqa: ARG001  another day is another filter
    parser = _Parser(text, place)
    requirement = parser.alternatives()
    parser.expect_end()
    return requirement


def read_requirement(text: str, place: str = "") -> Requirement:
    """Return what the text requires. `place` names the option in errors."""
    return _read(text, place, f"{datetime.now().astimezone():%Y-%m-%d %H}")


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str, place: str) -> None:
        self._text = text
        self._place = place
        self._at = 0
        self._depth = 0
        self._conditions = 0

    # -- conditions and what joins them

    def alternatives(self) -> Requirement:
        return self._joined("or")

    def _joined(self, word: Literal["or", "and"]) -> Requirement:
        parts = [self._joined("and") if word == "or" else self._condition()]
        while self._takes_keyword(word):
            parts.append(self._joined("and") if word == "or" else self._condition())
        joined = either_of(parts) if word == "or" else all_of(parts)
        assert joined is not None
        return joined

    def _condition(self) -> Requirement:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"more than {MAX_DEPTH} conditions inside each other", "use fewer parentheses")
        if self._takes_keyword("not"):
            requirement: Requirement = Not(self._condition())
        elif self._takes("("):
            requirement = self.alternatives()
            if not self._takes(")"):
                self._fail("expected )", "close the parenthesis")
        else:
            requirement = self._comparison()
        self._depth -= 1
        return requirement

    def _comparison(self) -> Requirement:
        field = self._name()
        self._conditions += 1
        if self._conditions > MAX_CONDITIONS:
            self._fail(f"more than {MAX_CONDITIONS} conditions", "write field in (a, b, c)")
        if sign := _SIGN.match(self._text, self._at):
            start, self._at = self._at, sign.end()
            compared, is_negated = _SIGNS[sign[1]]
            requirement = self._compared(field, compared, [self._value(sign[1])], start)
            return Not(requirement) if is_negated else requirement
        word = _AFTER_NAME.match(self._text, self._at)
        if word is None:
            self._fail(f"expected a comparison after {field}", _EXAMPLE)
        return self._worded(field, word)

    def _worded(self, field: str, word: re.Match[str]) -> Requirement:
        start, self._at = self._at, word.end()
        name = " ".join(word[1].lower().split())
        if name in ("exists", "missing"):
            exists: Requirement = HasTag("") if folded(field) in TAGS else FieldExists(field)
            return exists if name == "exists" else Not(exists)
        listed = self._compared(field, "=", self._values(name), start)
        return Not(listed) if name == "not in" else listed

    def _compared(self, field: str, sign: Sign, literals: list[_Literal], start: int) -> Requirement:
        if folded(field) not in TAGS:
            kinds = {is_text: [lit.text for lit in literals if lit.is_text == is_text] for is_text in (False, True)}
            parts = [FieldIs(field, sign, tuple(texts), is_text) for is_text, texts in kinds.items() if texts]
            return parts[0] if len(parts) == 1 else Either(tuple(parts))
        if sign != "=":
            self._at = start
            self._fail(f"tags have no order for {sign}", "use =, !=, in, not in, exists or missing")
        tags = either_of(HasTag(folded_tag(literal.text)) for literal in literals)
        assert tags is not None
        return tags

    # -- names and values

    def _name(self) -> str:
        if quoted := _QUOTED.match(self._text, self._at):
            self._at = quoted.end()
            return _unquoted(quoted)
        words: list[str] = []
        while word := _NAME_WORD.match(self._text, self._at):
            if words and _AFTER_NAME.match(self._text, self._at):
                break
            words.append(word[1])
            self._at = word.end()
        if not words:
            self._fail("expected a field", _EXAMPLE)
        return " ".join(words)

    def _value(self, sign: str) -> _Literal:
        """One value up to a joint, a parenthesis that it does not open, or the end."""
        if quoted := self._takes_quoted():
            return quoted
        text = self._unquoted("")
        has_order = _SIGNS[sign][0] != "="
        if not text and has_order:
            self._fail(f"expected a value after {sign}", "such as version >= 2 or date >= 2024-01-31")
        return _Literal(_as_date(text) if has_order or text.lower() == "today" else text, False)

    def _values(self, word: str) -> list[_Literal]:
        if not self._takes("("):
            self._fail(f"expected ( after {word}", f"write {word} (a, b)")
        literals = [self._listed()]
        while self._takes(","):
            literals.append(self._listed())
        if not self._takes(")"):
            self._fail("expected , or )", "write in (a, b)")
        return literals

    def _listed(self) -> _Literal:
        if quoted := self._takes_quoted():
            return quoted
        if not (text := self._unquoted(",")):
            self._fail("expected a value", "write in (a, b)")
        return _Literal(text, False)

    def _unquoted(self, ends: str) -> str:
        joint = _JOINT.search(self._text, self._at) if not ends else None
        last = joint.start() if joint else len(self._text)
        depth, at = 0, self._at
        while at < last and not (depth == 0 and self._text[at] in f"){ends}"):
            depth += (self._text[at] == "(") - (self._text[at] == ")")
            at += 1
        text, self._at = self._text[self._at : at].strip(), at
        return text

    def _takes_quoted(self) -> _Literal | None:
        quoted = _QUOTED.match(self._text, self._at)
        if quoted is None:
            return None
        self._at = quoted.end()
        return _Literal(_unquoted(quoted), True)

    # -- single pieces

    def _takes_keyword(self, word: str) -> bool:
        match = _KEYWORD.match(self._text, self._at)
        if match is None or match[1].lower() != word:
            return False
        self._at = match.end()
        return True

    def _takes(self, character: str) -> bool:
        self._skip_blanks()
        if not self._text.startswith(character, self._at):
            return False
        self._at += 1
        return True

    def _skip_blanks(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def expect_end(self) -> None:
        self._skip_blanks()
        if self._at < len(self._text):
            self._fail("expected and, or, or the end of the filter", "put a value with parentheses into quotes")

    def _fail(self, message: str, remedy: str) -> NoReturn:
        self._skip_blanks()
        raise FilterError(message, text=self._text, position=self._at, path=self._place, remedy=remedy)


def _unquoted(match: re.Match[str]) -> str:
    text = match[1] if match[1] is not None else match[2]
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _as_date(text: str) -> str:
    """`today` and `7d` as dates: the day, and the time so long ago."""
    if text.lower() == "today":
        return f"{datetime.now().astimezone():%Y-%m-%d}"
    if ago := _AGO.fullmatch(text.lower()):
        try:
            return (datetime.now(UTC) - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])).isoformat(timespec="seconds")
        except OverflowError:
            return text
    return text


def quoted_condition(field: str, value: str) -> str:
    """The filter for one value of a field, whatever characters they have."""
    return f"{_plain_or_quoted(field)}={_plain_or_quoted(value)}"


def _plain_or_quoted(text: str) -> str:
    # What begins with a letter and has no digits is neither a number nor a date.
    if re.fullmatch(r"[^\W\d_][^\W\d]*(?:[-./][^\W\d]+)*", text) and text.lower() not in ("and", "or", "not", "today"):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

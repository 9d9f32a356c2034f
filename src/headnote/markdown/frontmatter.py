"""The block of YAML or TOML at the very start of a file: where it ends, what it says.

Most frontmatter is read here, line by line, in a fifth of the time that a YAML loader takes: names, texts, numbers,
dates, lists of them, fields below a field or in a list, texts of several lines, and comments. Only what can have but
one meaning is: `simple_fields` is None, or exactly what the loader says.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice, takewhile
from typing import Any, Literal, NamedTuple

from headnote.markdown.plain_data import TooLarge, plain_mapping
from headnote.markdown.untrusted import load_data
from headnote.model import Block, Frontmatter

_MAX_LINES = 200
_MAX_CHARACTERS = 100_000
"""Less than the loader accepts."""

_LETTERS = r"A-Za-z\u00c0-\u00d6\u00d8-\u1fff\u2c00-\u2dff\u3040-\ud7ff"
"""Letters without another meaning in YAML, of common scripts."""
# A colon before a blank ends a name, and a `#` after a blank begins a comment; so there are only those of addresses.
_PLAIN = rf"[{_LETTERS}/](?:[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_'\"\u2010-\u2027-]|:(?=[{_LETTERS}0-9/])|(?<! )#)*+"
_QUOTED = rf"[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_:#<>|\[\]{{}}\u2010-\u2027-]++"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = rf"{_DATE}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})"
_SIMPLE = rf"(?P<plain>{_PLAIN})|(?P<time>{_TIME})|(?P<date>{_DATE})|(?P<number>0|[1-9][0-9]{{0,8}})"
_VALUE = rf"{_SIMPLE}|\"(?P<double>(?:{_QUOTED}|')*+)\"|'(?P<single>(?:{_QUOTED})?+)'"
_NAME = r"(?P<name>[A-Za-z_][A-Za-z0-9_-]{0,63})"
_LIST = r"\[(?P<list>[A-Za-z0-9_./, '\"-]*+)\]"
_ANYTHING = rf"[ -~{_LETTERS}\u2010-\u2027]*+"
_IN_LIST = re.compile(
    r" *+(?:(?P<plain>[A-Za-z][A-Za-z0-9_./]*+(?:[ -]+[A-Za-z0-9_./]++)*+)"
    r"|(?P<mark>['\"])(?P<quoted>[^'\"]*+)(?P=mark)) *+"
)
_CONSTANTS = {"true": True, "false": False, "null": None}
_WORDS_FOR_OTHERS = frozenset("y n yes no on off true false null".split())
"""Plain words that YAML may read as something other than text, in lower case."""


class _LinePatterns(NamedTuple):
    field: re.Pattern[str]
    inner_field: re.Pattern[str]
    item: re.Pattern[str]
    fields_item: re.Pattern[str]
    """An item that is fields, with the first of them."""
    comment: re.Pattern[str]
    block_line: re.Pattern[str]
    """Of a text of several lines."""


@cache
def _line() -> _LinePatterns:
    """Compiled for the first frontmatter: that takes longer than a search, which reads none."""
    return _LinePatterns(
        field=re.compile(rf"{_NAME}:(?: +(?:{_VALUE}|{_LIST}|(?P<block>[>|]-?)))?+ *+"),
        inner_field=re.compile(rf"(?P<indent> {{1,8}}){_NAME}: +(?:{_VALUE}|{_LIST}) *+"),
        item=re.compile(rf"(?P<indent> {{0,8}})- +(?:{_VALUE}) *+"),
        fields_item=re.compile(rf"(?P<indent> {{0,8}})- +{_NAME}: +(?:{_VALUE}|{_LIST}) *+"),
        comment=re.compile(f"#{_ANYTHING}"),
        block_line=re.compile(f"( {{1,8}})(?=[^ ])({_ANYTHING})"),
    )


class _NotSimple(Exception):
    """Only the full loader can tell what a line means."""


def simple_fields(lines: Sequence[str]) -> dict[str, Any] | None:
    """The fields; None if the YAML is not simple or has no fields."""
    if len(lines) > _MAX_LINES or sum(map(len, lines)) > _MAX_CHARACTERS:
        return None
    try:
        return _fields(lines)
    except (_NotSimple, ValueError):
        return None


def _fields(lines: Sequence[str]) -> dict[str, Any] | None:
    fields: dict[str, Any] = {}
    inner: _Inner | None = None
    patterns = _line()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if (field := patterns.field.fullmatch(line)) is not None:
            name = field["name"]
            if field["block"]:
                fields[name], at = _block(field["block"], lines, at)
                inner = None
                continue
            fields[name] = _field_value(field)
            inner = _Inner(fields, name) if field.lastgroup == "name" else None
        elif not line.strip(" ") or patterns.comment.fullmatch(line):
            continue
        elif inner is None or not inner.takes(line):
            return None
    return fields or None


class _Inner:
    """What stands below a name: fields, or the items of a list, which may be fields too."""

    def __init__(self, fields: dict[str, Any], name: str) -> None:
        self._fields = fields
        self._name = name
        self._items: list[Any] | None = None
        self._item_indent = ""
        self._open: dict[str, Any] | None = None
        """What a line with one more field adds to: the fields below the name, or those of the last item."""
        self._open_indent = ""

    def takes(self, line: str) -> bool:
        """Whether the line belongs to it. The first line decides whether it is a list or fields."""
        field = _line().inner_field.fullmatch(line)
        if field is not None:
            return self._takes_field(field)
        item = _line().item.fullmatch(line) or _line().fields_item.fullmatch(line)
        return item is not None and self._takes_item(item)

    def _takes_field(self, field: re.Match[str]) -> bool:
        if self._open is None:
            if self._items is not None:
                return False
            self._fields[self._name] = self._open = {}
            self._open_indent = field["indent"]
        if field["indent"] != self._open_indent:
            return False
        self._open[field["name"]] = _field_value(field)
        return True

    def _takes_item(self, item: re.Match[str]) -> bool:
        if self._items is None:
            if self._open is not None:
                return False
            self._fields[self._name] = self._items = []
            self._item_indent = item["indent"]
        if item["indent"] != self._item_indent:
            return False
        if item.re is _line().fields_item:
            self._open = {item["name"]: _field_value(item)}
            self._open_indent = " " * item.start("name")
            self._items.append(self._open)
        else:
            self._open = None
            self._items.append(_value(item))
        return True


def _block(style: str, lines: Sequence[str], start: int) -> tuple[str, int]:
    """The text below a `>`, whose line ends are blanks, or a `|`; and where it ends."""
    found = list(takewhile(bool, map(_line().block_line.fullmatch, islice(lines, start, None))))
    end = start + len(found)
    below = next((line for line in islice(lines, end, None) if line), "")
    if len({match[1] for match in found if match}) != 1 or below.startswith(" "):
        raise _NotSimple
    text = (" " if style[0] == ">" else "\n").join(match[2] for match in found if match)
    return text if style.endswith("-") or end == len(lines) else f"{text}\n", end


def _field_value(match: re.Match[str]) -> Any:
    if match.lastgroup == "name":
        return None
    if match.lastgroup == "list":
        return _listed(match["list"])
    return _value(match)


def _value(match: re.Match[str]) -> Any:
    kind = str(match.lastgroup)
    source = match[kind]
    if kind == "plain":
        return _plain(source)
    if kind == "number":
        return int(source)
    if kind == "date":
        return datetime.date(int(source[:4]), int(source[5:7]), int(source[8:]))
    if kind == "time":
        return datetime.datetime.fromisoformat(source)
    return source


def _plain(source: str) -> str | bool | None:
    text = source.rstrip(" ")
    if text.lower() not in _WORDS_FOR_OTHERS:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    raise _NotSimple


def _listed(source: str) -> list[str | bool | None]:
    """`[a, b]`"""
    if not source.strip(" "):
        return []
    items: list[str | bool | None] = []
    for part in source.split(","):
        item = _IN_LIST.fullmatch(part)
        if item is None:
            raise _NotSimple
        items.append(item["quoted"] if item["mark"] else _plain(item["plain"]))
    return items


# -- The block of YAML or TOML at the very start of a file: where it ends, what it says.

_Format = Literal["yaml", "toml"]

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*+(?=[\r\n])")
_CLOSING = {"---": re.compile(r"---[ \t]*+(?=[\r\n]|\Z)"), "+++": re.compile(r"\+\+\+[ \t]*+(?=[\r\n]|\Z)")}
_FORMAT: dict[str, _Format] = {"---": "yaml", "+++": "toml"}

_LINE_END = re.compile(r"\r\n?|\n")
_BETWEEN_TAGS = re.compile(r"[,\s]+")
_BETWEEN_ALIASES = re.compile(",")
_TOML_LINE = re.compile(r" \(at line (\d+), column \d+\)")


def match_frontmatter(text: str) -> tuple[int, str] | None:
    """End of the frontmatter (its closing line included, the line end not) and its format, if there is one."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    fence = opening[1]
    at = text.find(fence, opening.end())
    while at >= 0:
        closing = _CLOSING[fence].match(text, at) if text[at - 1] in "\r\n" else None
        if closing is not None:
            return closing.end(), _FORMAT[fence]
        at = text.find(fence, at + 1)
    return None


def read_frontmatter(text: str, block: Block) -> Frontmatter:
    """What the frontmatter says. It never raises: what cannot be read becomes a warning with the file's line."""
    format_: _Format = "toml" if block.info == "toml" else "yaml"
    lines = _LINE_END.sub("\n", text[block.start : block.end]).split("\n")
    if format_ == "yaml" and (fields := simple_fields(lines[1:-1])):
        return Frontmatter(format_, fields)
    body = "\n".join(lines[1:-1])
    try:
        value = load_data(body, format_)
        if value is None:
            return Frontmatter(format_, {})
        if not isinstance(value, dict):
            return _unread(format_, block.start_line, "it has no fields")
        return Frontmatter(format_, plain_mapping(value))
    except TooLarge as error:
        return _unread(format_, block.start_line, str(error))
    except Exception as error:  # noqa: BLE001  parsers fail in many ways on hostile input, and none may stop a file
        line, problem = _locate(error)
        return _unread(format_, block.start_line + 1 + line, problem)


def _unread(format_: _Format, line: int, problem: str) -> Frontmatter:
    return Frontmatter(format_, {}, f"line {line}: unreadable {format_.upper()} frontmatter: {problem}")


def _locate(error: Exception) -> tuple[int, str]:
    """Line within the body, from 0, and the complaint in one line."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return mark.line, _one_line(getattr(error, "problem", None) or str(error))
    message = _one_line(str(error)) or type(error).__name__
    toml_line = _TOML_LINE.search(message)
    if toml_line is not None:
        return int(toml_line[1]) - 1, _TOML_LINE.sub("", message)
    return 0, message


def _one_line(message: str) -> str:
    return " ".join(message.split())[:200]


def title(data: Mapping[str, Any]) -> str:
    """The `title` field as one line; empty if there is none."""
    return next(iter(_words(_field(data, "title"))), "")


def tags(data: Mapping[str, Any]) -> list[str]:
    """`tags` or `tag`: a list, or a string with commas or blanks between them. A leading `#` is dropped."""
    words = _words(_field(data, "tags", "tag"), separator=_BETWEEN_TAGS)
    return _unique(word.lstrip("#") for word in words)


def aliases(data: Mapping[str, Any]) -> list[str]:
    """`aliases` or `alias`: a list, or a string with commas between them, since an alias may have blanks."""
    return _unique(_words(_field(data, "aliases", "alias"), separator=_BETWEEN_ALIASES))


def _field(data: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that says anything; `Tags` counts as `tags`."""
    folded = {key.casefold(): value for key, value in data.items() if value not in (None, "", [])}
    return next((folded[name] for name in names if name in folded), None)


def _words(value: Any, separator: re.Pattern[str] | None = None) -> list[str]:
    """The strings in a field, whichever way its author wrote it; items of a list are not taken apart."""
    if isinstance(value, str):
        parts = separator.split(value) if separator else [value]
    elif isinstance(value, list):
        parts = [str(item) for item in value if item is not None and not isinstance(item, dict | list)]
    elif value is None or isinstance(value, dict):
        return []
    else:
        parts = [str(value)]
    return [" ".join(part.split()) for part in parts if part.strip()]


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word))

"""Put members into a settings file that people edit, and take them out again, without touching anything else in it.

Such files have comments, trailing commas and an order that means something to somebody. Libraries that write them lose
all of that, so only places are looked for here: what is inserted is one piece of text, and cutting it out leaves the
bytes of before. Files are in TOML if their name says so, otherwise in JSON.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

INDENT = "  "
_TOKEN = re.compile(
    r"""(?P<skip>[\s\ufeff]+|//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"/]+)""",
    re.DOTALL,
)


class WrongFormat(ValueError):
    """The text is not in its format, or has no object where one is needed."""


class JsonToken(NamedTuple):
    """A piece of JSON that counts: no blank and no comment."""

    text: str
    start: int
    end: int


class Member(NamedTuple):
    """A name of an object with its value: the places of their first and last tokens in the list of tokens."""

    name: str
    first: int
    value: int
    last: int


def stored_in(text: str, file: str) -> dict[str, Any]:
    """What a settings file says. One without anything but comments says nothing."""
    return _value_of_toml(text) if _is_toml(file) else value_of(text)


def members_at(stored: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The object at these keys; an empty one where there is none."""
    found: Any = stored
    for key in keys:
        found = found.get(key, {})
        if not isinstance(found, dict):
            raise WrongFormat(f"{key} is not an object")
    return dict(found)


def missing_keys(stored: Mapping[str, Any], keys: Sequence[str]) -> int:
    """How many objects must be made for a member at these keys."""
    for number, key in enumerate(keys):
        if key not in stored:
            return len(keys) - number
        stored = stored[key]
    return 0


def pruned(stored: dict[str, Any], keys: Sequence[str], names: Sequence[str], made: int) -> dict[str, Any]:
    """What a file says without these members at the keys, and without the innermost `made` objects that are empty
    then."""
    if not keys:
        return {name: value for name, value in stored.items() if name not in names}
    first, *rest = keys
    if not isinstance(stored.get(first), dict):
        return stored
    inner = pruned(stored[first], rest, names, made)
    if not inner and len(keys) <= made:
        return {name: value for name, value in stored.items() if name != first}
    return {**stored, first: inner}


def insertion(text: str, file: str, keys: Sequence[str], members: Mapping[str, Any]) -> tuple[int, str]:
    """Where to insert which text, so that the object at `keys` has these members. Objects on the way are made where
    they are missing."""
    if not _is_toml(file):
        return _json_insertion(text, keys, members)
    tables = "\n".join(_table(keys, name, entry) for name, entry in members.items())
    break_before = "" if not text.strip("\ufeff \t\r\n") else "\n" if text.endswith("\n") else "\n\n"
    return len(text), break_before + tables


def without(text: str, file: str, keys: Sequence[str], names: Sequence[str], made: int = 0) -> str:
    """The text without these members, whose program has rewritten it since they were inserted."""
    for name in names:
        text = _without_table(text, keys, name) if _is_toml(file) else _without_member(text, keys, name)
    for depth in range(len(keys), len(keys) - made, -1):
        if not _is_toml(file) and members_at(value_of(text), keys[:depth]) == {}:
            text = _without_member(text, keys[: depth - 1], keys[depth - 1])
    return text


def is_cut_well(rest: str, text: str, file: str, says: Mapping[str, Any]) -> bool:
    """Whether what is left of a text says this, and lacks no member before a comma."""
    try:
        left = stored_in(rest, file)
    except WrongFormat:
        return False
    return left == says and (_is_toml(file) or _trailing_commas(rest) <= _trailing_commas(text))


def written(file: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """A member as a file has it that has nothing else."""
    return insertion("", file, keys, {name: entry})[1]


def _is_toml(file: str) -> bool:
    return file.endswith(".toml")


# -- TOML


def _value_of_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise WrongFormat(f"not TOML: {error}") from None


def _table(keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """JSON's strings, numbers and lists of strings are TOML's."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{'.'.join([*keys, name])}]", *lines, ""])


def _without_table(text: str, keys: Sequence[str], name: str) -> str:
    header = re.escape(".".join([*keys, name]))
    return re.sub(rf"(?ms)^\[{header}[\].].*?(?=^\[(?!{header}[\].])|\Z)", "", text)


# -- JSON, which may have comments and trailing commas


def value_of(text: str) -> dict[str, Any]:
    """What the text says, without comments and trailing commas."""
    tokens = _tokens(text)
    if not tokens:
        return {}
    pieces, at = [], 0
    for number, token in enumerate(tokens):
        pieces.append("\n" * text.count("\n", at, token.start))  # so that an error has its line
        pieces.append(" " if _is_trailing_comma(tokens, number) else f"{token.text} ")
        at = token.end
    try:
        value = json.loads("".join(pieces))
    except json.JSONDecodeError as error:
        raise WrongFormat(f"not JSON: line {error.lineno}, {error.msg}") from None
    if not isinstance(value, dict):
        raise WrongFormat("an object is expected, in braces")
    return value


def _is_trailing_comma(tokens: Sequence[JsonToken], number: int) -> bool:
    return tokens[number].text == "," and number + 1 < len(tokens) and tokens[number + 1].text in "}]"


def _trailing_commas(text: str) -> int:
    tokens = _tokens(text)
    return sum(_is_trailing_comma(tokens, number) for number in range(len(tokens)))


def _json_insertion(text: str, keys: Sequence[str], members: Mapping[str, Any]) -> tuple[int, str]:
    tokens = _tokens(text)
    if not tokens:
        break_before = "\n" if text.strip("\ufeff \t\r\n") and not text.endswith("\n") else ""
        return len(text), break_before + json.dumps(_wrapped(keys, members), indent=INDENT, ensure_ascii=False) + "\n"
    opening, depth = _opening(tokens, 0), 1
    missing = list(keys)
    while missing and (member := _member(tokens, opening, missing[0])):
        opening, depth = _opening(tokens, member.value), depth + 1
        missing.pop(0)
    line_end = "\r\n" if "\r\n" in text else "\n"
    object_lines = json.dumps(_wrapped(missing, members), indent=INDENT, ensure_ascii=False).split("\n")[1:-1]
    inserted = "".join(f"{line_end}{INDENT * (depth - 1)}{line}" for line in object_lines)
    if tokens[opening + 1].text != "}":
        return tokens[opening].end, f"{inserted},"
    on_one_line = "\n" not in text[tokens[opening].end : tokens[opening + 1].start]
    return tokens[opening].end, inserted + (f"{line_end}{INDENT * (depth - 1)}" if on_one_line else "")


def _wrapped(keys: Sequence[str], members: Mapping[str, Any]) -> dict[str, Any]:
    whole = dict(members)
    for key in reversed(keys):
        whole = {key: whole}
    return whole


def _without_member(text: str, keys: Sequence[str], name: str) -> str:
    tokens = _tokens(text)
    opening = _opening(tokens, 0) if tokens else 0
    for key in keys:
        member = _member(tokens, opening, key)
        if member is None:
            return text
        opening = _opening(tokens, member.value)
    member = _member(tokens, opening, name)
    if member is None:
        return text
    before, after = tokens[member.first - 1], tokens[member.last + 1]
    if after.text == ",":  # with its comma, and what is between it and the member before
        return text[: before.end] + text[after.end :]
    start = before.start if before.text == "," else before.end  # the last one takes the comma before it
    return text[:start] + text[tokens[member.last].end :]


def _tokens(text: str) -> list[JsonToken]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise WrongFormat(f"not JSON: line {text.count(chr(10), 0, at) + 1}, {text[at : at + 20]!r}")
        if match["skip"] is None:
            tokens.append(JsonToken(match[0], at, match.end()))
        at = match.end()
    return tokens


def _opening(tokens: Sequence[JsonToken], at: int) -> int:
    if at >= len(tokens) or tokens[at].text != "{":
        raise WrongFormat("an object is expected, in braces")
    return at


def _member(tokens: Sequence[JsonToken], opening: int, name: str) -> Member | None:
    return next((member for member in _members(tokens, opening) if member.name == name), None)


def _members(tokens: Sequence[JsonToken], opening: int) -> Iterator[Member]:
    at = opening + 1
    while at + 2 < len(tokens) and tokens[at].text != "}":
        last = _end_of_value(tokens, at + 2)
        yield Member(json.loads(tokens[at].text), at, at + 2, last)
        at = last + 1
        if at < len(tokens) and tokens[at].text == ",":
            at += 1


def _end_of_value(tokens: Sequence[JsonToken], at: int) -> int:
    depth = 0
    while at < len(tokens):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return at
        at += 1
    raise WrongFormat("not JSON: it ends within an object or a list")

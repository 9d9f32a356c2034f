"""Put a member into a JSON file that people edit, and take it out again, without touching anything else in it.

Such files have comments, trailing commas and an order that means something to somebody. Libraries that write JSON lose
all of that, so only places are looked for here: what is inserted is one piece of text, and cutting it out leaves the
bytes of before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

INDENT = "  "
_TOKEN = re.compile(
    r"""(?P<skip>[\s\ufeff]+|//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"/]+)""",
    re.DOTALL,
)


class NotJson(ValueError):
    """The text is not a JSON object, or the place in it is not one."""


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


def value_of(text: str) -> Any:
    """What the text says, without comments and trailing commas."""
    tokens = _tokens(text)
    pieces = [
        token.text
        for number, token in enumerate(tokens)
        if not (token.text == "," and number + 1 < len(tokens) and tokens[number + 1].text in "}]")
    ]
    try:
        return json.loads(" ".join(pieces))
    except ValueError as error:
        raise NotJson(str(error)) from None


def insertion(text: str, keys: Sequence[str], name: str, value: Any) -> tuple[int, str]:
    """Where to insert which text, so that the object at `keys` has this member. Objects on the way are made where they
    are missing."""
    tokens = _tokens(text)
    opening, depth = _opening(tokens, 0), 1
    missing = list(keys)
    while missing and (member := _member(tokens, opening, missing[0])):
        opening, depth = _opening(tokens, member.value), depth + 1
        missing.pop(0)
    line_end = "\r\n" if "\r\n" in text else "\n"
    outermost, *inner = [*missing, name]
    for key in reversed(inner):
        value = {key: value}
    lines = f"{json.dumps(outermost)}: {json.dumps(value, indent=INDENT, ensure_ascii=False)}".split("\n")
    inserted = "".join(f"{line_end}{INDENT * depth}{line}" for line in lines)
    is_empty = tokens[opening + 1].text == "}"
    on_one_line = "\n" not in text[tokens[opening].end : tokens[opening + 1].start]
    if is_empty:
        return tokens[opening].end, inserted + (f"{line_end}{INDENT * (depth - 1)}" if on_one_line else "")
    return tokens[opening].end, f"{inserted},"


def without(text: str, keys: Sequence[str], name: str) -> str:
    """The text without this member, which its program has rewritten since it was inserted."""
    tokens = _tokens(text)
    opening = _opening(tokens, 0)
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
            raise NotJson(f"line {text.count(chr(10), 0, at) + 1}: {text[at : at + 20]!r}")
        if match["skip"] is None:
            tokens.append(JsonToken(match[0], at, match.end()))
        at = match.end()
    return tokens


def _opening(tokens: Sequence[JsonToken], at: int) -> int:
    if at >= len(tokens) or tokens[at].text != "{":
        raise NotJson("an object is expected, in braces")
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
    raise NotJson("it ends within an object or a list")

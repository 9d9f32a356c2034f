"""What an argument or a setting may be: type checks of public functions, and the validators of single settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from numbers import Integral, Real
from os import PathLike
from types import NoneType
from typing import Any, NamedTuple

from headnote.errors import SettingsError, nearest, shown

# -- Arguments: a wrong type raises an error that names the argument.


_NAMES: dict[Any, str] = {
    str: "a string",
    bool: "true or false",
    Integral: "a whole number",
    Real: "a number",
    PathLike: "a path",
    NoneType: "None",
    datetime: "a time",
    date: "a date",
    time: "a time of day",
    Iterable: "a list",
    Sequence: "a list",
    Mapping: "a mapping",
    Callable: "a function",
}


def check_types(**arguments: tuple[object, Any]) -> None:
    """Raise unless every value has its type: `check_types(text=(text, str), limit=(limit, Integral | None))`."""
    for name, (value, allowed) in arguments.items():
        if type(value) is allowed:
            continue
        kinds = getattr(allowed, "__args__", None) or (allowed,)
        if type(value) in kinds:
            continue
        # A bool is an int to Python, but never meant as a number.
        is_stray_bool = isinstance(value, bool) and bool not in kinds
        # A string is an iterable of characters to Python, and bytes can be a path.
        is_stray_text = isinstance(value, str | bytes) and str not in kinds
        if is_stray_bool or is_stray_text or not isinstance(value, kinds):
            raise SettingsError(_message(name, value), remedy=_remedy(name, value, kinds))


def strings(name: str, value: str | Iterable[str] | None) -> tuple[str, ...]:
    """A string, several strings or None, as a tuple."""
    if value is None:
        return ()
    check_types(**{name: (value, str | Iterable)})
    items = (value,) if isinstance(value, str) else tuple(value)
    for item in items:
        check_types(**{name: (item, str)})
    return items


def _message(name: str, value: object) -> str:
    return (
        f"{name} is {value}"
        if value is None or isinstance(value, bool)
        else f"{name} is of type {type(value).__name__}"
    )


def _remedy(name: str, value: object, kinds: tuple[type, ...]) -> str:
    if isinstance(value, bytes) and str in kinds:
        return f'decode it first: {name}.decode("utf-8")'
    *others, last = (_NAMES.get(kind, f"a {kind.__name__}") for kind in kinds)
    return f"give {', '.join(others)} or {last}" if others else f"give {last}"


# -- Settings: a validator returns the value, or raises an error that says what is allowed. It begins with the name of
# the setting, unless whoever asks adds its place.


class Bounds(NamedTuple):
    """The bounds of a number, both included."""

    least: int
    most: int | None = None

    def __str__(self) -> str:
        return f"{self.least} or more" if self.most is None else f"from {self.least} to {self.most}"


def said(value: object, name: str = "") -> str:
    """`max_tokens 0`, as a message begins."""
    return f"{name} {shown(value)}" if name else shown(value)


def expect(fits: bool, value: object, what: str, remedy: str, name: str = "") -> None:
    """Raise unless the value fits."""
    if not fits:
        raise SettingsError(f"{said(value, name)} is not {what}", remedy=remedy)


def check_word(value: object, words: Sequence[str], name: str = "", what: str = "known") -> str:
    """One of these words."""
    if isinstance(value, str) and value in words:
        return value
    remedy = nearest(value, words) if isinstance(value, str) else f"use {', '.join(words)}"
    raise SettingsError(f"{said(value, name)} is not {what}", remedy=remedy)


def check_whole_number(
    value: object, bounds: Bounds, name: str = "", outside: tuple[str, str] = ("too small", "too large")
) -> int:
    """A whole number in these bounds. `outside` says what one below or above them is."""
    # True and False are integers to Python, but no sizes.
    if not isinstance(value, int) or isinstance(value, bool):
        raise SettingsError(f"{said(value, name)} is not a whole number", remedy=f"give a number, {bounds}")
    if value < bounds.least or (bounds.most is not None and value > bounds.most):
        message = f"{said(value, name)} is {outside[value >= bounds.least]}"
        raise SettingsError(message, remedy=f"give a number, {bounds}")
    return value


def check_switch(value: object, name: str = "", remedy: str = "give true or false") -> bool:
    if isinstance(value, bool):
        return value
    raise SettingsError(f"{said(value, name)} is neither true nor false", remedy=remedy)


def check_texts(
    value: object, what: str = "a list of strings", remedy: str = 'write ["one", "two"]'
) -> tuple[str, ...]:
    """A list of strings, or one string with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise SettingsError(f"{shown(value)} is not {what}", remedy=remedy)
    return tuple(part.strip() for part in parts if part.strip())


# Text of variables and flags


_SWITCHES = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
_DIGITS = re.compile(r"[+-]?[0-9]+")


def is_whole_number(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None


def read_whole_number(text: str) -> int:
    try:
        if is_whole_number(text):
            return int(text)
    except ValueError:  # more digits than Python agrees to read
        pass
    raise SettingsError(f"{shown(text)} is not a whole number", remedy="write digits only, such as 512")


def read_switch(text: str) -> bool:
    known = _SWITCHES.get(text.lower())
    return check_switch(text if known is None else known, remedy="write true or false")

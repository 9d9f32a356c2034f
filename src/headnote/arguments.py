"""Type checks for the arguments of public functions: a wrong type raises an error that names the argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from numbers import Integral, Real
from os import PathLike
from types import NoneType
from typing import Any

from headnote.errors import SettingsError

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

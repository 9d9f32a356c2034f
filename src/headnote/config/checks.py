"""Checks of single settings: each turns text or a TOML value into the value of the setting, or raises."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headnote.chunking.settings import nearest, shown
from headnote.errors import SettingsError

_SWITCHES = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
_DIGITS = re.compile(r"[+-]?[0-9]+")


# Text of variables and flags


def is_whole_number(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None


def whole_number(text: str) -> int:
    try:
        if is_whole_number(text):
            return int(text)
    except ValueError:  # more digits than Python agrees to read
        pass
    raise SettingsError(f"{shown(text)} is not a whole number", remedy="write digits only, such as 512")


def switch(text: str) -> bool:
    if text.lower() in _SWITCHES:
        return _SWITCHES[text.lower()]
    raise SettingsError(f"{shown(text)} is neither true nor false", remedy="write true or false")


# Text or TOML


def never(_: Any) -> bool:
    """For settings that say how something is done here, and nothing else."""
    return False


def if_said(value: Any) -> bool:
    """For settings that always lead out of the folder: services, keys, programs."""
    return isinstance(value, str | list) and bool(value)


@dataclass(frozen=True, slots=True)
class Check:
    """Turns text or a TOML value into the value of a setting, or raises."""

    allowed: str
    """What the setting may be, in words, for the reference of the settings."""
    read: Callable[[Any], Any]
    needs_trust: Callable[[Any], bool] = never
    """Whether this value, in the file of a folder, counts only if the user trusts the file."""

    def __call__(self, value: Any) -> Any:
        return self.read(value)


def count(least: int, most: int | None = None) -> Check:
    """A whole number in these bounds."""
    bounds = f"{least} or more" if most is None else f"from {least} to {most}"

    def check(value: Any) -> int:
        number = whole_number(value) if isinstance(value, str) else value
        if not isinstance(number, int) or isinstance(number, bool):
            raise SettingsError(f"{shown(value)} is not a whole number", remedy=f"give a number, {bounds}")
        if number < least or (most is not None and number > most):
            raise SettingsError(f"{number} is out of range", remedy=f"give a number, {bounds}")
        return number

    return Check(f"a whole number, {bounds}", check)


def choice(allowed: Sequence[str]) -> Check:
    """One of these words."""

    def check(value: Any) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        remedy = nearest(value, allowed) if isinstance(value, str) else f"use {', '.join(allowed)}"
        raise SettingsError(f"{shown(value)} is not known", remedy=remedy)

    return Check(", ".join(f"`{word}`" for word in allowed), check)


def _text(value: Any) -> str:
    """Any string. Errors do not show the value: it may be a secret."""
    if not isinstance(value, str):
        raise SettingsError(f"expected a string, not a {type(value).__name__}", remedy="put it in quotes")
    return value.strip()


def _texts(value: Any) -> tuple[str, ...]:
    """A list of strings, or one string with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise SettingsError(f"{shown(value)} is not a list of strings", remedy='write ["one", "two"]')
    return tuple(part.strip() for part in parts if part.strip())


# Free text says where something is or who may use it. A stranger may choose among words and numbers, not that.
text = Check("text", _text, if_said)
texts = Check("a list, or text with commas", _texts, if_said)

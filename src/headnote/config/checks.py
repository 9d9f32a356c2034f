"""What single settings of a table take: each makes a value of what was written, be it text or TOML, or refuses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headnote.chunking.settings import nearest, shown
from headnote.config.texts import whole_number
from headnote.errors import SettingsError


def count(least: int, most: int | None = None) -> Callable[[Any], int]:
    """A whole number in these bounds."""
    bounds = f"{least} or more" if most is None else f"from {least} to {most}"

    def check(value: Any) -> int:
        number = whole_number(value) if isinstance(value, str) else value
        if not isinstance(number, int) or isinstance(number, bool):
            raise SettingsError(f"{shown(value)} is not a whole number", remedy=f"give a number, {bounds}")
        if number < least or (most is not None and number > most):
            raise SettingsError(f"{number} is out of bounds", remedy=f"give a number, {bounds}")
        return number

    return check


def choice(allowed: Sequence[str]) -> Callable[[Any], str]:
    """One of these words."""

    def check(value: Any) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        remedy = nearest(value, allowed) if isinstance(value, str) else f"use {', '.join(allowed)}"
        raise SettingsError(f"{shown(value)} is not known", remedy=remedy)

    return check


def text(value: Any) -> str:
    """Any text; it is not shown in what is said of it, since it may be a secret."""
    if not isinstance(value, str):
        raise SettingsError(f"a text is needed, not a {type(value).__name__}", remedy="write it between quotes")
    return value.strip()


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise SettingsError(f"{shown(value)} is no list of texts", remedy='write ["one", "two"]')
    return tuple(part.strip() for part in parts if part.strip())

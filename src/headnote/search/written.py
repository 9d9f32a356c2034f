"""Filters as people write them → what the engine takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from headnote.errors import SettingsError

_AGO = re.compile(r"([0-9]{1,6})\s*([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}


def read_since(text: str, now: datetime | None = None, place: str = "") -> datetime:
    """`7d`, `12h`, `2w`, `1y`, or a date with or without a time; without a zone it is meant here. `place` is where it
    was written, for those who are told that it is no time."""
    now = now or datetime.now().astimezone()
    if ago := _AGO.fullmatch(text.strip().lower()):
        try:
            return now - int(ago[1]) * _UNITS[ago[2]]
        except OverflowError:
            return datetime.fromtimestamp(0, now.tzinfo)
    try:
        found = datetime.fromisoformat(text.strip())
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError):
        raise SettingsError(
            f"{text!r} is no time", path=place, remedy="write a date such as 2026-03-01, or 7d, 12h, 2w, 1y"
        ) from None


def read_fields(pairs: Iterable[str], place: str = "") -> dict[str, str]:
    """`key=value` as key and value."""
    fields: dict[str, str] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        key = key.strip()
        if not sign or not key:
            raise SettingsError(f"{pair!r} is no field", path=place, remedy="write key=value")
        if key in fields:
            raise SettingsError(f"{key} is given twice", path=place, remedy="keep one of them")
        fields[key] = value.strip()
    return fields

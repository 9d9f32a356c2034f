"""Filters as people write them → what the engine takes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from numbers import Real
from typing import Any

from headnote.arguments import check_types, strings
from headnote.errors import SettingsError
from headnote.store.filters import Filter, field_text

_AGO = re.compile(r"([0-9]{1,6})\s*([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}
_LONGEST_AGO = 9e9
"""Seconds, before and after 1970: no file is older or newer than what a store can hold."""


def read_filter(
    path: str | Iterable[str] | None,
    tags: str | Iterable[str] | None,
    where: Mapping[str, Any] | None,
    since: datetime | float | str | None,
) -> Filter:
    """Which chunks may be found, as a program says it."""
    check_types(where=(where, Mapping | None), since=(since, datetime | Real | str | None))
    fields = tuple(sorted((_field_name(name), _field_value(name, value)) for name, value in (where or {}).items()))
    return Filter(strings("path", path), strings("tags", tags), fields, _nanoseconds(since))


def _field_name(name: object) -> str:
    check_types(**{"a name in where": (name, str)})
    return str(name)


def _field_value(name: str, value: object) -> str:
    check_types(**{f"where[{name!r}]": (value, str | bool | Real | date | time)})
    return field_text(value)


def _nanoseconds(since: datetime | float | str | None) -> int | None:
    if since is None:
        return None
    moment = read_since(since) if isinstance(since, str) else since
    seconds = moment.timestamp() if isinstance(moment, datetime) else moment
    if math.isnan(seconds):
        raise SettingsError("since is no number", remedy="give seconds since 1970")
    return int(min(max(seconds, -_LONGEST_AGO), _LONGEST_AGO) * 1e9)


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


def read_recency(text: str, place: str = "") -> dict[str, Any]:
    """`30` is a half-life in days, `steps` is more for the last week and the last month, `0` nothing at all."""
    if text == "steps":
        return {"recency_steps": True}
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < math.inf:
        raise SettingsError(f"{text!r} is not a number of days", path=place, remedy="give days, or steps")
    return {"recency_days": days, "recency_steps": False}

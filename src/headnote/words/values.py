"""How values of the frontmatter compare: numbers as numbers, dates as dates, versions part by part, the rest as text.

Both databases store values as text and ask here, so that they give the same answers.
"""

from __future__ import annotations

import operator
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,4})?")
_YEAR = re.compile(r"[12][0-9]{3}")
_VERSION = re.compile(r"(v?)([0-9]+(?:\.[0-9]+)*)(?:-([a-z][0-9a-z.-]*))?(?:\+[0-9a-z.-]+)?")
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[t ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?)?(z|[+-][0-9]{2}:?[0-9]{2})?)?)?"
)
_MAX_NUMBER_CHARS = 64
"""Characters. What has more is an identifier."""


class Period(NamedTuple):
    """A time, and how long it lasts: a month, a day, a minute or a second."""

    start: datetime
    end: datetime


class Value(NamedTuple):
    """A text, and all that it may be."""

    text: str
    number: Decimal | None
    version: tuple[Any, ...] | None
    is_version: bool
    """Whether it is a version and nothing else: with a `v` in front, two dots or more, or a hyphen."""
    period: Period | None
    year: Period | None


def compared(value: Value, literal: Value) -> int | None:
    """Less than, equal to or greater than 0 as the value is beside a literal; None if they cannot be compared.

    A literal may be less exact than the value: a day is equal to each of its hours.
    """
    if value.number is not None and literal.number is not None:
        return order_of(value.number, literal.number)
    if (value.is_version or literal.is_version) and value.version and literal.version:
        return order_of(value.version, literal.version)
    own, period = value.period or value.year, literal.period or literal.year
    if own and period:
        return -1 if own.start < period.start else int(own.start >= period.end)
    if literal.number is None and not literal.is_version and literal.period is None:
        return order_of(value.text, literal.text)
    return 0 if value.text == literal.text else None


def order_of(one: Any, other: Any) -> int:
    return int(operator.gt(one, other)) - int(operator.lt(one, other))


@lru_cache(maxsize=4096)
def as_value(text: str) -> Value:
    """What a folded text may be."""
    version, is_version = _version(text)
    period = _period(text)
    year = _years(int(text)) if _YEAR.fullmatch(text) else None
    return Value(text, _number(text), version, is_version and period is None, period, year)


def _number(text: str) -> Decimal | None:
    if len(text) > _MAX_NUMBER_CHARS or not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _version(text: str) -> tuple[tuple[Any, ...] | None, bool]:
    """Its parts, and whether it can be nothing but a version. One before a release is less than that."""
    match = _VERSION.fullmatch(text) if len(text) <= _MAX_NUMBER_CHARS else None
    if match is None:
        return None, False
    mark, numbers, early = match.groups()
    parts = [int(number) for number in numbers.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    stage = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in early.split(".")] if early else []
    is_version = bool(mark or early or numbers.count(".") > 1)
    return (parts, not early, stage), is_version


def _period(text: str) -> Period | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        on_clock = f"{hour or '00'}:{minute or '00'}:{second or '00'}.{(fraction or '').ljust(6, '0')}"
        start = datetime.fromisoformat(f"{year}-{month}-{day or '01'}T{on_clock}+00:00") - _offset(zone)
        return Period(start, _end(start, day, hour, second, fraction))
    except (ValueError, OverflowError):
        return None


def _end(start: datetime, day: str | None, hour: str | None, second: str | None, fraction: str | None) -> datetime:
    if not day:
        return (start + timedelta(days=31)).replace(day=1)
    if not hour:
        return start + timedelta(days=1)
    if fraction:
        return start + timedelta(microseconds=1)
    return start + (timedelta(seconds=1) if second else timedelta(minutes=1))


def _years(year: int) -> Period:
    return Period(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))


def _offset(zone: str | None) -> timedelta:
    """A time without a zone is taken as one of UTC, on every machine."""
    if not zone or zone == "z":
        return timedelta()
    sign = -1 if zone[0] == "-" else 1
    return sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))

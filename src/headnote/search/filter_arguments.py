"""Filters as people write them → `Filter`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from numbers import Real
from typing import Any

from headnote.arguments import check_types, strings
from headnote.errors import SettingsError
from headnote.search.filter_language import MOST_CONDITIONS, read_requirement
from headnote.search.options import Recency
from headnote.store.filters import Filter, field_text, folded
from headnote.store.requirements import FieldIs, Requirement, all_of, conditions, leaves
from headnote.store.values import as_value

_AGO = re.compile(r"([0-9]{1,6})\s*([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}
_LONGEST_AGO = 9e9
"""Seconds before and after 1970 that a store can hold."""
MOST_VALUES = 1_000
"""That the values of a field are compared with, of all conditions together."""


Where = Mapping[str, Any] | str | Sequence[str] | None
"""A filter of the frontmatter: fields with their values, or conditions such as `version >= 2`, which must all hold."""


def read_filter(
    path: str | Iterable[str] | None,
    tags: str | Iterable[str] | None,
    where: Where,
    since: datetime | float | str | None,
) -> Filter:
    """The filter for the arguments of `Index.search`."""
    check_types(where=(where, Mapping | str | Sequence | None), since=(since, datetime | Real | str | None))
    fields, must = _read_where(where)
    only = Filter(strings("path", path), strings("tags", tags), fields, _nanoseconds(since), must)
    _check_size(only)
    return only


def _check_size(only: Filter) -> None:
    """Raise if a filter asks more than people and programs do, in how many pieces ever it is given."""
    parts = list(leaves(only.must))
    if len(only.tags) + len(only.where) + len(parts) > MOST_CONDITIONS:
        raise SettingsError(f"more than {MOST_CONDITIONS} tags and conditions", remedy="write field in (a, b, c)")
    if sum(len(part.values) for part in parts if isinstance(part, FieldIs)) > MOST_VALUES:
        raise SettingsError(f"more than {MOST_VALUES:,} values in conditions", remedy="compare with fewer")


def _read_where(where: Where) -> tuple[tuple[tuple[str, str], ...], Requirement | None]:
    """Fields with values that are compared as text, and what else must hold."""
    if isinstance(where, Mapping):
        return tuple(sorted((_field_name(name), _field_value(name, value)) for name, value in where.items())), None
    return read_conditions(strings("where", where), "where")


def read_conditions(texts: Iterable[str], place: str = "") -> tuple[tuple[tuple[str, str], ...], Requirement | None]:
    """Conditions as people write them. A field that equals a text is a pair, and may be given once."""
    fields: dict[str, str] = {}
    must: list[Requirement] = []
    given: set[str] = set()
    for text in texts:
        for condition in conditions(read_requirement(text, place)):
            if isinstance(condition, FieldIs) and condition.sign == "=":
                if condition.field in given:
                    raise SettingsError(f"{condition.field} is given twice", path=place, remedy="keep one of them")
                given.add(condition.field)
            if pair := _pair(condition):
                fields[pair[0]] = pair[1]
            else:
                must.append(condition)
    return tuple(sorted(fields.items())), all_of(must)


def _pair(condition: Requirement) -> tuple[str, str] | None:
    """A field and the text it equals. A number or a date equals other texts, too."""
    if not isinstance(condition, FieldIs) or condition.sign != "=" or len(condition.values) > 1:
        return None
    value = as_value(folded(condition.values[0]))
    is_text = condition.is_text or (value.number is None and not value.is_version and value.period is None)
    return (condition.field, condition.values[0]) if is_text else None


def _field_name(name: object) -> str:
    check_types(**{"a name in where": (name, str)})
    return str(name)


def _field_value(name: str, value: object) -> str:
    check_types(**{f"where[{name!r}]": (value, str | bool | Real | date | time)})
    if isinstance(value, Real) and math.isnan(value):
        raise SettingsError(f"where[{name!r}] is not a number", remedy="give a value: nothing equals NaN")
    return field_text(value)


def _nanoseconds(since: datetime | float | str | None) -> int | None:
    if since is None:
        return None
    moment = read_since(since) if isinstance(since, str) else since
    seconds = moment.timestamp() if isinstance(moment, datetime) else moment
    if math.isnan(seconds):
        raise SettingsError("since is not a number", remedy="give seconds since 1970")
    return int(min(max(seconds, -_LONGEST_AGO), _LONGEST_AGO) * 1e9)


def read_since(text: str, now: datetime | None = None, place: str = "") -> datetime:
    """A time from `7d`, `12h`, `2w`, `1y` or a date with or without a time, in local time if there is no zone.

    `place` names the option in errors.
    """
    now = now or datetime.now().astimezone()
    if ago := _AGO.fullmatch(text.strip().lower()):
        try:
            return now - int(ago[1]) * _UNITS[ago[2]]
        except OverflowError:
            return datetime.fromtimestamp(0, now.tzinfo)
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise SettingsError(
            f"{text!r} is not a time", path=place, remedy="write a date such as 2026-03-01, or 7d, 12h, 2w, 1y"
        ) from None


def read_recency(text: str, place: str = "") -> Recency:
    """`30` is a half-life in days, `steps` a bonus for the last week and month, `0` no bonus."""
    if text == "steps":
        return {"recency_steps": True}
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < math.inf:
        raise SettingsError(f"{text!r} is not a number of days", path=place, remedy="give days, or steps")
    return {"recency_days": days, "recency_steps": False}

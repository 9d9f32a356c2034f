"""A search and its options, checked when it is built."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, get_args

from headnote.arguments import check_types, strings
from headnote.errors import SettingsError
from headnote.search.contexts import NO_CONTEXTS, Contexts
from headnote.search.filter_language import MOST_CONDITIONS, read_requirement
from headnote.store.filters import FieldIs, Filter, Requirement, all_of, conditions, field_text, folded, leaves
from headnote.words.values import as_value

Mode = Literal["hybrid", "semantic", "keyword"]
MODES: tuple[Mode, ...] = get_args(Mode)
Fusion = Literal["weighted", "rrf"]
FUSIONS: tuple[str, ...] = get_args(Fusion)
Expand = Literal["none", "neighbours", "section", "linked"]
EXPANSIONS: tuple[str, ...] = get_args(Expand)


EVERYTHING = Filter()
HITS = 10
"""Of a search, unless somebody says otherwise."""


LONGEST_QUERY = 10_000
"""Characters, on every surface. The work that a query makes grows with them."""


def check_length(text: str) -> None:
    """Raise if a query is longer than any that is read."""
    if len(text) > LONGEST_QUERY:
        remedy = f"give the {LONGEST_QUERY:,} that say most"
        raise SettingsError(f"the query has {len(text):,} characters", remedy=remedy)


@dataclass(frozen=True, slots=True)
class Query:
    """One search."""

    text: str
    """The words that are looked for. If there are none, the filter says which documents are listed."""
    limit: int = HITS
    """Hits at most."""
    mode: Mode = "hybrid"
    fusion: Fusion = "weighted"
    """How two rankings become one: by weighted scores, or by reciprocal ranks."""
    only: Filter = EVERYTHING
    """The chunks that are searched."""
    per_document: int = 0
    """Hits of one document at most; 0 for any number."""
    min_score: float | None = None
    """Hits that score less are left out. If None, there are no hits unless the best one is relevant."""
    budget: int = 0
    """Tokens of all hits together; 0 for any number. The first hit always fits."""
    recency_days: float = 0.0
    """Half-life of the bonus for recent files, in days; 0 for none."""
    recency_steps: bool = False
    """A bonus in steps instead: for the last week, and a smaller one for the last month."""
    expand: Expand = "none"
    """What comes with a hit: the chunks around it, its whole section, or what it links to."""
    phrases: tuple[str, ...] = ()
    """What the filter demands word by word. A passage that has it is relevant, whatever its score."""

    contexts: Contexts = NO_CONTEXTS
    """What is said about folders and documents."""

    @property
    def is_list(self) -> bool:
        """Whether there is nothing to rank by."""
        return not self.text.strip() and not self.only.passes_all

    @property
    def has_recency(self) -> bool:
        return bool(self.recency_days or self.recency_steps)

    def __post_init__(self) -> None:
        check_types(
            query=(self.text, str),
            limit=(self.limit, Integral),
            per_document=(self.per_document, Integral),
            min_score=(self.min_score, Real | None),
            budget=(self.budget, Integral),
            recency_days=(self.recency_days, Real),
            recency_steps=(self.recency_steps, bool),
        )
        check_length(self.text)
        if self.mode not in MODES:
            raise SettingsError(f"unknown mode {self.mode!r}", remedy=f"use {', '.join(MODES)}")
        if self.fusion not in FUSIONS:
            raise SettingsError(f"unknown fusion {self.fusion!r}", remedy=f"use {', '.join(FUSIONS)}")
        if self.expand not in EXPANSIONS:
            raise SettingsError(f"unknown expansion {self.expand!r}", remedy=f"use {', '.join(EXPANSIONS)}")
        if self.recency_days and self.recency_steps:
            raise SettingsError("recency in days and in steps", remedy="choose one of them")
        if self.limit < 1:
            raise SettingsError(f"limit {self.limit} is too small", remedy="give 1 or more")
        for name in ("per_document", "budget", "recency_days", "min_score"):
            number = getattr(self, name) or 0
            if number < 0 or math.isnan(number):
                raise SettingsError(f"{name} {number} is not 0 or more", remedy="leave it out, or give more")


# -- The options that `Index.search` and its relatives take by keyword, for type checkers.


class Recency(TypedDict, total=False):
    """The bonus for recent files."""

    recency_days: float | None
    recency_steps: bool | None


class SearchOptions(Recency, total=False):
    """What `Index.search` takes besides the query, `limit` and `mode`; a test keeps them equal."""

    path: str | Sequence[str] | None
    roots: str | Sequence[str] | None
    tags: str | Sequence[str] | None
    where: Mapping[str, Any] | str | Sequence[str] | None
    since: datetime | float | str | None
    per_document: int | None
    min_score: float | None
    budget: int | None
    expand: Expand | None
    fusion: Fusion | None
    literal: bool


# -- Filters as people write them → `Filter`.


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

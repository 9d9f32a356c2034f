"""A search, the table of its options, and how they are read.

**A new option is a line of `OPTIONS`**, which says its type, bounds, default and words. The flag, the parameter of HTTP
and its schema, the pages of the docs and every check are made from it. Beside it stand an argument of `Index.search`,
for editors, with its type in `SearchOptions`; and the place that uses it, a field of `Query`. One that a folder may set
is a field of `SearchSettings`, too. A test compares all of them, and CONTRIBUTING.md walks through one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypedDict, cast, get_args, get_origin

from headnote.arguments import check_types, strings
from headnote.errors import SettingsError
from headnote.search.filter_language import MAX_CONDITIONS, read_requirement
from headnote.search.ranking import NO_CONTEXTS, Contexts
from headnote.store.filters import (
    DatedAt,
    FieldIs,
    Filter,
    HasTag,
    InPath,
    Requirement,
    all_of,
    conditions,
    field_text,
    folded,
    leaves,
)
from headnote.words.values import as_value

Mode = Literal["hybrid", "semantic", "keyword"]
MODES: tuple[Mode, ...] = get_args(Mode)
Fusion = Literal["weighted", "rrf"]
Expand = Literal["none", "neighbours", "section", "linked", "auto"]
Names = str | Sequence[str] | None
"""One or several."""
Text = str | None
"""What may be as long as a query."""
Where = Mapping[str, Any] | str | Sequence[str] | None
"""A filter of the frontmatter: fields with their values, or conditions such as `version >= 2`, which must all hold."""
Since = datetime | float | str | None
Between = str | None

EVERYTHING = Filter()
HITS = 10
"""Default number of hits of a search."""
AGENT_HITS = 5
"""Default number of hits for an agent."""

MAX_PHRASINGS = 6
"""Maximum phrasings of one question, the question itself included. Each is a search."""
MAX_QUERY_CHARS = 10_000
"""Maximum characters of a query, on every surface: the work that it makes grows with them."""


def check_length(text: str) -> None:
    """Raise if a query is longer than any that is read."""
    if len(text) > MAX_QUERY_CHARS:
        remedy = f"keep the {MAX_QUERY_CHARS:,} that say most"
        raise SettingsError(f"the query has {len(text):,} characters", remedy=remedy)


def other_phrasings(query: str, queries: Names) -> tuple[str, ...]:
    """The phrasings of a query besides itself, each once."""
    others = dict.fromkeys(text.strip() for text in strings("queries", queries))
    for known in ("", query.strip()):
        others.pop(known, None)
    if len(others) >= MAX_PHRASINGS:
        raise SettingsError(f"more than {MAX_PHRASINGS} phrasings", remedy="give those that differ most")
    for text in others:
        check_length(text)
    return tuple(others)


# -- The table of options.


class SearchOption(NamedTuple):
    """An option of a search: what it may be, and what each surface says about it."""

    name: str
    """As `Index.search` calls it."""
    kind: Any
    """Its type: a number, a switch, one of some words, or what people write in filters."""
    help: str
    """For the docs, and for surfaces that have no words of their own."""
    default: Any = None
    """The value if neither the caller nor `[search]` gives one."""
    least: int | None = None
    most: int | None = None
    """Maximum for strangers, over HTTP and through an agent."""
    flag: str | None = ""
    """What the help of a command says; None if it has no flag."""
    metavar: str = "N"
    flags: tuple[str, ...] = ()
    """Names of its flag, if they differ from its own."""
    http: str | None = ""
    """What the description of HTTP says; None if it has no parameter."""
    parameter: str = ""
    """Name of its parameter, if it differs from its own."""
    agent: str = ""
    """What an agent is told, if it has the option."""

    @property
    def words(self) -> tuple[str, ...]:
        """The possible values, if they can be listed."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def spelled(self) -> str:
        """`--per-document`, as errors name it."""
        return self.flags[0] if self.flags else f"--{self.name.replace('_', '-')}"


_USUAL = "by default, as the folder is configured"

_TABLE = (
    SearchOption(
        "limit",
        int,
        f"Maximum number of hits. By default {HITS}; an agent gets {AGENT_HITS}.",
        default=HITS,
        least=1,
        most=50,
        flag=f"Maximum number of passages; {HITS} by default.",
        flags=("--limit", "-n"),
        http=f"Maximum number of hits; {_USUAL}.",
        agent=f"Maximum number of passages; {AGENT_HITS} unless the folder is configured otherwise.",
    ),
    SearchOption(
        "mode",
        Mode,
        "`hybrid` searches by keyword and by meaning, `keyword` and `semantic` by one of them.",
        default="hybrid",
        flag="hybrid, semantic or keyword; hybrid by default.",
        metavar="MODE",
        http=f"By words, by meaning, or both; {_USUAL}.",
        agent="By words, by meaning, or both; as the folder is configured.",
    ),
    SearchOption(
        "path",
        Names,
        "Globs of documents; one must match.",
        flag="Only documents that match; repeatable.",
        metavar="GLOB",
        http="Only documents that match one of these globs.",
        agent="Only documents that match this glob, or one of these, such as docs/**.",
    ),
    SearchOption(
        "roots",
        Names,
        "Names of folders, if the index has several; globs then count from there.",
        flag="Only this folder of an index of several; repeatable.",
        metavar="NAME",
        flags=("--in",),
        http="Only these folders of an index of several, by name.",
        parameter="root",
        agent="Only this folder, or these, by name; `status` lists them.",
    ),
    SearchOption(
        "tags",
        Names,
        "Tags that the document must all have, in its frontmatter or anywhere in its text.",
        flag="Only documents with this tag; repeatable.",
        metavar="TAG",
        flags=("--tag",),
        http="Only documents with all of these tags.",
        parameter="tag",
        agent="Only documents with this tag, or with all of these.",
    ),
    SearchOption(
        "where",
        Where,
        "Frontmatter field → value, `a.b` being field `b` in `a`; or conditions such as `version >= 2`.",
        flag="Only documents whose frontmatter satisfies it: status=draft, 'version >= 2', 'tags in (a, b)'; "
        "repeatable.",
        metavar="CONDITION",
        http="Only documents whose frontmatter satisfies all of these.",
        agent="Only documents with this frontmatter: version >= 2 and status != draft, or fields with values.",
    ),
    SearchOption(
        "since",
        Since,
        "Only documents changed since then: a time, a date, or `7d` ago.",
        flag="Only documents changed since a date, or within 12h, 7d, 2w, 1y.",
        metavar="DATE|7d",
        http="Only documents changed since: a date, a time, or 12h, 7d, 2w, 1y ago.",
        agent="Only documents changed since: a date, or 12h, 7d, 2w, 1y.",
    ),
    SearchOption(
        "before",
        Since,
        "Only documents changed before then, and not later.",
        flag="Only documents last changed before a date, or more than 7d ago.",
        metavar="DATE|7d",
        http="Only documents last changed before: a date, a time, or 12h, 7d, 2w, 1y ago.",
    ),
    SearchOption(
        "between",
        Between,
        "Only documents last changed in a year, month, day or range: `2026-03`, `2026-03-01..2026-04`.",
        flag="Only documents last changed in a year, month or day, or from one to another: 2026-03, 2026-01..2026-03.",
        metavar="FROM..TO",
        http="Only documents last changed in a year, month or day, or from one to another: 2026-01..2026-03.",
        agent="Only documents last changed in a year, month or day, or from one to another: 2026-01..2026-03.",
    ),
    SearchOption(
        "per_document",
        int,
        "Maximum number of hits per document; 0 for no limit.",
        default=0,
        least=0,
        most=1_000_000,
        flag="Maximum passages per document; 0 for no limit.",
        http="Maximum hits per document; 0 for no limit.",
    ),
    SearchOption(
        "min_score",
        float,
        "Minimum score of a hit; 0 shows the nearest in any case. By default the best must be relevant.",
        least=0,
        most=1000,
        flag="Minimum score; 0 also shows passages that are not relevant.",
        metavar="SCORE",
        http="Leave out hits that score less.",
    ),
    SearchOption(
        "budget",
        int,
        "Maximum tokens of all hits together; 0 for no limit.",
        default=0,
        least=0,
        most=1_000_000,
        flag="Maximum tokens of all passages together; 0 for no limit.",
        metavar="TOKENS",
    ),
    SearchOption(
        "recency_days",
        float,
        "Half-life of the bonus for recent files, in days; 0 for none.",
        default=0.0,
        least=0,
        most=1_000_000,
        flag=None,
    ),
    SearchOption(
        "recency_steps",
        bool,
        "A bonus in steps instead, for the last week and month: the default of the preset `ragdocs`.",
        default=False,
        flag=None,
        http=None,
    ),
    SearchOption(
        "recency",  # of surfaces where people write: it means one of the two above
        str,
        "A boost for recent files: its half-life in days, `steps`, or `0` for none. By default the preset decides: "
        "`ragdocs` uses steps, the others none.",
        default="",
        flag="Boost recent files, with a half-life in days or in steps.",
        metavar="DAYS|steps",
        http="A half-life in days, or steps.",
    ),
    SearchOption(
        "expand",
        Expand,
        "Text to add around hits: `none`, `neighbours`, `section`, `linked`; `auto` joins hits of a section.",
        default="none",
        flag="Add text around each passage: none, neighbours, section, linked or auto.",
        metavar="WHAT",
    ),
    SearchOption(
        "fusion",
        Fusion,
        "How `hybrid` merges its two rankings: `weighted` adds scores, `rrf` adds reciprocal ranks.",
        default="weighted",
        flag="How hybrid merges its rankings: weighted (by score) or rrf (by reciprocal rank).",
        metavar="HOW",
        http="How two rankings become one: by scores, or by reciprocal ranks.",
    ),
    SearchOption(
        "literal",
        bool,
        "Whether the query is ordinary text as it is typed: without operators, and no word is corrected.",
        default=False,
        flag="Take the query as ordinary text: without quotes, -word, title: or OR, and without corrections.",
        flags=("--plain",),
        http="Take the query as ordinary text: without operators and corrections.",
        agent="Take the query as it is: no operators, no word corrected. For pasted errors.",
    ),
    SearchOption(
        "queries",
        Names,
        f"Other phrasings of the query, as ordinary text; at most {MAX_PHRASINGS - 1}. Hits answer all of them.",
        default=(),
        flag="Another phrasing of the query; repeatable.",
        metavar="TEXT",
        flags=("--query",),
        http="Other phrasings of the query, as ordinary text.",
        parameter="query",
        agent=f"The same question in other words, at most {MAX_PHRASINGS - 1}: what else the documents may call it.",
    ),
    SearchOption(
        "passage",
        Text,
        "A made-up answer; finds passages like it, by meaning only.",
        default="",
        metavar="TEXT",
        agent="An answer as you would expect it in the documents, made up: passages like it count, by meaning only.",
    ),
)

OPTIONS: dict[str, SearchOption] = {option.name: option for option in _TABLE}


# -- Their types by keyword, for type checkers and editors.


class SearchOptions(TypedDict, total=False):
    """What `Index.search` takes besides the query, `limit` and `mode`; a test keeps them equal."""

    path: Names
    roots: Names
    tags: Names
    where: Where
    since: Since
    before: Since
    between: Between
    per_document: int | None
    min_score: float | None
    budget: int | None
    recency_days: float | None
    recency_steps: bool | None
    expand: Expand | None
    fusion: Fusion | None
    literal: bool
    queries: Names
    passage: Text


class SearchArguments(SearchOptions, total=False):
    """All that it takes besides the query."""

    limit: int | None
    mode: Mode | None


DATES = ("since", "before", "between")
"""Options that ask when documents were changed."""
FILTERS = ("path", "roots", "tags", "where", *DATES)
"""Options that say which documents are searched."""


# -- What a folder may set, and the search.


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The options of a search that a folder may set, in the order in which they are shown."""

    limit: int | None = None
    mode: Mode = OPTIONS["mode"].default
    fusion: Fusion = OPTIONS["fusion"].default
    recency: str = OPTIONS["recency"].default
    min_score: float | None = OPTIONS["min_score"].default
    per_document: int = OPTIONS["per_document"].default
    expand: Expand = OPTIONS["expand"].default
    budget: int = OPTIONS["budget"].default


@dataclass(frozen=True, slots=True)
class Query:
    """One search. Its options are those of the table."""

    text: str
    """The words that are looked for. If there are none, the filter says which documents are listed."""
    limit: int = HITS
    mode: Mode = OPTIONS["mode"].default
    fusion: Fusion = OPTIONS["fusion"].default
    only: Filter = EVERYTHING
    """The chunks that are searched."""
    per_document: int = OPTIONS["per_document"].default
    min_score: float | None = OPTIONS["min_score"].default
    """If None, there are no hits unless the best one is relevant."""
    budget: int = OPTIONS["budget"].default
    """The first hit always fits."""
    recency_days: float = OPTIONS["recency_days"].default
    recency_steps: bool = OPTIONS["recency_steps"].default
    expand: Expand = OPTIONS["expand"].default
    literal: bool = OPTIONS["literal"].default
    """Whether words are as they are typed, and none is corrected."""
    queries: tuple[str, ...] = OPTIONS["queries"].default
    """Other phrasings, which have no operators."""
    passage: str = OPTIONS["passage"].default
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
        check_types(query=(self.text, str), **{name: (getattr(self, name), kind) for name, kind in _KINDS.items()})
        for text in (self.text, self.passage):
            check_length(text)
        for option in _OF_QUERY:
            value = getattr(self, option.name)
            if option.words and value not in option.words:
                raise _unknown(_NOUNS.get(option.name, option.name), value, option.words)
            if option.least is not None:
                _check_least(option.name, value or 0, option.least)
        if self.recency_days and self.recency_steps:
            raise SettingsError("recency_days and recency_steps are exclusive", remedy="choose one of them")


_OF_QUERY = [option for option in _TABLE if option.name in Query.__slots__]
_NUMBERS = {int: Integral, float: Real}
_KINDS = {
    one.name: _NUMBERS.get(one.kind, one.kind) if one.default is not None else Real | None
    for one in _OF_QUERY
    if not one.words and one.kind is not Names
}
_NOUNS = {"expand": "expansion"}


def _unknown(noun: str, value: object, known: Sequence[str], place: str = "") -> SettingsError:
    return SettingsError(f"unknown {noun} {value!r}", path=place, remedy=f"use {', '.join(known)}")


def _check_least(name: str, number: float, least: int) -> None:
    if number >= least:  # never true of NaN
        return
    remedy = f"give {least} or more" if least else "leave it out, or give more"
    raise SettingsError(f"{name} must be {least} or more, not {number}", remedy=remedy)


# -- Options as people write them → arguments of `Index.search`.


def read_options(written: Mapping[str, Any], spelled: Callable[[str], str] = str) -> SearchArguments:
    """The arguments of a search from what a surface was given: there a time and a boost are text. `spelled` says how
    an option is called there, for errors."""
    for option in (OPTIONS[name] for name, value in written.items() if value is not None):
        if option.words and written[option.name] not in option.words:
            raise _unknown(option.name, written[option.name], option.words, spelled(option.name))
    given = dict(written)
    recency = given.pop("recency", None)
    if recency is not None and given.get("recency_days") is not None:
        raise SettingsError("recency and recency_days are both given", remedy="keep one of them")
    _read_where(given.get("where"), spelled("where"))  # here its place is known
    for name in ("since", "before"):
        if given.get(name) is not None:
            given[name] = read_time(given[name], place=spelled(name))
    if given.get("between") is not None:
        read_between(given["between"], spelled("between"))  # here its place is known
    if recency is not None:
        given |= read_recency(recency, spelled("recency"))
    return cast("SearchArguments", given)


def with_settings(given: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a `Query`: what the call says, else what `[search]` says. What is None has its default."""
    days, steps = given.get("recency_days"), given.get("recency_steps")
    said = {name: value for name, value in given.items() if name not in FILTERS and value is not None}
    if days is None and steps is None:
        said |= read_recency(settings["recency"])
    usual = {name: value for name, value in settings.items() if name != "recency" and value is not None}
    return usual | said


# -- Filters as people write them → `Filter`.


_AGO = re.compile(r"([0-9]{1,6})\s*([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}
_MAX_DAYS_AGO = 9e9
"""Seconds before and after 1970 that a store can hold."""
MAX_VALUES = 1_000
"""Maximum values to compare fields with, in all conditions together."""


def read_filter(
    path: str | Iterable[str] | None,
    tags: str | Iterable[str] | None,
    where: Where,
    since: Since = None,
    before: Since = None,
    between: Between = None,
) -> Filter:
    """The filter for the arguments of `Index.search`."""
    time = datetime | Real | str | None
    check_types(where=(where, Mapping | str | Sequence | None), since=(since, time), before=(before, time))
    check_types(between=(between, str | None))
    asked, named, globs = _read_where(where), list(map(HasTag, strings("tags", tags))), strings("path", path)
    _check_size(named, asked)
    paths = InPath(globs) if globs else None
    return Filter(all_of([paths, *named, asked.chosen, *_dated(since, before, between)]), asked.must)


def _dated(since: Since, before: Since, between: Between) -> Iterator[DatedAt]:
    first, last = (None, None) if between is None else read_between(between)
    for moment in (since, first):
        if moment is not None:
            yield DatedAt(">=", _nanoseconds(moment, "since"))
    for moment in (before, last):
        if moment is not None:
            yield DatedAt("<", _nanoseconds(moment, "before"))


def _check_size(tags: Sequence[HasTag], asked: Filter) -> None:
    """Raise if a filter asks for more than people and programs do, however many pieces it comes in."""
    parts = list(leaves(asked.must))
    if len(tags) + len(conditions(asked.chosen)) + len(parts) > MAX_CONDITIONS:
        raise SettingsError(f"more than {MAX_CONDITIONS} tags and conditions", remedy="write field in (a, b, c)")
    if sum(len(part.values) for part in parts if isinstance(part, FieldIs)) > MAX_VALUES:
        raise SettingsError(f"more than {MAX_VALUES:,} values in conditions", remedy="compare with fewer")


def _read_where(where: Where, place: str = "where") -> Filter:
    """Fields with values that are compared as text, and what else must hold."""
    if isinstance(where, Mapping):
        pairs = sorted((_field_name(name), _field_value(name, value)) for name, value in where.items())
        return Filter(all_of(FieldIs(name, "=", (value,), is_text=True) for name, value in pairs))
    return read_conditions(strings("where", where), place)


def read_conditions(texts: Iterable[str], place: str = "") -> Filter:
    """Conditions as people write them. A field that equals a text may be given once, and can be taken away again."""
    equal: dict[str, FieldIs] = {}
    must: list[Requirement] = []
    given: set[str] = set()
    for text in texts:
        for condition in conditions(read_requirement(text, place)):
            if isinstance(condition, FieldIs) and condition.sign == "=":
                if condition.field in given:
                    raise SettingsError(f"{condition.field} is given twice", path=place, remedy="keep one of them")
                given.add(condition.field)
                if _is_text(condition):
                    equal[condition.field] = replace(condition, is_text=True)
                    continue
            must.append(condition)
    return Filter(all_of(equal[field] for field in sorted(equal)), all_of(must))


def _is_text(equal: FieldIs) -> bool:
    """Whether a field equals one text. A number or a date equals other texts, too."""
    if len(equal.values) > 1:
        return False
    value = as_value(folded(equal.values[0]))
    return equal.is_text or (value.number is None and not value.is_version and value.period is None)


def _field_name(name: object) -> str:
    check_types(**{"a name in where": (name, str)})
    return str(name)


def _field_value(name: str, value: object) -> str:
    check_types(**{f"where[{name!r}]": (value, str | bool | Real | date | time)})
    if isinstance(value, Real) and math.isnan(value):
        raise SettingsError(f"where[{name!r}] is not a number", remedy="give a value: nothing equals NaN")
    return field_text(value)


def _nanoseconds(written: datetime | float | str, name: str) -> int:
    moment = read_time(written) if isinstance(written, str) else written
    seconds = moment.timestamp() if isinstance(moment, datetime) else moment
    if math.isnan(seconds):
        raise SettingsError(f"{name} is not a number", remedy="give seconds since 1970")
    return int(min(max(seconds, -_MAX_DAYS_AGO), _MAX_DAYS_AGO) * 1e9)


_DAYS_AGO = {"today": 0, "yesterday": 1}
_MONTH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


def read_between(text: str, place: str = "") -> tuple[datetime | None, datetime | None]:
    """The start of the first year, month or day, and the end of the last, in local time. One may be left out."""
    first, dots, last = text.partition("..")
    last = last if dots else first
    start = _day_or_more(first, place).first if first.strip() or not last.strip() else None
    end = _day_or_more(last, place).last if last.strip() else None
    if start and end and end <= start:
        raise SettingsError(f"{text!r} ends before it begins", path=place, remedy="write the earlier date first")
    return start, end


class _Days(NamedTuple):
    """A day, a month or a year."""

    first: datetime
    last: datetime
    """Where the next one begins."""


def _day_or_more(text: str, place: str, now: datetime | None = None) -> _Days:
    try:
        if month := _MONTH.fullmatch(text.strip()):
            year, number = int(month[1]), int(month[2] or 1)
            after = date(year + 1, 1, 1) if not month[2] or number == 12 else date(year, number + 1, 1)
            return _Days(_midnight(date(year, number, 1)), _midnight(after))
        ago = _DAYS_AGO.get(text.strip().lower())
        today = (now or datetime.now().astimezone()).date()
        day = date.fromisoformat(text.strip()) if ago is None else today - timedelta(days=ago)
        return _Days(_midnight(day), _midnight(day + timedelta(days=1)))
    except (ValueError, OverflowError, OSError):
        remedy = "write 2026, 2026-03, 2026-03-01, or two of them as 2026-01..2026-03"
        raise SettingsError(f"{text!r} is not a year, a month or a day", path=place, remedy=remedy) from None


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()


def read_time(text: str, now: datetime | None = None, place: str = "") -> datetime:
    """A time from `7d`, `12h`, `2w`, `1y`, a date with or without a time, in local time if there is no zone, or the
    beginning of a month, a year, today or yesterday.

    `place` names the option in errors.
    """
    now = now or datetime.now().astimezone()
    if ago := _AGO.fullmatch(text.strip().lower()):
        try:
            return now - int(ago[1]) * _UNITS[ago[2]]
        except OverflowError:
            return datetime.fromtimestamp(0, now.tzinfo)
    if text.strip().lower() in _DAYS_AGO or _MONTH.fullmatch(text.strip()):
        return _day_or_more(text, place, now).first
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise SettingsError(
            f"{text!r} is not a time", path=place, remedy="write a date such as 2026-03-01, or 7d, 12h, 2w, 1y"
        ) from None


def read_recency(text: str, place: str = "") -> SearchOptions:
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

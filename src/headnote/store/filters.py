"""Which chunks a search may consider: by path, tag, field of the frontmatter, and time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any, Literal, NamedTuple

from headnote.sources.ignore import NeverMatches, glob_regex
from headnote.words.values import as_value, compared, order_of

# -- What a passage must satisfy, as a tree. The language of queries and that of filters become this, and every store
# selects chunks by it.


Sign = Literal["=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class HasWord:
    """A word in the text, the headings, the title, the aliases, the tags or the file name, in any of its forms."""

    word: str


@dataclass(frozen=True, slots=True)
class HasPhrase:
    """Words that follow each other in the text, a heading or the title, as they are written but for their case."""

    phrase: str


@dataclass(frozen=True, slots=True)
class TitleHas:
    """A word in the title of the document, in any of its forms; a phrase, if that is asked for."""

    words: str
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class InPath:
    """The path of the document fits one of these globs, read as in an ignore file: without a slash, the name of a file
    or folder at any depth; a folder stands for all that lies below it."""

    globs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasTag:
    """A tag of the document, in its frontmatter or its text, or one below it: `area` is satisfied by `area/network`. An
    empty one stands for any tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class FieldIs:
    """A value of the field compares so with one of these. `a.b` is field `b` in `a`; of a list, one value is enough."""

    field: str
    sign: Sign
    values: tuple[str, ...]
    is_text: bool = False
    """Whether the values are text, even where they look like a number or a date."""


@dataclass(frozen=True, slots=True)
class FieldExists:
    """The field has a value."""

    field: str


@dataclass(frozen=True, slots=True)
class DatedAt:
    """The document was changed at this time or after it; or before it."""

    sign: Literal[">=", "<"]
    time_ns: int
    """Nanoseconds since 1970."""


@dataclass(frozen=True, slots=True)
class All:
    """Each part holds."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One part holds, or several."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Requirement


Requirement = HasWord | HasPhrase | TitleHas | InPath | HasTag | FieldIs | FieldExists | DatedAt | All | Either | Not


def all_of(parts: Iterable[Requirement | None]) -> Requirement | None:
    """The parts together, without a tree where one of them is all there is."""
    return _joined(All, parts)


def either_of(parts: Iterable[Requirement]) -> Requirement | None:
    return _joined(Either, parts)


def _joined(kind: type[All | Either], parts: Iterable[Requirement | None]) -> Requirement | None:
    flat: dict[Requirement, None] = {}
    for part in parts:
        if part is not None:
            flat.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    return kind(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def is_of_documents(requirement: Requirement) -> bool:
    """Whether a document satisfies it as a whole: either all of its chunks do, or none."""
    return all(not isinstance(leaf, HasWord | HasPhrase) for leaf in leaves(requirement))


def leaves(requirement: Requirement | None) -> Iterator[Requirement]:
    """Its single conditions, in order."""
    if isinstance(requirement, All | Either):
        for part in requirement.parts:
            yield from leaves(part)
    elif isinstance(requirement, Not):
        yield from leaves(requirement.part)
    elif requirement is not None:
        yield requirement


def conditions(requirement: Requirement | None) -> tuple[Requirement, ...]:
    """What must hold, one by one."""
    if requirement is None:
        return ()
    return requirement.parts if isinstance(requirement, All) else (requirement,)


# -- Which chunks a search may consider


MAX_FIELDS = 1000
"""Maximum fields of one document. Frontmatter with more is a table of data, and nobody filters by its cells."""
MAX_VALUE_CHARS = 256
"""Characters of a value that are compared."""


class Filter(NamedTuple):
    """A chunk passes if it satisfies both."""

    chosen: Requirement | None = None
    """What the search is narrowed to: conditions that people add and take away."""
    must: Requirement | None = None
    """What the query itself demands."""

    @property
    def passes_all(self) -> bool:
        return self == Filter()

    @property
    def conditions(self) -> tuple[Requirement, ...]:
        """What must hold, one by one."""
        return (*conditions(self.chosen), *conditions(self.must))


def folded(text: str) -> str:
    """The form in which tags, names of fields and values are compared."""
    return " ".join(text.split()).casefold()[:MAX_VALUE_CHARS]


def folded_tag(tag: str) -> str:
    return folded(tag).lstrip("#").strip("/")


def path_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a path fits one of the globs."""
    matchers = [re.compile(regex, re.DOTALL).fullmatch for regex in filter(None, map(_path_regex, globs))]

    def matches(path: str) -> bool:
        name = _as_bytes(path)
        return any(match(name) for match in matchers)

    return matches


def _as_bytes(path: str) -> bytes:
    """The file name as bytes, as the system has it. A name that no system could have is encoded as well."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")


def _path_regex(glob: str) -> bytes | None:
    glob = glob.removeprefix("./").rstrip("/")
    anywhere = b"" if "/" in glob else b"(?:[^/]*/)*"
    try:
        inner = glob_regex(_as_bytes(glob.removeprefix("/")))
    except NeverMatches:
        return None
    return anywhere + b"(?:" + inner + b")(?:/.*)?"


def flat_fields(metadata: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Every scalar of the frontmatter as (field, value), both folded; nested fields with a dot between their names."""
    fields: set[tuple[str, str]] = set()
    for field in _walk("", metadata):
        fields.add(field)
        if len(fields) == MAX_FIELDS:
            break
    return fields


def _walk(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(f"{name}.{key}" if name else str(key), item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk(name, item)
    else:
        yield folded(name), folded(field_text(value))


def field_text(value: Any) -> str:
    """A value of the frontmatter, or of a filter, as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return "" if value is None else str(value)


_HOLDS: Mapping[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def satisfies(asked: FieldIs) -> Callable[[str], bool]:
    """Whether a value, as it is stored, compares so with one of those that are asked for."""
    holds = _HOLDS[asked.sign]
    literals = [as_value(folded(value)) for value in asked.values]

    def is_satisfied(value: str) -> bool:
        if not value:  # a field without a value is neither less nor greater than any
            return asked.sign == "=" and any(not literal.text for literal in literals)
        if asked.is_text:
            return any(holds(order_of(value, literal.text)) for literal in literals)
        own = as_value(value)
        return any((order := compared(own, literal)) is not None and holds(order) for literal in literals)

    return is_satisfied

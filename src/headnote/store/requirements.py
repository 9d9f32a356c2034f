"""What a passage must satisfy, as a tree. The language of queries and that of filters become this, and every store
selects chunks by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

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
    """The path of the document fits one of these globs."""

    globs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasTag:
    """A tag of the document, in its frontmatter or its text, or one below it. An empty one stands for any tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class FieldIs:
    """A value of the field compares so with one of these. Of a list, one value is enough."""

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


Requirement = HasWord | HasPhrase | TitleHas | InPath | HasTag | FieldIs | FieldExists | All | Either | Not


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
    """Whether all chunks of a document satisfy it, or none."""
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

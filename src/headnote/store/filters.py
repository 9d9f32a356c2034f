"""Which chunks a search may consider: by path, tag, field of the frontmatter, and time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from typing import Any, NamedTuple

from headnote.sources.globs import NeverMatches, glob_regex
from headnote.store.requirements import Requirement

MOST_FIELDS = 1000
"""Of one document. Frontmatter with more is a table of data, and nobody filters by its cells."""
LONGEST_VALUE = 256
"""Characters of a value that are compared."""


class Filter(NamedTuple):
    """A chunk passes if it satisfies every part."""

    paths: tuple[str, ...] = ()
    """Globs, one of which must fit, read as in an ignore file: without a slash, the name of a file or folder at any
    depth; a folder stands for all that lies below it."""
    tags: tuple[str, ...] = ()
    """All of them, of the document or of the chunk itself. `area` is also satisfied by `area/network`."""
    where: tuple[tuple[str, str], ...] = ()
    """Fields of the frontmatter and their values, all of them. `a.b` is field `b` in `a`; of a list, one must fit."""
    since_ns: int | None = None
    """Files changed at or after this time."""
    must: Requirement | None = None
    """What else must hold, as the languages of queries and filters say it."""

    @property
    def passes_all(self) -> bool:
        return self == Filter()


def folded(text: str) -> str:
    """The form in which tags, names of fields and values are compared."""
    return " ".join(text.split()).casefold()[:LONGEST_VALUE]


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
    """As the system names the file. A name that no system could have is encoded too."""
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
        if len(fields) == MOST_FIELDS:
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

"""`[index]`: the settings of an index that are not about chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from headnote.arguments import check_texts, expect, read_whole_number
from headnote.config.ragdocs import with_ragdocs
from headnote.config.tables import Check, LoadedTable, Table, if_said
from headnote.embedding.registry import DEFAULT as DEFAULT_EMBEDDER
from headnote.embedding.registry import leads_out
from headnote.errors import SettingsError
from headnote.formats.kinds import check_format
from headnote.sources.discover import MAX_BYTES
from headnote.store.opening import EMBEDDED, check_schema, check_target, with_schema


def _globs(value: Any) -> tuple[str, ...]:
    return check_texts(value, "a list of globs", 'write ["docs/**"]')


def _formats(value: Any) -> tuple[str, ...]:
    return tuple(check_format(name.strip().lower()) for name in _globs(value))


def _size(value: Any) -> int:
    number = read_whole_number(value) if isinstance(value, str) else value
    is_size = isinstance(number, int) and not isinstance(number, bool) and number > 0
    expect(is_size, value, "a file size", "write bytes, such as 10000000")
    return int(number)


def _embedder(value: Any) -> str:
    expect(isinstance(value, str), value, "an embedder", "write its name, such as instant")
    return str(value)


def _store(value: Any) -> str:
    # The error does not show the value: a URL may contain a password.
    if not isinstance(value, str):
        raise SettingsError("store must be a string", remedy="write sqlite, or the URL of a database")
    check_target(value)
    return value


def _leads_to_database(value: Any) -> bool:
    return isinstance(value, str) and value not in EMBEDDED


def _schema(value: Any) -> str:
    expect(isinstance(value, str), value, "a schema name", "write a string, such as team_docs")
    check_schema(value)
    return str(value)


_GLOBS = Check("globs: a list, or text with commas", _globs)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The settings of an index that are not about chunks."""

    include: Annotated[tuple[str, ...], _GLOBS] = ()
    """Globs; if there are any, a file must match one of them."""
    exclude: Annotated[tuple[str, ...], _GLOBS] = ()
    """Globs of files to leave out, whatever `include` says."""
    formats: Annotated[tuple[str, ...], Check("`html`, `notebook`, `rst`: a list, or text with commas", _formats)] = ()
    """What is read besides Markdown: html, notebook, rst."""
    max_file_bytes: Annotated[int, Check("a whole number, 1 or more", _size)] = MAX_BYTES
    """Larger files are skipped and reported."""
    embedder: Annotated[str, Check("the name of an [embedder](models.md)", _embedder, leads_out)] = DEFAULT_EMBEDDER
    """The embedder: default, instant, deep, minilm, quality, none, openai:MODEL, sentence-transformers:MODEL."""
    store: Annotated[str, Check("`sqlite`, or the URL of a [database](postgres.md)", _store, _leads_to_database)] = (
        field(default="sqlite", repr=False)
    )
    """Where the index is: sqlite for a file in the folder, or the URL of a database, which may contain a password."""
    schema: Annotated[str, Check("lower-case letters, digits and `_`", _schema, if_said)] = ""
    """The database schema of the index; if empty, the one that `store` names, or the name of the folder."""

    @property
    def target(self) -> str:
        """The store with its schema."""
        return with_schema(self.store, self.schema)


INDEX = Table("index", IndexSettings, with_others=with_ragdocs)
INDEX_NAMES = tuple(INDEX.checks)


def load_index_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[IndexSettings]:
    """The settings from `[index]` in the file, and from variables and flags of the same names."""
    loaded = INDEX.load(flags, start, environment)
    if flags.get("schema") and loaded.settings.store in EMBEDDED:
        remedy = "leave it out, or name a database with --store"
        raise SettingsError("a file has no schema", path=loaded.origins["schema"], remedy=remedy)
    return loaded

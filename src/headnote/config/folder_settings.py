"""What the file of a folder sets beside its chunks: `[index]` and `[search]`, and the tables of ragdocs that say which
files are read."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from headnote.arguments import check_switch, check_texts, check_word, expect, read_whole_number, said
from headnote.config.tables import (
    Check,
    Layer,
    LoadedTable,
    SettingEntry,
    SettingsFile,
    Table,
    choice,
    count,
    errors_at,
    if_said,
    nearest_file,
)
from headnote.embedding.registry import DEFAULT as DEFAULT_EMBEDDER
from headnote.embedding.registry import leads_out
from headnote.errors import SettingsError, nearest, shown
from headnote.formats.kinds import check_format, format_of
from headnote.search.query import HITS, OPTIONS, SearchOption, SearchSettings, read_recency
from headnote.search.ranking import RECENCY_OF_PRESET
from headnote.sources.discover import MAX_BYTES
from headnote.sources.files import SUFFIXES
from headnote.store.opening import EMBEDDED, check_schema, check_target, with_schema
from headnote.store.rows import DATE_ORIGINS, DateOrigin

INDEXING = "indexing"
PARSERS = "parsers"

_TEXT = (".txt",)
_SUFFIXES_OF = {"MarkdownParser": tuple(one for one in SUFFIXES if one not in _TEXT), "PlainTextParser": _TEXT}
"""Parser → the endings of the files that are read so here."""

_ONLY_TOP = "*/"
_NOTHING_BUT = ("*", "!*/")
"""Globs of `exclude`: no file, and all folders; `!` brings files back."""

_ELSEWHERE = {
    "index_path": "leave it out: the index is in .headnote of the folder; store in [index] puts it into a database",
    "reconciliation_interval_seconds": "leave it out: files are compared before a search, or as they change",
    "embedding_workers": "leave it out, or use headnote index --workers",
    "chunk_size": "write size in [chunking]",
    "chunk_overlap": "write overlap in [chunking]",
    **{name: f"write {name} in [index]" for name in ("formats", "max_file_bytes", "embedder", "store", "schema")},
}
_KNOWN = ("documents_path", "recursive", "include", "exclude", "exclude_hidden_dirs")


def with_ragdocs(entries: Mapping[str, SettingEntry], start: Path) -> dict[str, SettingEntry]:
    """The entries of `[index]` for documents in `start`, with what the two tables say."""
    file = nearest_file(start)
    if file is None or file.tables.keys().isdisjoint((INDEXING, PARSERS)):
        return dict(entries)
    said = {entry.name: entry for entry in file.entries(INDEXING)}
    for entry in said.values():
        with errors_at(entry):
            _check_ragdocs(entry, file, start)
    parsers = file.entries(PARSERS)
    only_top = [entry for entry in said.values() if entry.name == "recursive" and not entry.value]
    globs = [*_parsed(parsers), *(_ONLY_TOP for _ in only_top)]
    joined = dict(entries) | {name: said[name] for name in ("include", "exclude") if name in said}
    return joined | {"exclude": _more(joined.get("exclude"), globs, [*parsers, *only_top])} if globs else joined


def _more(exclude: SettingEntry | None, globs: list[str], sources: Layer) -> SettingEntry:
    """`exclude` with globs from elsewhere before its own, which have the last word."""
    if exclude is None:
        return sources[0]._replace(name="exclude", value=globs)
    with errors_at(exclude):
        return exclude._replace(value=[*globs, *check_texts(exclude.value)])


def _check_ragdocs(entry: SettingEntry, file: SettingsFile, start: Path) -> None:
    """Raise unless an entry of `[indexing]` says what is done here."""
    if "index" in file.tables:
        raise SettingsError("[indexing] and [index] are the same table", remedy="keep one of them")
    if entry.name in _ELSEWHERE:
        raise SettingsError(f"{entry.name} is not a setting of [{INDEXING}] here", remedy=_ELSEWHERE[entry.name])
    if entry.name not in _KNOWN:
        remedy = nearest(entry.name, _KNOWN, also=_ELSEWHERE)
        raise SettingsError(f"unknown setting {entry.name}", remedy=remedy)
    if entry.name == "documents_path":
        _check_folder(entry.value, file.path.parent, start)
    if entry.name in ("recursive", "exclude_hidden_dirs"):
        check_switch(entry.value, remedy="write true or false")
    if entry.name == "exclude_hidden_dirs" and not entry.value:
        raise SettingsError("hidden folders are not read", remedy="name those to read in .headnoteignore: !.NAME/")


def _check_folder(written: Any, home: Path, start: Path) -> None:
    """Raise unless the documents are where the command looks for them."""
    expect(isinstance(written, str), written, "a folder", 'write its path, such as "docs"')
    try:
        folder = (home / Path(written).expanduser()).resolve()
        is_here = start.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # no such user, a loop of links, a NUL
        is_here = False
    if not is_here:
        remedy = f"give the command that folder, as in headnote index {shown(written)}, or list it in [roots]"
        raise SettingsError(f"documents_path {shown(written)} is not the folder that is read", remedy=remedy)


def _parsed(parsers: Layer) -> list[str]:
    """Globs of `exclude` that leave the files of these patterns, and no others."""
    for entry in parsers:
        with errors_at(entry):
            _check_parser(entry.name, entry.value)
    return [*_NOTHING_BUT, *(f"!{entry.name.removeprefix('./')}" for entry in parsers)] if parsers else []


def _check_parser(pattern: str, parser: Any) -> None:
    if not isinstance(parser, str) or parser not in _SUFFIXES_OF:
        remedy = nearest(parser if isinstance(parser, str) else "", tuple(_SUFFIXES_OF))
        raise SettingsError(f"{said(parser, 'parser')} is not known", remedy=remedy)
    ending = PurePosixPath(pattern).suffix.lower()
    if ending not in _SUFFIXES_OF[parser]:
        raise SettingsError(f"{parser} does not read {shown(pattern)}", remedy=_way_to_read(pattern, ending))


def _way_to_read(pattern: str, ending: str) -> str:
    """What to write in place of a parser that does not read these files here."""
    if name := format_of(pattern):
        return f'write formats = ["{name}"] in [index]'
    if ending in _TEXT:
        return "leave it to PlainTextParser, or set strategy in [chunking]"
    if ending in SUFFIXES:
        return 'leave it to MarkdownParser; strategy = "fixed" in [chunking] ignores its structure'
    return f"end the pattern in {', '.join(SUFFIXES)}"


# -- `[index]`: the settings of an index that are not about chunks.


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


def _dates(value: Any) -> tuple[DateOrigin, ...]:
    names = [check_word(name.lower(), DATE_ORIGINS) for name in check_texts(value, *_DATES_EXPECTED)]
    return tuple(origin for name in names for origin in DATE_ORIGINS if origin == name)


_DATES_EXPECTED = ("a list of origins", 'write ["frontmatter", "git", "name", "mtime"]')
_DATES = Check("`frontmatter`, `git`, `name`, `mtime`: a list, or text with commas", _dates)


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
    dates: Annotated[tuple[DateOrigin, ...], _DATES] = DATE_ORIGINS
    """What says when a document was changed, the first that knows: frontmatter, git, name (of a daily note), mtime."""
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


# -- `[search]`: the defaults of a search.


def in_effect(loaded: LoadedTable[SearchSettings], preset: str) -> LoadedTable[SearchSettings]:
    """What a search in an index with this preset does where nobody says anything, its recency among it."""
    settings = replace(loaded.settings, limit=loaded.settings.limit or HITS)
    recency = RECENCY_OF_PRESET.get(preset)
    if settings.recency or recency is None:
        return LoadedTable(settings, loaded.origins)
    return LoadedTable(replace(settings, recency=recency), {**loaded.origins, "recency": f"preset {preset}"})


def packed_search_settings(stored: Mapping[str, Any], place: str) -> SearchSettings:
    """The settings that came with a pack, below those of the environment. No file is read: it belongs to something
    else."""
    variables = SEARCH.variable_entries(os.environ)
    entries = {name: SettingEntry(name, value, place) for name, value in stored.items()}
    return SEARCH.resolve(SEARCH.values(entries | variables)).settings


def _recency(value: Any) -> str:
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    expect(is_text, value, "a number of days", "give days, or steps")
    text = str(value).strip()
    read_recency(text)
    return text


def _score(value: Any) -> float:
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    expect(0 <= score < math.inf, value, "a score", "give a number, 0 or more, such as 0.3")
    return score


def _check_search(option: SearchOption) -> Check:
    if option.name == "recency":
        return Check("days, or `steps`", _recency)
    if option.words:
        return choice(option.words)
    least = option.least or 0
    return count(least) if option.kind is int else Check(f"a number, {least} or more", _score)


SEARCH = Table(
    "search",
    SearchSettings,
    checks={one.name: _check_search(OPTIONS[one.name]) for one in fields(SearchSettings)},
    prefix="HEADNOTE_SEARCH_",
)
load_search_settings = SEARCH.load

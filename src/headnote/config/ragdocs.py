"""`[indexing]` and `[parsers]`: the tables of ragdocs that say which files are read, as settings of `[index]`.

What headnote does anyway may be said, what it does otherwise is refused with the way to do it here. Nothing in these
tables leads out of the folder: services, models and stores stand in tables of our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from headnote.arguments import check_switch, check_texts, expect, said
from headnote.config.tables import Layer, SettingEntry, SettingsFile, errors_at, nearest_file
from headnote.errors import SettingsError, nearest, shown
from headnote.formats.kinds import format_of
from headnote.sources.files import SUFFIXES

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
            _check(entry, file, start)
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


def _check(entry: SettingEntry, file: SettingsFile, start: Path) -> None:
    """Raise unless an entry of `[indexing]` says what is done here."""
    if "index" in file.tables:
        raise SettingsError("[indexing] and [index] are the same table", remedy="keep one of them")
    if entry.name in _ELSEWHERE:
        raise SettingsError(f"{entry.name} is no setting of [{INDEXING}] here", remedy=_ELSEWHERE[entry.name])
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

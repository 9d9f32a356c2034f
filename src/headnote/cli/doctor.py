"""`headnote doctor`: whether the index is sound and everything is there that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Command
from headnote.cli.opening import open_index
from headnote.cli.terminal import Line, Span, counted, write_json, write_lines

if TYPE_CHECKING:
    from headnote.api import Index

State = Literal["ok", "note", "wrong", "repaired"]
_STYLES = {"ok": "green", "note": "yellow", "wrong": "bold red", "repaired": "green"}

# Distribution → module. Without the first two there is no index, without the others there are things it cannot do.
_NEEDED = {"apsw": "apsw", "PyStemmer": "Stemmer"}
_USEFUL = {
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "watchfiles": "watchfiles",
}


class Finding(NamedTuple):
    """One thing that was looked at."""

    state: State
    what: str
    text: str


@click.command("doctor", cls=Command)
@options.root
@click.option("--repair", is_flag=True, help="Make anew what is derived or damaged; sound vectors stay.")
@options.place
@options.as_json
def doctor_command(root: Path, repair: bool, place: dict[str, Any], as_json: bool) -> None:
    """Check the index, and all that it needs.

    The exit code is 1 if something is wrong and was not repaired. Repairing reads the documents and makes no vectors.
    """
    from headnote.api import check_folder

    check_folder(root)  # a folder that is not there is no finding
    findings = [*_packages(), *_of_index(root, repair, place)]
    is_sound = all(finding.state != "wrong" for finding in findings)
    if as_json:
        write_json({"root": str(root), "sound": is_sound, "findings": [finding._asdict() for finding in findings]})
    else:
        write_lines(_lines(root, findings))
    if not is_sound:
        raise click.exceptions.Exit(1)


def _lines(root: Path, findings: list[Finding]) -> Iterator[Line]:
    yield [Span(str(root), "bold")]
    states = max(len(finding.state) for finding in findings)
    whats = max(len(finding.what) for finding in findings)
    for state, what, text in findings:
        yield [Span(f"  {state.ljust(states)}", _STYLES[state]), Span(f"  {what.ljust(whats)}  {text}")]


# What it needs


def _packages() -> Iterator[Finding]:
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    found = []
    for name, module in (_NEEDED | _USEFUL).items():
        if find_spec(module) is None:
            text = f"{name} is missing: pip install 'headnote[search]' brings it"
            yield Finding("wrong" if name in _NEEDED else "note", "packages", text)
            continue
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(name)
    if found:
        yield Finding("ok", "packages", ", ".join(found))


def _of_index(root: Path, repair: bool, place: dict[str, Any]) -> Iterator[Finding]:
    from headnote.api import repair_index
    from headnote.errors import IndexFailure, MissingExtra, MissingIndex

    try:
        if repair:
            yield from (Finding("repaired", "index", what) for what in repair_index(root, **place))
        opened = open_index(root, create=False, **place)
    except MissingIndex as error:
        yield from _make(root, place) if repair else [Finding("wrong", "index", f"{error.message}: {error.remedy}")]
        return
    except MissingExtra as error:
        if "psycopg" in error.message:  # of all others, a finding about packages says which
            yield Finding("wrong", "packages", str(error))
        return
    except IndexFailure as error:
        yield Finding("wrong", "index", str(error))
        return
    with opened.index as index:
        yield _model(index, opened.missing)
        try:
            yield _writing(index)
            if repair:
                index.update(vectors=False)
            yield from _checked(index)
            yield from _up_to_date(index)
        except IndexFailure as error:
            yield Finding("wrong", "index", str(error))


def _make(root: Path, place: dict[str, Any]) -> Iterator[Finding]:
    opened = open_index(root, **place)
    with opened.index as index:
        yield _model(index, opened.missing)
        index.update(vectors=False)
        yield Finding("repaired", "index", f"made anew: {_size(index)}")
        yield from _up_to_date(index)


def _model(index: Index, missing: str) -> Finding:
    if missing:
        return Finding("wrong", "model", missing)
    name = index.index_settings.embedder
    return Finding("ok", "model", "none is wanted" if name == "none" else f"{name} can be used")


def _writing(index: Index) -> Finding:
    from headnote.errors import LockedIndex, UnwritableIndex

    try:
        index.check_writing()
    except LockedIndex as error:
        return Finding("note", "writing", str(error))
    except UnwritableIndex as error:
        return Finding("wrong", "writing", str(error))
    return Finding("ok", "writing", "the index can be written, and nobody else is writing")


# What it holds


def _checked(index: Index) -> Iterator[Finding]:
    complaints = index.check()
    if not complaints:
        yield Finding("ok", "index", f"{_size(index)}: every check passed")
        return
    yield from (Finding("wrong", "index", complaint) for complaint in complaints)
    yield Finding("note", "index", "headnote doctor --repair makes anew what is damaged")


def _size(index: Index) -> str:
    status = index.status()
    counts = (counted(status.documents, "document"), counted(status.chunks, "chunk"), counted(status.links, "link"))
    return ", ".join(counts)


def _up_to_date(index: Index) -> Iterator[Finding]:
    from headnote.cli.status import drift_in_words

    status, drift = index.status(), index.drift()
    if status.pending:
        yield Finding("note", "vectors", f"{counted(status.pending, 'text')} without one: headnote index makes them")
    elif status.model != "none":
        yield Finding("ok", "vectors", "all made")
    if drift.rebuild:
        yield Finding("note", "files", f"headnote index will read all of them again: {drift.rebuild}")
    elif not drift.is_empty:
        yield Finding("note", "files", f"{drift_in_words(drift)} since: headnote index takes them in")
    else:
        yield Finding("ok", "files", "as indexed")

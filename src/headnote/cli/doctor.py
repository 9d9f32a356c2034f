"""`headnote doctor`: check the index and everything it needs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import click

from headnote.api import Index, check_folder, repair_index
from headnote.cli import options
from headnote.cli.access import IndexCommand, NamedIndex, open_index
from headnote.cli.formatting import counted, deep_missing, drift_counts, missing_vectors
from headnote.cli.index import MAX_PATHS
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines
from headnote.config import trust_note
from headnote.embedding.registry import DEFAULT
from headnote.embedding.transformer import is_installed
from headnote.errors import IndexFailure, LockedIndex, MissingExtra, MissingIndex, UnwritableIndex
from headnote.extras import install

State = Literal["ok", "note", "wrong", "repaired"]
_STYLES = {"ok": "green", "note": "yellow", "wrong": "bold red", "repaired": "green"}


class Package(NamedTuple):
    """A package that an index needs, or that adds a feature, and the extra that brings it."""

    name: str
    module: str
    extra: str
    is_required: bool = False


PACKAGES = (
    Package("apsw", "apsw", "search", is_required=True),
    Package("PyStemmer", "Stemmer", "search", is_required=True),
    Package("numpy", "numpy", "search"),
    Package("onnxruntime", "onnxruntime", "deep"),
    Package("tokenizers", "tokenizers", "tokenizers"),
    Package("toktok-rs", "toktok", "fast"),
    Package("watchfiles", "watchfiles", "search"),
)


class CheckedPoint(NamedTuple):
    """The result of one check."""

    state: State
    subject: str
    text: str


@click.command(
    "doctor",
    cls=IndexCommand,
    examples=[
        ("is everything all right?", "headnote doctor docs"),
        ("mend what can be mended", "headnote doctor docs --repair"),
    ],
)
@options.root
@click.option("--repair", is_flag=True, help="Rebuild derived and damaged data; sound vectors stay.")
@options.place
@options.as_json
def doctor_command(named: NamedIndex, repair: bool) -> None:
    """Check the index and everything it needs.

    The exit code is 1 if something is wrong and was not repaired. A repair reads the documents and makes no vectors.
    """
    root = named.root
    check_folder(root)  # a missing folder is an error, not a finding
    findings = [*_packages(), *_index_findings(named, repair)]
    is_sound = all(finding.state != "wrong" for finding in findings)
    if named.as_json:
        write_json({"root": str(root), "sound": is_sound, "findings": [_record(finding) for finding in findings]})
    else:
        write_lines(_lines(root, findings))
    if not is_sound:
        raise click.exceptions.Exit(1)


def _lines(root: Path, findings: list[CheckedPoint]) -> Iterator[StyledLine]:
    yield [StyledText(str(root), "bold")]
    states = max(len(finding.state) for finding in findings)
    subjects = max(len(finding.subject) for finding in findings)
    for state, subject, text in findings:
        yield [
            StyledText(f"  {state.ljust(states)}", _STYLES[state]),
            StyledText(f"  {subject.ljust(subjects)}  {text}"),
        ]


def _record(finding: CheckedPoint) -> dict[str, str]:
    return {"state": finding.state, "what": finding.subject, "text": finding.text}


# Requirements


def _packages() -> Iterator[CheckedPoint]:
    installed = []
    for package in PACKAGES:
        if find_spec(package.module) is None:
            text = f"{package.name} is missing: {install(package.extra)} installs it"
            yield CheckedPoint("wrong" if package.is_required else "note", "packages", text)
            continue
        try:
            installed.append(f"{package.name} {version(package.name)}")
        except PackageNotFoundError:
            installed.append(package.name)
    if installed:
        yield CheckedPoint("ok", "packages", ", ".join(installed))


def _index_findings(named: NamedIndex, repair: bool) -> Iterator[CheckedPoint]:
    try:
        if repair:
            yield from (CheckedPoint("repaired", "index", text) for text in repair_index(named.root, **named.place))
        opened = open_index(named.root, create=False, **named.place)
    except MissingIndex as error:
        yield from (_build(named) if repair else [CheckedPoint("wrong", "index", f"{error.message}: {error.remedy}")])
        return
    except MissingExtra as error:
        if "psycopg" in error.message:  # the other packages have their findings already
            yield CheckedPoint("wrong", "packages", str(error))
        return
    except IndexFailure as error:
        yield CheckedPoint("wrong", "index", str(error))
        return
    with opened.index as index:
        yield _model(index, opened.missing_embedder)
        try:
            yield _writing(index)
            if repair:
                index.update(vectors=False)
            yield from _invariants(index)
            yield from _up_to_date(index)
        except IndexFailure as error:
            yield CheckedPoint("wrong", "index", str(error))


def _build(named: NamedIndex) -> Iterator[CheckedPoint]:
    opened = named.open()
    with opened.index as index:
        yield _model(index, opened.missing_embedder)
        index.update(vectors=False)
        yield CheckedPoint("repaired", "index", f"rebuilt: {_size(index)}")
        yield from _up_to_date(index)


def _model(index: Index, missing: str) -> CheckedPoint:
    if missing:
        return CheckedPoint("wrong", "model", missing)
    name = index.index_settings.embedder
    if name == DEFAULT and not is_installed("deep"):
        return CheckedPoint("note", "model", deep_missing())
    return CheckedPoint("ok", "model", "none" if name == "none" else f"{name} can be loaded")


def _writing(index: Index) -> CheckedPoint:
    try:
        index.check_writing()
    except LockedIndex as error:
        return CheckedPoint("note", "writing", str(error))
    except UnwritableIndex as error:
        return CheckedPoint("wrong", "writing", str(error))
    return CheckedPoint("ok", "writing", "the index is writable and not locked")


# Contents


def _invariants(index: Index) -> Iterator[CheckedPoint]:
    problems = index.check()
    if not problems:
        yield CheckedPoint("ok", "index", f"{_size(index)}: every check passed")
        return
    yield from (CheckedPoint("wrong", "index", problem) for problem in problems)
    yield CheckedPoint("note", "index", "headnote doctor --repair rebuilds what is damaged")


def _size(index: Index) -> str:
    status = index.status()
    counts = (counted(status.documents, "document"), counted(status.chunks, "chunk"), counted(status.links, "link"))
    return ", ".join(counts)


def _up_to_date(index: Index) -> Iterator[CheckedPoint]:
    status, drift = index.status(), index.drift()
    if note := trust_note(status.withheld, index.root):
        yield CheckedPoint("note", "trust", note)
    barred = {root.name for root in index.tree.roots if root.barred}
    for absent in (one for one in drift.absent if one.path not in barred):
        remedy = "bring it back, or remove it from headnote.toml"
        yield CheckedPoint("wrong", absent.path, f"{absent.reason}; its indexed documents are kept: {remedy}")
    for path in index.unused_contexts():
        yield CheckedPoint("note", "context", f"{path}: no such folder or document (headnote context {path} --remove)")
    if status.pending:
        yield CheckedPoint("note", "vectors", f"{missing_vectors(status)}: headnote index makes them")
    elif status.model != "none":
        yield CheckedPoint("ok", "vectors", "all made")
    if status.files_read:
        yield CheckedPoint("note", "files", f"{status.files_read}; run headnote index to finish")
    elif drift.rebuild:
        yield CheckedPoint("note", "files", f"headnote index will read all files: {drift.rebuild}")
    elif not drift.is_empty:
        yield CheckedPoint("note", "files", f"{drift_counts(drift)} since: run headnote index")
    else:
        yield CheckedPoint("ok", "files", "as indexed")
    warnings = [f"{one.path}: {one.warning}" for one in index.contents() if one.warning]
    yield from (CheckedPoint("note", "files", warning) for warning in warnings[:MAX_PATHS])
    if len(warnings) > MAX_PATHS:
        yield CheckedPoint("note", "files", f"… and {len(warnings) - MAX_PATHS:,} more with a warning")

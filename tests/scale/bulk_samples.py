"""Folders to chunk in bulk, their expected chunks, and a worker that dies."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import nasty
from nasty import RandomDice

import headnote
from headnote.chunking.settings import Settings
from headnote.errors import SourceError
from headnote.extra.scale.folder_output import FolderOutput
from headnote.extra.scale.inputs import list_inputs
from headnote.extra.scale.job import Job, Summary, run_job
from headnote.extra.scale.work import (
    JobEngine,
    JobOutput,
    OutputPart,
    PartResult,
    PartWriter,
    Recipe,
    cut_into_parts,
)
from headnote.sources.discover import discover
from headnote.sources.files import read_source

Row = dict[str, Any]

ODD = {
    "empty.md": b"",
    "blank.txt": b"\n \n",
    "nul.md": b"# A\0B\n\ntext\0\n",
    "mark.md": b"\xef\xbb\xbf# Mark\r\n\r\nText.\r",
    "utf16.md": "# Größe\n\n日本語 😀\n".encode("utf-16"),
    "deep/[slug].mdx": b"import X from 'x'\n\n# Page\n\n<X title=\"a\">\n\ntext [[note#Part|alias]]\n\n</X>\n",
    "deep/naïve été #1.md": b"# One\n\n#tag [a](b.md#c)\n",
    "surrogate.md": (
        b'---\ntags: ["x\\ud800y", plain]\nodd: "\\udfff"\nday: 2026-11-15\n'
        b"big: 123456789012345678901234567890\n---\n# S\n\ntext\n"
    ),
}
BAD = {"picture.md": bytes(range(256)) * 8, "old.md": b"# caf\xe9\n\nwindows\n"}


def write_folder(folder: Path, generated: int = 40, bad: bool = True) -> Path:
    """Odd documents, generated ones, and with `bad` two that are not text."""
    files = {**ODD, **(BAD if bad else {})}
    for number in range(generated):
        text = "\n\n".join(nasty.document(RandomDice((number, part))) for part in range(12))
        files[f"made/{number:03}.md"] = text.encode("utf-8", "replace")
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def expected(folder: Path, settings: Settings | None = None) -> list[Row]:
    """The chunks of each file by `headnote.chunk`, as rows; files that are not text have none."""
    rows = []
    for file in discover(folder).files:
        try:
            text = read_source(folder / file.path)
        except SourceError:
            continue
        options = {} if settings is None else {"preset": settings}
        chunks = headnote.chunk(text, path=file.path, modified=file.mtime_ns / 1e9, **options)  # type: ignore[arg-type]
        rows += [as_row(chunk) for chunk in chunks]
    return in_order(rows)


def as_row(chunk: headnote.Chunk) -> Row:
    row = chunk.to_dict()
    row["tags"] = [_without_surrogates(tag) for tag in row["tags"]]
    try:
        row["metadata"] = msgspec.json.encode(chunk.metadata).decode()
    except (UnicodeEncodeError, OverflowError):
        row["metadata"] = json.dumps(chunk.metadata, default=str)
    return row


def _without_surrogates(text: str) -> str:
    """Half a surrogate pair is not a character: it becomes U+FFFD."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def in_order(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["path"], row["index"]))


def stored(out: Path) -> list[Row]:
    """The chunks of a finished job, read as users would."""
    from pyarrow import parquet

    return in_order(parquet.read_table(out / "chunks").to_pylist())


def files_of(out: Path) -> dict[str, bytes]:
    """Every file of an output, by name."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def bulk(folder: Path | str, out: Path | str, recipe: Recipe | None = None, **options: Any) -> Summary:
    return run_job(Job(str(folder), str(out), recipe or Recipe(Settings()), **options))


def bulk_with_death(engine: JobEngine, folder: Path, out: Path, flag: Path) -> int:
    """Run a job whose first worker is killed in the middle of its part; return the number of parts."""
    recipe = Recipe(Settings())
    return finish_with_death(engine, folder, FolderOutput(str(out), recipe), recipe, flag)


def finish_with_death(engine: JobEngine, folder: Path, output: JobOutput, recipe: Recipe, flag: Path) -> int:
    """The same with any output."""
    output.open(rebuild=False)
    units = list_inputs(str(folder)).units
    parts = cut_into_parts(units, recipe.text, vectors=False)
    results = list(engine(DiesOnce(output.writer(), str(flag)), parts, 2))
    output.finish(units, (), [failure for result in results for failure in result.failures])
    assert sorted(result.name for result in results) == sorted(part.name for part in parts)
    assert not any(result.stopped for result in results)
    return len(parts)


@dataclass(frozen=True, slots=True)
class DiesOnce:
    """Writes a part, but the first time its process is killed halfway."""

    writer: PartWriter
    flag: str

    def __call__(self, part: OutputPart) -> PartResult:
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.writer(part)
        self.writer(part._replace(units=part.units[:1]))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")

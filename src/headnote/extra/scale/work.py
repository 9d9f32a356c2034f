"""The vocabulary of a job: how documents are chunked, the parts they are cut into, and who does the work.

Parts and their results travel to workers and back as bytes in a column, which every engine can carry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from headnote.chunking.settings import Settings
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models, get_models
from headnote.errors import HeadnoteError
from headnote.extra.scale.batch import FORMAT, load_arrow, open_embedder
from headnote.extra.scale.inputs import Unit
from headnote.index.manifest import READER, settings_text
from headnote.sources.discover import MAX_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

PART = "part"
"""The column that parts travel in."""
RESULT = "result"
"""The column that results come back in."""

MIN_PART_BYTES, MAX_PART_BYTES = 6_000_000, 64_000_000
"""Bytes. A core works on the smallest for two seconds: less is not worth what an engine needs between two parts."""
PARTS = 128
"""Enough to balance the load, within the limits above. A large job has more."""
WITH_VECTORS = 16
"""Parts are this much smaller if vectors are made: a dead worker should cost minutes, not hours."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents become rows. It travels to every worker, so it is small."""

    settings: Settings
    embedder: str = ""
    """Name of the embedder; empty for no vectors."""
    model: str = ""
    """The embedder's own name, which changes whenever its vectors do."""
    threads: int | None = None
    """For the embedder, in each process."""
    max_bytes: int = MAX_BYTES
    instant: bool = False
    """Whether an index gets the vectors of the instant model, too."""
    device: str = ""
    """For the embedder: auto, cpu or cuda; if empty, each machine chooses."""

    @property
    def text(self) -> str:
        """Equal if and only if the same documents give the same rows."""
        fields = {"format": FORMAT, "reader": READER, "model": self.model, "settings": settings_text(self.settings)}
        return json.dumps(fields, sort_keys=True)

    def open_embedder(self) -> Embedder | None:
        return open_embedder(self.embedder, self.threads, self.device)

    def open_models(self) -> Models:
        """The models of an index. An instant model does not make its vectors a second time."""
        instant, embedder = get_models("instant").instant if self.instant else None, self.open_embedder()
        is_same = instant is not None and embedder is not None and embedder.name == instant.name
        return Models(instant, None if is_same else embedder)


class OutputPart(NamedTuple):
    """Documents that are read, written and finished together."""

    name: str
    """A hash of its contents: the same documents and recipe give the same name."""
    units: list[Unit]


class FailedFile(NamedTuple):
    """A document without chunks, and why."""

    path: str
    error: str
    line: int | None = None
    remedy: str = ""


class PartResult(NamedTuple):
    """What a worker reports about a part."""

    name: str
    documents: int = 0
    chunks: int = 0
    size: int = 0
    """Bytes read."""
    failures: list[FailedFile] = []  # noqa: RUF012  never changed
    stopped: str = ""
    """Why the whole job cannot go on; empty if it can."""


PartWriter = Callable[[OutputPart], PartResult]
"""Reads, chunks and writes a part, in any process. It can be pickled."""

JobEngine = Callable[[PartWriter, Sequence[OutputPart], int | None], Generator[PartResult, None, None]]
"""Runs a writer over all parts on that many workers, and yields the results in any order."""


class JobTotals(NamedTuple):
    """What an output contains when a job has finished."""

    documents: int
    """Those without chunks included."""
    chunks: int
    removed: int
    """Documents that are no longer in the input."""
    failures: list[FailedFile]


class JobOutput(Protocol):
    """Where chunks go, from the view of the process that runs the job."""

    def open(self, rebuild: bool) -> None:
        """Resume what an earlier job left, or start; with `rebuild`, always start."""

    def has(self, unit: Unit) -> bool:
        """Whether this document is done."""

    def known(self) -> Collection[str]:
        """Paths of the documents that were there when it was opened."""

    def writer(self) -> PartWriter: ...

    def finish(self, units: Sequence[Unit], unlisted: Collection[str], failures: Sequence[FailedFile]) -> JobTotals:
        """Drop what is not in the input, now that every part is written.

        `unlisted` paths stay: they are missing from the input only because their folder could not be listed.
        `failures` are those of this job.
        """

    def report(self, lines: bytes) -> None:
        """Store the report on documents without chunks, if the output has a place for it."""

    def close(self) -> None: ...


def cut_into_parts(units: Sequence[Unit], recipe: str, vectors: bool) -> list[OutputPart]:
    """The units in their order, in parts of about the same size. The result depends on the arguments alone."""
    if not units:
        return []
    divisor = WITH_VECTORS if vectors else 1
    total = sum(unit.size for unit in units)
    target = min(max(total // PARTS, MIN_PART_BYTES // divisor), MAX_PART_BYTES // divisor)
    share = total / ceil(total / target) if total else 1
    members: dict[int, list[Unit]] = {}
    for unit, end in zip(units, accumulate(unit.size for unit in units), strict=True):
        # Assigned by its middle, so that a large document does not push all others along.
        members.setdefault(int((end - unit.size / 2) / share), []).append(unit)
    return [
        OutputPart(part_name(((unit.path, unit.version) for unit in part), recipe), part) for part in members.values()
    ]


def part_name(documents: Iterable[tuple[str, str]], recipe: str) -> str:
    digest = blake2b(recipe.encode(), digest_size=12)
    for path, version in documents:
        digest.update(f"\0{path}\0{version}".encode())
    return digest.hexdigest()


def run_part(writer: PartWriter, part: OutputPart) -> PartResult:
    """Run a writer. An error that ends the job becomes a result, because engines would only retry."""
    try:
        return writer(part)
    except HeadnoteError as error:
        return PartResult(part.name, stopped=str(error))


def parts_table(parts: Sequence[OutputPart]) -> pa.Table:
    """Parts as Ray and Spark carry them: a row for each."""
    return _binary_table(PART, [msgspec.msgpack.encode(part) for part in parts])


def run_parts_table(writer: PartWriter, table: pa.Table | pa.RecordBatch) -> pa.Table:
    """Run the parts of a table; a row for each result."""
    parts = [msgspec.msgpack.decode(data, type=OutputPart) for data in table.column(PART).to_pylist()]
    return _binary_table(RESULT, [msgspec.msgpack.encode(run_part(writer, part)) for part in parts])


def decode_result(data: bytes) -> PartResult:
    return msgspec.msgpack.decode(data, type=PartResult)


def _binary_table(name: str, values: list[bytes]) -> pa.Table:
    arrow = load_arrow()
    return arrow.table({name: arrow.array(values, arrow.binary())})

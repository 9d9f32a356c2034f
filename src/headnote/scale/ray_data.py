"""The same on Ray Data: chunks of a dataset of yours, and all parts of a job."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from headnote.chunking.settings import Settings
from headnote.extras import load
from headnote.scale.arrow import RAY, load_arrow
from headnote.scale.columns import chunk_schema, document_schema
from headnote.scale.table import chunk_tables, do_table, work_table
from headnote.scale.work import RESULT, Part, PartResult, PartWriter, unpacked_result

if TYPE_CHECKING:
    import pyarrow as pa

_DOCUMENTS_AT_ONCE = 256


def load_ray() -> Any:
    load_arrow()
    load("ray", "the engine ray", RAY)
    return load("ray.data", "the engine ray", RAY)


def chunk_dataset(dataset: Any, settings: Settings, embedder: str = "", outcomes: bool = False) -> Any:
    """A dataset with columns `path` and `bytes` or `text` → a dataset of chunks, as `columns.chunk_schema` has them.

    With `outcomes`, what became of each document instead: a document that cannot be read is only told there.
    """
    work = partial(_chunked, settings=settings, embedder=embedder, outcomes=outcomes)
    return dataset.map_batches(work, batch_format="pyarrow", batch_size=_DOCUMENTS_AT_ONCE, zero_copy_batch=True)


def _chunked(table: pa.Table, settings: Settings, embedder: str, outcomes: bool) -> pa.Table:
    schema = document_schema() if outcomes else chunk_schema(bool(embedder))
    return load_arrow().Table.from_batches(chunk_tables(table.to_batches(), settings, embedder, outcomes), schema)


def run_ray(writer: PartWriter, parts: Sequence[Part], workers: int | None = None) -> Generator[PartResult, None, None]:
    """A task for each part. Ray does a part again whose worker died."""
    data = load_ray()
    ray = load("ray", "the engine ray", RAY)
    is_ours = not ray.is_initialized()
    if is_ours:
        _start(ray, workers)
    try:
        data.DataContext.get_current().enable_progress_bars = False
        # A table for each part, so that each is a block, and each block a task.
        dataset = data.from_arrow([work_table([part]) for part in parts])
        done = dataset.map_batches(
            partial(do_table, writer),
            batch_format="pyarrow",
            batch_size=None,
            compute=data.TaskPoolStrategy(size=workers),
            num_cpus=1,
        )
        for table in done.iter_batches(batch_format="pyarrow", batch_size=None, prefetch_batches=0):
            for result in table.column(RESULT).to_pylist():
                yield unpacked_result(result)
    finally:
        if is_ours:
            ray.shutdown()


def _start(ray: Any, workers: int | None) -> None:
    """Join the cluster that RAY_ADDRESS names, or start one on this machine."""
    # Ray reports its use to its makers unless told otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    here = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers or os.cpu_count(), "include_dashboard": False}
    ray.init(logging_level="ERROR", log_to_driver=False, **here)

"""Ray and Spark: chunk data of your own, or run the parts of a job."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from headnote.chunking.settings import Settings
from headnote.errors import BulkError
from headnote.extra.scale.batch import chunk_batches, chunk_schema, document_schema, load_arrow
from headnote.extra.scale.work import (
    RESULT,
    OutputPart,
    PartResult,
    PartWriter,
    decode_result,
    parts_table,
    run_parts_table,
)
from headnote.extras import install, load

if TYPE_CHECKING:
    import pyarrow as pa


RAY = install("ray")
_BATCH_SIZE = 256
"""Documents."""


def load_ray() -> Any:
    load_arrow()
    load("ray", "the engine ray", RAY)
    return load("ray.data", "the engine ray", RAY)


def chunk_dataset(dataset: Any, settings: Settings, embedder: str = "", outcomes: bool = False) -> Any:
    """Chunk a dataset with columns `path` and `bytes` or `text`; the result has the columns of `arrow.chunk_schema`.

    With `outcomes`, the result has a row per document instead: the only place where errors of documents appear.
    """
    chunk = partial(_chunk_table, settings=settings, embedder=embedder, outcomes=outcomes)
    return dataset.map_batches(chunk, batch_format="pyarrow", batch_size=_BATCH_SIZE, zero_copy_batch=True)


def _chunk_table(table: pa.Table, settings: Settings, embedder: str, outcomes: bool) -> pa.Table:
    schema = document_schema() if outcomes else chunk_schema(bool(embedder))
    return load_arrow().Table.from_batches(chunk_batches(table.to_batches(), settings, embedder, outcomes), schema)


def run_ray(
    writer: PartWriter, parts: Sequence[OutputPart], workers: int | None = None
) -> Generator[PartResult, None, None]:
    """One task per part. If a worker dies, Ray runs its part again."""
    data = load_ray()
    ray = load("ray", "the engine ray", RAY)
    is_ours = not ray.is_initialized()
    if is_ours:
        _start_ray(ray, workers)
    try:
        data.DataContext.get_current().enable_progress_bars = False
        # A table per part makes each part a block, and each block a task.
        dataset = data.from_arrow([parts_table([part]) for part in parts])
        results = dataset.map_batches(
            partial(run_parts_table, writer),
            batch_format="pyarrow",
            batch_size=None,
            compute=data.TaskPoolStrategy(size=workers),
            num_cpus=1,
        )
        for table in results.iter_batches(batch_format="pyarrow", batch_size=None, prefetch_batches=0):
            for result in table.column(RESULT).to_pylist():
                yield decode_result(result)
    finally:
        if is_ours:
            ray.shutdown()


def _start_ray(ray: Any, workers: int | None) -> None:
    """Join the cluster in RAY_ADDRESS, or start one on this machine."""
    # Ray sends usage statistics by default.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray hides all GPUs from a task that does not ask for one. Ours share them.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    local = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers or os.cpu_count(), "include_dashboard": False}
    ray.init(logging_level="ERROR", log_to_driver=False, **local)


# -- Spark: chunk a data frame of your own, or run the parts of a job, with `mapInArrow`.

SPARK = install("spark")
TRIES = 4
"""Tries of each task. On one machine, Spark gives up at the first failure by default."""
MAX_TASKS = 10_000

_CLUSTER_VARIABLES = ("SPARK_REMOTE", "MASTER", "PYSPARK_GATEWAY_PORT", "SPARK_CONNECT_MODE_ENABLED")
"""If one of them is set, `spark-submit` or the user has chosen a cluster."""


def load_spark() -> Any:
    load_arrow()
    return load("pyspark.sql", "the engine spark", SPARK)


def chunk_frame(frame: Any, settings: Settings, embedder: str = "", outcomes: bool = False) -> Any:
    """Chunk a frame with columns `path` and `bytes` or `text`; the result has the columns of `arrow.chunk_schema`.

    With `outcomes`, the result has a row per document instead: the only place where errors of documents appear.
    """
    chunk = partial(chunk_batches, settings=settings, embedder=embedder, outcomes=outcomes)
    schema = document_schema() if outcomes else chunk_schema(bool(embedder))
    return frame.mapInArrow(chunk, _spark_schema(schema))


def run_spark(
    writer: PartWriter, parts: Sequence[OutputPart], workers: int | None = None
) -> Generator[PartResult, None, None]:
    """One task per part. If a worker dies, Spark runs its part again. All results come at the end."""
    sql = load_spark()
    running = sql.SparkSession.getActiveSession()
    spark = running or _start_spark(sql, workers)
    try:
        frame = spark.createDataFrame(parts_table(parts)).coalesce(1).repartition(min(len(parts), MAX_TASKS))
        results = frame.mapInArrow(partial(_run_batches, writer), f"{RESULT} binary")
        for row in results.collect():
            yield decode_result(bytes(row[RESULT]))
    finally:
        if running is None:
            spark.stop()


def _run_batches(writer: PartWriter, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from run_parts_table(writer, batch).to_batches()


def _spark_schema(schema: pa.Schema) -> Any:
    return load("pyspark.sql.pandas.types", "the engine spark", SPARK).from_arrow_schema(schema)


def _start_spark(sql: Any, workers: int | None) -> Any:
    """Join the cluster named by the environment, or start one on this machine."""
    # Local workers must use this environment; a cluster has its own.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("headnote bulk").config("spark.log.level", "ERROR")
    if not any(os.environ.get(name) for name in _CLUSTER_VARIABLES):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = (
            builder.master(f"local[{workers or os.cpu_count()}, {TRIES}]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
        )
    try:
        return builder.getOrCreate()
    except load("pyspark.errors", "the engine spark", SPARK).PySparkRuntimeError as error:
        reason = " ".join(str(error).split())
        raise BulkError(
            f"Spark cannot start: {reason}", remedy="install Java 17 or newer, and check JAVA_HOME"
        ) from None

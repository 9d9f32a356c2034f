"""The same on Spark: chunks of a data frame of yours, and all parts of a job, by `mapInArrow`."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from headnote.chunking.settings import Settings
from headnote.errors import BulkError
from headnote.extras import load
from headnote.scale.arrow import SPARK, load_arrow
from headnote.scale.columns import chunk_schema, document_schema
from headnote.scale.table import chunk_tables, do_table, work_table
from headnote.scale.work import RESULT, Part, PartResult, PartWriter, unpacked_result

if TYPE_CHECKING:
    import pyarrow as pa

TRIES = 4
"""Of each task. Spark on one machine gives up at the first failure unless it is told so."""
MOST_TASKS = 10_000

_ELSEWHERE = ("SPARK_REMOTE", "MASTER", "PYSPARK_GATEWAY_PORT", "SPARK_CONNECT_MODE_ENABLED")
"""With one of them, whoever starts us has said which cluster is meant: `spark-submit` does."""


def load_spark() -> Any:
    load_arrow()
    return load("pyspark.sql", "the engine spark", SPARK)


def chunk_frame(frame: Any, settings: Settings, embedder: str = "", outcomes: bool = False) -> Any:
    """A frame with columns `path` and `bytes` or `text` → a frame of chunks, as `columns.chunk_schema` has them.

    With `outcomes`, what became of each document instead: a document that cannot be read is only told there.
    """
    work = partial(chunk_tables, settings=settings, embedder=embedder, outcomes=outcomes)
    schema = document_schema() if outcomes else chunk_schema(bool(embedder))
    return frame.mapInArrow(work, _spark_schema(schema))


def run_spark(
    writer: PartWriter, parts: Sequence[Part], workers: int | None = None
) -> Generator[PartResult, None, None]:
    """A task for each part. Spark does a part again whose worker died. All results come at the end."""
    sql = load_spark()
    running = sql.SparkSession.getActiveSession()
    spark = running or _start(sql, workers)
    try:
        frame = spark.createDataFrame(work_table(parts)).coalesce(1).repartition(min(len(parts), MOST_TASKS))
        done = frame.mapInArrow(partial(_do_batches, writer), f"{RESULT} binary")
        for row in done.collect():
            yield unpacked_result(bytes(row[RESULT]))
    finally:
        if running is None:
            spark.stop()


def _do_batches(writer: PartWriter, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from do_table(writer, batch).to_batches()


def _spark_schema(schema: pa.Schema) -> Any:
    return load("pyspark.sql.pandas.types", "the engine spark", SPARK).from_arrow_schema(schema)


def _start(sql: Any, workers: int | None) -> Any:
    """Join the cluster that the environment names, or start one on this machine."""
    # Workers must find what is installed here; on a cluster, this is for whoever set it up.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("headnote bulk").config("spark.log.level", "ERROR")
    if not any(os.environ.get(name) for name in _ELSEWHERE):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        shown = sys.stderr.isatty()
        builder = (
            builder.master(f"local[{workers or os.cpu_count()}, {TRIES}]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", str(shown).lower())
        )
    try:
        return builder.getOrCreate()
    except load("pyspark.errors", "the engine spark", SPARK).PySparkRuntimeError as error:
        reason = " ".join(str(error).split())
        raise BulkError(
            f"Spark does not start: {reason}", remedy="install Java 17 or newer, and check JAVA_HOME"
        ) from None

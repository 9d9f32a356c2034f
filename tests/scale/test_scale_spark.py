"""Jobs on a real Spark on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bulk_samples
import pytest
from bulk_samples import BAD, as_row, bulk, bulk_with_death, expected, files_of, in_order, stored, write_folder

import headnote
import headnote.extra.scale.work as work
from headnote.chunking.settings import Settings
from headnote.errors import SourceError
from headnote.extra.scale.engines import chunk_frame, run_spark
from headnote.extra.scale.work import Recipe
from headnote.sources.files import read_source

pytest.importorskip("pandas", reason="the extra spark is not installed")
sql = pytest.importorskip("pyspark.sql", reason="the extra spark is not installed")
cloudpickle = pytest.importorskip("pyspark.cloudpickle", reason="the extra spark is not installed")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = [
    pytest.mark.xdist_group("spark"),
    # From Spark itself: deprecated pandas calls, sockets left to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


SPILLED_AFTER = 20
"""Rows."""


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        # Workers cannot import from the folder of these tests.
        cloudpickle.register_pickle_by_value(bulk_samples)
        session = (
            sql.SparkSession.builder.master("local[2, 4]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.log.level", "OFF")
            # As if memory were short: whatever is sorted goes through files.
            .config("spark.shuffle.spill.numElementsForceSpillThreshold", str(SPILLED_AFTER))
            .getOrCreate()
        )
        yield session
        session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("spark") / "docs")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MIN_PART_BYTES", 20_000)


@pytest.mark.usefixtures("spark", "small_parts")
def test_the_same_files_as_on_one_machine(folder: Path, tmp_path: Path) -> None:
    recipe = Recipe(Settings(), "hashing:8", "hashing:8", threads=1)
    summary = bulk(folder, tmp_path / "spark", recipe, engine="spark", workers=2)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    bulk(folder, tmp_path / "local", recipe, workers=1)
    assert files_of(tmp_path / "spark") == files_of(tmp_path / "local")
    rows = stored(tmp_path / "spark")
    assert {len(row.pop("vector")) for row in rows} == {8}
    assert rows == expected(folder)
    assert bulk(folder, tmp_path / "spark", recipe, engine="spark").read == 0


@pytest.mark.usefixtures("spark", "small_parts")
def test_a_killed_task_costs_nothing(folder: Path, tmp_path: Path) -> None:
    parts = bulk_with_death(run_spark, folder, tmp_path / "out", tmp_path / "died")
    assert parts > 3
    assert (tmp_path / "died").exists()
    assert stored(tmp_path / "out") == expected(folder)


def test_a_frame_of_your_own(spark: Any, folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file()]
    rows = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]
    frame = spark.createDataFrame(rows, "path string, bytes binary").repartition(3)
    chunks = [row.asDict(recursive=True) for row in chunk_frame(frame, Settings()).collect()]
    assert in_order(chunks) == in_order(list(chunks_without_time(folder)))
    outcomes = chunk_frame(frame, Settings(), outcomes=True).collect()
    assert sorted(row["path"] for row in outcomes if row["error"]) == sorted(BAD)
    assert len(outcomes) == len(rows)
    vectors = chunk_frame(frame, Settings(), "hashing:8").select("vector").collect()
    assert {len(row["vector"]) for row in vectors} == {8}


def chunks_without_time(folder: Path) -> Iterator[dict[str, Any]]:
    for path in folder.rglob("*.*"):
        try:
            text = read_source(path)
        except SourceError:
            continue
        yield from map(as_row, headnote.chunk(text, path=path.relative_to(folder).as_posix()))


def test_chunks_that_spill_stay_the_same(spark: Any, folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file()]
    rows = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]
    frame = spark.createDataFrame(rows, "path string, bytes binary").repartition(2)
    sorted_chunks = chunk_frame(frame, Settings()).orderBy("path", "index").collect()
    assert len(sorted_chunks) > 4 * SPILLED_AFTER
    assert [row.asDict(recursive=True) for row in sorted_chunks] == in_order(list(chunks_without_time(folder)))
    assert spilled(spark) > 0


def spilled(spark: Any) -> int:
    """Bytes that Spark has written to disk for want of memory."""
    context = spark.sparkContext
    stages = (
        context._jsc.sc()
        .statusStore()
        .stageList(None, False, False, context._gateway.new_array(context._jvm.double, 0), None)
    )
    return sum(int(stages.apply(number).diskBytesSpilled()) for number in range(stages.size()))

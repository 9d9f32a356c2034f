"""Jobs on a real Ray cluster on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import bulk_samples
import numpy as np
import pytest
from bulk_samples import (
    BAD,
    bulk,
    bulk_with_death,
    expected,
    files_of,
    finish_with_death,
    in_order,
    stored,
    write_folder,
)
from index_contents import contents, indexed

import headnote.extra.scale.work as work
from headnote.chunking.settings import Settings
from headnote.errors import BulkError
from headnote.extra.scale.engines import chunk_dataset, run_ray
from headnote.extra.scale.store_output import IndexTarget, StoreOutput
from headnote.extra.scale.work import Recipe
from headnote.index.manifest import name_of

pytest_plugins = ("postgres_fixtures",)

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
data = pytest.importorskip("ray.data", reason="the extra ray is not installed")

pytestmark = [
    pytest.mark.xdist_group("ray"),
    # From Ray itself, when it starts and stops.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


SMALLEST_STORE = 80_000_000
"""Bytes of the object store; Ray does not start with much less."""


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        # Workers cannot import from the folder of these tests.
        ray.cloudpickle.register_pickle_by_value(bulk_samples)
        ray.init(
            num_cpus=2,
            object_store_memory=SMALLEST_STORE,
            include_dashboard=False,
            logging_level="ERROR",
            log_to_driver=False,
        )
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        yield
        ray.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("ray") / "docs")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MIN_PART_BYTES", 20_000)


@pytest.mark.usefixtures("small_parts")
def test_the_same_files_as_on_one_machine(folder: Path, tmp_path: Path) -> None:
    recipe = Recipe(Settings(), "hashing:8", "hashing:8", threads=1)
    summary = bulk(folder, tmp_path / "ray", recipe, engine="ray", workers=2)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    bulk(folder, tmp_path / "local", recipe, workers=1)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "local")
    rows = stored(tmp_path / "ray")
    assert {len(row.pop("vector")) for row in rows} == {8}
    assert rows == expected(folder)
    assert bulk(folder, tmp_path / "ray", recipe, engine="ray").read == 0


@pytest.mark.usefixtures("small_parts")
def test_a_killed_worker_costs_nothing(folder: Path, tmp_path: Path) -> None:
    parts = bulk_with_death(run_ray, folder, tmp_path / "out", tmp_path / "died")
    assert parts > 3
    assert (tmp_path / "died").exists()
    assert stored(tmp_path / "out") == expected(folder)
    bulk(folder, tmp_path / "local", workers=1)
    assert files_of(tmp_path / "out").items() >= chunk_files(tmp_path / "local").items()


def chunk_files(out: Path) -> dict[str, bytes]:
    return {name: content for name, content in files_of(out).items() if name.startswith("chunks/")}


@pytest.mark.usefixtures("small_parts")
def test_a_failing_embedder_ends_the_job_with_its_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BulkError, match="unknown embedder 'no-such'"):
        bulk(folder, tmp_path / "out", Recipe(Settings(), "no-such", "no-such"), engine="ray", workers=2)


@pytest.mark.usefixtures("small_parts")
def test_a_killed_worker_leaves_a_lance_table_whole(folder: Path, tmp_path: Path) -> None:
    if find_spec("lance") is None:
        pytest.skip("the extra lance is not installed")
    out = tmp_path / "docs.lance"
    bulk_with_death(run_ray, folder, out, tmp_path / "died")
    from lance import dataset

    table = dataset(str(out / "chunks.lance"))
    assert in_order(table.to_table().to_pylist()) == expected(folder)
    assert len(list((out / "chunks.lance" / "data").iterdir())) == len(table.get_fragments())


def rows_of(folder: Path) -> list[dict[str, Any]]:
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file()]
    return [{"path": path.relative_to(folder).as_posix(), "bytes": path.read_bytes()} for path in files]


def test_a_full_object_store_spills(folder: Path) -> None:
    dataset = data.from_items(rows_of(folder)).materialize()
    ballast = [ray.put(np.full(SMALLEST_STORE // 4, number, dtype="uint8")) for number in range(6)]
    tables = ray.get(chunk_dataset(dataset, Settings()).to_arrow_refs())
    chunks = in_order([row for table in tables for row in table.to_pylist()])
    assert chunks == [{**row, "modified": None} for row in expected(folder)]
    assert spilled() > SMALLEST_STORE // 4
    assert [int(ray.get(one)[0]) for one in ballast] == list(range(6))


def spilled() -> int:
    """Bytes that Ray has on disk because its store is full."""
    session = Path(ray._private.worker._global_node.get_session_dir_path())
    return sum(file.stat().st_size for file in session.glob("ray_spilled_objects*/*"))


def test_a_dataset_of_your_own(folder: Path) -> None:
    rows = rows_of(folder)
    dataset = data.from_items(rows)
    tables = ray.get(chunk_dataset(dataset, Settings(), "hashing:8").to_arrow_refs())
    chunks = in_order([row for table in tables for row in table.to_pylist()])
    assert {len(row.pop("vector")) for row in chunks} == {8}
    assert chunks == [{**row, "modified": None} for row in expected(folder)]
    outcomes = chunk_dataset(dataset, Settings(), outcomes=True).take_all()
    assert sorted(row["path"] for row in outcomes if row["error"]) == sorted(BAD)
    assert len(outcomes) == len(rows)


@pytest.mark.usefixtures("small_parts")
def test_workers_write_into_the_database_themselves(postgres_url: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs")
    recipe = Recipe(Settings(), "hashing:16", "hashing:16", threads=1)
    bulk(folder, postgres_url, recipe, engine="ray", workers=2)
    assert contents(folder, postgres_url) == indexed(folder, postgres_url + "_other", recipe)


@pytest.mark.usefixtures("small_parts")
def test_a_killed_worker_leaves_no_row_twice_in_the_database(postgres_url: str, tmp_path: Path) -> None:
    folder, recipe = write_folder(tmp_path / "docs"), Recipe(Settings())
    with closing(StoreOutput(IndexTarget(str(folder), postgres_url, name_of(folder)), recipe)) as output:
        assert finish_with_death(run_ray, folder, output, recipe, tmp_path / "died") > 3
    assert (tmp_path / "died").exists()
    assert contents(folder, postgres_url) == indexed(folder, postgres_url + "_other", recipe)

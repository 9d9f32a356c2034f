"""A Lance table as output: the same chunks, once each, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bulk_samples import BAD, Row, bulk, bulk_with_death, expected, in_order, stored, write_folder

import headnote.extra.scale.work as work
from headnote.chunking.settings import Settings
from headnote.cli.main import main
from headnote.errors import BulkError
from headnote.extra.scale.chunk_files import LanceFiles
from headnote.extra.scale.folder_output import FolderOutput
from headnote.extra.scale.inputs import list_inputs
from headnote.extra.scale.job import run_local
from headnote.extra.scale.work import Recipe
from headnote.model import Chunk

lance: Any = pytest.importorskip("lance", reason="the extra lance is not installed")

Captured = pytest.CaptureFixture[str]
PLAIN = Recipe(Settings())
VECTORS = Recipe(Settings(), "hashing:8", "hashing:8", threads=1)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MIN_PART_BYTES", 20_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "docs")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "docs.lance"


def table(out: Path) -> Any:
    return lance.dataset(str(out / "chunks.lance"))


def rows(out: Path) -> list[Row]:
    return in_order(table(out).to_table().to_pylist())


def data_files(out: Path) -> set[str]:
    return {file.name for file in (out / "chunks.lance" / "data").iterdir()}


def test_the_same_chunks_as_in_parquet(folder: Path, out: Path, tmp_path: Path) -> None:
    summary = bulk(folder, out, VECTORS, workers=1)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    bulk(folder, tmp_path / "parquet", VECTORS, workers=1)
    assert rows(out) == stored(tmp_path / "parquet")
    assert summary.chunks == table(out).count_rows()


def test_the_columns(folder: Path, out: Path) -> None:
    bulk(folder, out, VECTORS, workers=1)
    schema = table(out).schema
    assert schema.names == [*Chunk.FIELDS, "vector"]
    assert str(schema.field("vector").type) == "fixed_size_list<item: float>[8]"
    nearest = {"column": "vector", "q": rows(out)[0]["vector"], "k": 3}
    assert table(out).to_table(nearest=nearest).num_rows == 3


def test_another_job_changes_nothing(folder: Path, out: Path) -> None:
    bulk(folder, out, workers=1)
    version, files = table(out).version, data_files(out)
    assert bulk(folder, out, workers=1).read == 0
    assert (table(out).version, data_files(out)) == (version, files)


def test_only_what_changed_is_written(folder: Path, out: Path) -> None:
    bulk(folder, out, workers=1)
    before = data_files(out)
    (folder / "made" / "001.md").write_bytes(b"# New\n\ntext about herons\n")
    (folder / "made" / "002.md").unlink()
    summary = bulk(folder, out, workers=1)
    assert (summary.read, summary.removed) == (1, 1)
    assert rows(out) == expected(folder)
    assert before & data_files(out), "parts without a change stay as they are"
    assert len(list((out / "chunks.lance" / "_versions").glob("*.manifest"))) == 1


def test_readers_see_the_last_finished_job(folder: Path, out: Path) -> None:
    bulk(folder, out, workers=1)
    before = rows(out)
    (folder / "made" / "001.md").write_bytes(b"# New\n\ntext\n")
    units = list_inputs(str(folder)).units
    output = FolderOutput(str(out), PLAIN)
    output.open(rebuild=True)
    list(run_local(output.writer(), work.cut_into_parts(units, PLAIN.text, vectors=False)[:2], 1))
    assert rows(out) == before
    bulk(folder, out, workers=1)
    assert rows(out) == expected(folder)


def test_a_part_that_is_written_twice_counts_once(folder: Path, out: Path) -> None:
    units = list_inputs(str(folder)).units
    parts = work.cut_into_parts(units, PLAIN.text, vectors=False)
    output = FolderOutput(str(out), PLAIN)
    output.open(rebuild=False)
    list(run_local(output.writer(), [*parts, *parts[:3]], 1))
    output.finish(units, (), ())
    assert rows(out) == expected(folder)
    assert len(data_files(out)) == len(table(out).get_fragments())


def test_a_killed_worker_leaves_nothing_behind(folder: Path, out: Path, tmp_path: Path) -> None:
    with pytest.raises(BulkError, match="a worker was killed"):
        bulk_with_death(run_local, folder, out, tmp_path / "died")
    bulk(folder, out, workers=2)
    assert rows(out) == expected(folder)
    assert len(data_files(out)) == len(table(out).get_fragments())


def test_an_interruption_before_the_end(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patches:
        patches.setattr(LanceFiles, "publish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bulk(folder, out, workers=1)
    assert bulk(folder, out, workers=1).read == 0
    assert rows(out) == expected(folder)


def test_vectors_and_none(folder: Path, out: Path) -> None:
    bulk(folder, out, workers=1)
    with pytest.raises(BulkError, match="other settings"):
        bulk(folder, out, VECTORS, workers=1)
    bulk(folder, out, VECTORS, workers=1, rebuild=True)
    assert {len(row["vector"]) for row in rows(out)} == {8}


def test_no_chunks_at_all(tmp_path: Path, out: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "empty.md").write_bytes(b"")
    assert bulk(tmp_path / "docs", out, workers=1).chunks == 0
    assert table(out).count_rows() == 0


def test_the_command(folder: Path, out: Path, capsys: Captured) -> None:
    assert main(["bulk", str(folder), "--out", str(out), "--workers", "1"]) == 0
    assert "chunks written" in capsys.readouterr().out
    assert rows(out) == expected(folder)

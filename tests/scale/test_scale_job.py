"""A job on this machine: complete, resumable by document, and always with the same files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bulk_samples import BAD, ODD, bulk, bulk_with_death, expected, files_of, stored, write_folder

import headnote.extra.scale.work as work
from headnote.chunking.presets import presets
from headnote.chunking.settings import Settings
from headnote.errors import BulkError, SettingsError
from headnote.extra.scale.folder_output import FolderOutput
from headnote.extra.scale.inputs import list_inputs
from headnote.extra.scale.job import run_local
from headnote.extra.scale.work import Recipe

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

CHANGED = b"# Changed\n\nother text\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Some documents, with parts small enough to have several."""
    monkeypatch.setattr(work, "MIN_PART_BYTES", 20_000)
    return write_folder(tmp_path / "docs")


@pytest.mark.parametrize("workers", [1, 2])
def test_the_chunks_of_headnote_chunk(folder: Path, tmp_path: Path, workers: int) -> None:
    summary = bulk(folder, tmp_path / "out", workers=workers)
    rows = expected(folder)
    assert stored(tmp_path / "out") == rows
    assert (summary.chunks, summary.written, summary.documents) == (len(rows), len(rows), len(ODD) + len(BAD) + 40)
    assert len(list((tmp_path / "out" / "chunks").iterdir())) > 3
    assert json.loads((tmp_path / "out" / "bulk.json").read_text())["complete"] is True


@pytest.mark.parametrize("corpus", ["own", "rust-book", "fastapi-en", "foam"])
def test_real_documents(corpus: str, corpus_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = corpus_folder(corpus)
    assert expected(folder)
    bulk(folder, tmp_path / "out", workers=1)
    assert stored(tmp_path / "out") == expected(folder)


def test_other_settings_and_vectors(folder: Path, tmp_path: Path) -> None:
    settings = presets()["ragdocs"]
    bulk(folder, tmp_path / "out", Recipe(settings, "hashing:8", "hashing:8"), workers=1)
    rows = stored(tmp_path / "out")
    assert {len(row.pop("vector")) for row in rows} == {8}
    assert rows == expected(folder, settings)


def test_bad_files_are_in_the_report(folder: Path, tmp_path: Path) -> None:
    summary = bulk(folder, tmp_path / "out", workers=1)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    lines = (tmp_path / "out" / "report.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["path"] for line in lines] == sorted(BAD)
    # They stay in it, although they are not read again.
    again = bulk(folder, tmp_path / "out", workers=1)
    assert (again.read, again.failures) == (0, summary.failures)


def test_repeated_jobs_write_the_same_files(folder: Path, tmp_path: Path) -> None:
    bulk(folder, tmp_path / "one", workers=1)
    before = files_of(tmp_path / "one")
    summary = bulk(folder, tmp_path / "one", workers=2)
    assert (summary.read, summary.written, summary.unchanged) == (0, 0, len(ODD) + len(BAD) + 40)
    assert files_of(tmp_path / "one") == before
    bulk(folder, tmp_path / "two", workers=2)
    assert files_of(tmp_path / "two") == before


def test_only_what_changed_is_read(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    (folder / "made" / "003.md").write_bytes(CHANGED)
    (folder / "made" / "030.md").unlink()
    (folder / "new.md").write_bytes(CHANGED)
    (folder / "old.md").write_bytes(CHANGED)
    summary = bulk(folder, out, workers=1)
    assert (summary.read, summary.removed) == (3, 1)
    assert [failure.path for failure in summary.failures] == ["picture.md"]
    assert stored(out) == expected(folder)
    assert bulk(folder, out, workers=1).read == 0


def test_every_document_removed_or_replaced(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    for file in folder.rglob("*.*"):
        file.unlink()
    (folder / "only.md").write_bytes(CHANGED)
    summary = bulk(folder, out, workers=1)
    assert (summary.documents, summary.removed, summary.failures) == (1, len(ODD) + len(BAD) + 40, [])
    assert [row["path"] for row in stored(out)] == ["only.md"]
    assert len(list((out / "chunks").iterdir())) == len(list((out / "documents").iterdir())) == 1


KILLED = """
import os, signal, sys
import headnote.extra.scale.work as work
from headnote.chunking.settings import Settings
from headnote.extra.scale.job import Job, run_job
from headnote.extra.scale.work import Recipe

def watch(done, total):
    if 0 < done < total:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    work.MIN_PART_BYTES = 20_000
    run_job(Job(sys.argv[1], sys.argv[2], Recipe(Settings()), workers=int(sys.argv[3])), watch)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_job_resumes_by_document(folder: Path, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "out"
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    killed = subprocess.run([sys.executable, script, folder, out, str(workers)], capture_output=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert json.loads((out / "bulk.json").read_text())["complete"] is False
    # What it was about to write: chunks without documents, and a temporary file.
    (out / "chunks" / "orphan.parquet").write_bytes(b"half")
    (out / "chunks" / ".x.parquet.123").write_bytes(b"half")
    finished = {path: path.stat().st_mtime_ns for path in (out / "documents").iterdir() if path.name[0] != "."}
    assert finished
    summary = bulk(folder, out, workers=1)
    assert 0 < summary.read < len(ODD) + len(BAD) + 40
    assert summary.unchanged > 0
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert stored(out) == expected(folder)
    bulk(folder, tmp_path / "fresh", workers=1)
    assert stored(tmp_path / "fresh") == stored(out)


def test_a_killed_worker_ends_the_job_and_loses_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(BulkError, match=r"a worker was killed .*run the command again"):
        bulk_with_death(run_local, folder, out, tmp_path / "died")
    # It had started to write, but nothing it wrote counts as finished.
    bulk(folder, out, workers=1)
    assert stored(out) == expected(folder)


def test_a_job_interrupted_before_its_cleanup(folder: Path, tmp_path: Path) -> None:
    """New parts are written, old ones not yet removed: the next job knows which of them count."""
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    before = files_of(out)
    (folder / "made" / "003.md").write_bytes(CHANGED)
    bulk(folder, out, workers=1)
    for name, data in before.items():
        if name.startswith(("chunks/", "documents/")):
            (out / name).write_bytes(data)
    summary = bulk(folder, out, workers=1)
    assert summary.read == 0
    assert stored(out) == expected(folder)


def test_an_unreadable_file_is_retried(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    listed = min((folder / "made").iterdir())
    data, status = listed.read_bytes(), listed.stat()

    output = FolderOutput(str(out), Recipe(Settings()))
    output.open(rebuild=False)
    units = list_inputs(str(folder)).units
    listed.unlink()
    for part in work.cut_into_parts(units, Recipe(Settings()).text, vectors=False):
        output.writer()(part)
    failures = output.finish(units, (), ()).failures
    assert [(failure.path, failure.error) for failure in failures if failure.path.startswith("made")] == [
        ("made/000.md", "no such file or folder")
    ]
    listed.write_bytes(data)
    os.utime(listed, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert bulk(folder, out, workers=1).read == 1
    assert stored(out) == expected(folder)


def test_changed_settings_are_refused_and_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    before = files_of(out)
    other = Recipe(Settings(max_tokens=400), "hashing:8", "hashing:8")
    with pytest.raises(BulkError, match=r"other settings: model , now hashing:8, max_tokens 512, now 400 .*--rebuild"):
        bulk(folder, out, other, workers=1)
    assert files_of(out) == before
    summary = bulk(folder, out, other, workers=1, rebuild=True)
    assert summary.unchanged == 0
    rows = stored(out)
    assert all(row.pop("vector") for row in rows)
    assert rows == expected(folder, Settings(max_tokens=400))


def test_an_interrupted_rebuild_does_not_mix_settings(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    other = Recipe(Settings(max_tokens=400))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patches:
        patches.setattr(FolderOutput, "_remove_parts", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bulk(folder, out, other, workers=1, rebuild=True)
    assert json.loads((out / "bulk.json").read_text())["complete"] is False
    with pytest.raises(BulkError, match=r"other settings: max_tokens 512, now 400"):
        bulk(folder, out, other, workers=1)
    bulk(folder, out, other, workers=1, rebuild=True)
    assert stored(out) == expected(folder, Settings(max_tokens=400))


def test_a_folder_with_other_files_is_left_alone(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(BulkError, match=r"contains other files: thesis\.txt"):
        bulk(folder, out, rebuild=True)
    assert files_of(out) == {"thesis.txt": b"years of work"}


def test_an_output_that_is_a_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("text")
    with pytest.raises(BulkError, match="a file, not a folder"):
        bulk(folder, tmp_path / "out")


def test_a_foreign_manifest(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bulk.json").write_text("[]")
    with pytest.raises(BulkError, match="not written by headnote"):
        bulk(folder, tmp_path / "out")


def test_a_damaged_part_is_named(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bulk(folder, out, workers=1)
    part = min((out / "documents").iterdir())
    part.write_bytes(b"PAR1 no more")
    with pytest.raises(BulkError, match=rf"{part.name}: damaged: .*delete the file"):
        bulk(folder, out)
    part.unlink()
    bulk(folder, out, workers=1)
    assert stored(out) == expected(folder)


def test_an_unknown_engine_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"unknown engine 'sparc' \(did you mean spark\?\)"):
        bulk(folder, tmp_path / "out", engine="sparc")
    assert not (tmp_path / "out").exists()


def test_a_failing_embedder_ends_the_job_with_its_error(folder: Path, tmp_path: Path) -> None:
    broken = Recipe(Settings(), "openai:no-such", "openai:no-such")
    with pytest.raises(BulkError, match=r"OPENAI_API_KEY|key|HEADNOTE_EMBEDDING"):
        bulk(folder, tmp_path / "out", broken, workers=1)

"""An index as output: the same as one made by `headnote index`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from bulk_samples import BAD, bulk, write_folder
from index_contents import contents, indexed
from index_states import eager_batches

import headnote.extra.scale.work as work
from headnote import Index, Progress
from headnote.chunking.settings import Settings
from headnote.cli.main import main
from headnote.errors import BulkError, ForeignIndex
from headnote.extra.scale.inputs import list_inputs
from headnote.extra.scale.job import run_local
from headnote.extra.scale.store_output import IndexTarget, StoreOutput
from headnote.extra.scale.work import Recipe
from headnote.index.manifest import name_of
from headnote.store.integrity import INSTANT
from headnote.store.opening import open_store

pytest_plugins = ("postgres_fixtures",)

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
pytest.importorskip("psycopg", reason="the extra postgres is not installed")


PLAIN = Recipe(Settings())
VECTORS = Recipe(Settings(), "hashing:16", "hashing:16", threads=1)

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages, some of which link to each other."""
    monkeypatch.setattr(work, "MIN_PART_BYTES", 8_000)
    folder = write_folder(tmp_path / "docs", generated=12)
    (folder / "start.md").write_text("# Start\n\nSee [care](made/care.md#cleaning) and [[mark]].\n", encoding="utf-8")
    (folder / "made" / "care.md").write_text("# Care\n\nText.\n\n## Cleaning\n\nBrush the lighthouse.\n")
    return folder


@pytest.mark.parametrize("recipe", [PLAIN, VECTORS], ids=["words", "vectors"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_index_equals_that_of_headnote_index(folder: Path, postgres_url: str, recipe: Recipe, workers: int) -> None:
    summary = bulk(folder, postgres_url, recipe, workers=workers)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    stored = contents(folder, postgres_url)
    assert summary.chunks == summary.written == len(stored["chunks"])
    assert next(link.resolved_chunk for link in stored["links"] if link.path == "start.md") is not None
    assert stored == indexed(folder, postgres_url + "_other", recipe)


def test_a_read_that_was_interrupted_is_finished_by_the_end_of_a_job(folder: Path, postgres_url: str) -> None:
    """Not by its beginning: a job can be interrupted, too."""

    def stop(progress: Progress) -> None:
        if progress.done > 2:
            raise KeyboardInterrupt

    opened = Index.open(folder, store=postgres_url, embedder="none")
    with eager_batches(), pytest.raises(KeyboardInterrupt):
        opened.update(workers=1, on_progress=stop)
    with closing(StoreOutput(IndexTarget(str(folder), postgres_url, name_of(folder)), PLAIN)) as output:
        output.open(rebuild=False)
    assert opened.status().files_read is not None
    bulk(folder, postgres_url, PLAIN, workers=1)
    assert opened.status().files_read is None
    opened.close()
    assert contents(folder, postgres_url)["links"] == indexed(folder, postgres_url + "_other", PLAIN)["links"]


def test_only_what_changed_is_read(folder: Path, postgres_url: str) -> None:
    first = bulk(folder, postgres_url, VECTORS, workers=1)
    assert bulk(folder, postgres_url, VECTORS, workers=1).read == len(BAD)
    (folder / "made" / "001.md").write_bytes(b"# New\n\ntext about herons")
    (folder / "made" / "care.md").unlink()
    summary = bulk(folder, postgres_url, VECTORS, workers=1)
    assert (summary.read, summary.removed, summary.documents) == (1 + len(BAD), 1, first.documents - 1)
    assert contents(folder, postgres_url) == indexed(folder, postgres_url + "_other", VECTORS)


def test_vectors_come_later_too(folder: Path, postgres_url: str) -> None:
    bulk(folder, postgres_url, PLAIN, workers=1)
    assert contents(folder, postgres_url)["models"] == {}
    bulk(folder, postgres_url, VECTORS, workers=1)
    stored = contents(folder, postgres_url)
    assert stored["models"] == {"hashing:16": 16}
    assert stored["pending"] == {"hashing:16": []}
    # And stay when nobody asks for them.
    assert bulk(folder, postgres_url, PLAIN, workers=1).read == len(BAD)
    assert contents(folder, postgres_url)["models"] == {"hashing:16": 16}


def test_an_interrupted_job_resumes(folder: Path, postgres_url: str) -> None:
    units = list_inputs(str(folder)).units
    parts = work.cut_into_parts(units, PLAIN.text, vectors=False)
    assert len(parts) > 2
    output = StoreOutput(IndexTarget(str(folder), postgres_url, name_of(folder)), PLAIN)
    output.open(rebuild=False)
    list(run_local(output.writer(), parts[:2], 1))
    output.close()
    done = sum(len(part.units) for part in parts[:2])
    summary = bulk(folder, postgres_url, PLAIN, workers=1)
    assert len(units) - done <= summary.read <= len(units) - done + len(BAD)
    assert contents(folder, postgres_url) == indexed(folder, postgres_url + "_other", PLAIN)


def test_changed_settings_are_refused(folder: Path, postgres_url: str) -> None:
    bulk(folder, postgres_url, PLAIN, workers=1)
    before = contents(folder, postgres_url)
    other = Recipe(Settings(max_tokens=100, target_tokens=80, min_tokens=10))
    with pytest.raises(BulkError, match=r"cannot resume: the settings have changed .*--rebuild"):
        bulk(folder, postgres_url, other, workers=1)
    assert contents(folder, postgres_url) == before
    bulk(folder, postgres_url, other, workers=1, rebuild=True)
    assert len(contents(folder, postgres_url)["chunks"]) > len(before["chunks"])


def test_a_job_with_another_input_leaves_an_index_alone(folder: Path, postgres_url: str, tmp_path: Path) -> None:
    bulk(folder, postgres_url, PLAIN, workers=1)
    before = contents(folder, postgres_url)
    other = tmp_path / "elsewhere" / "docs"
    other.mkdir(parents=True)
    (other / "one.md").write_text("# One\n", encoding="utf-8")
    for rebuild in (False, True):
        with pytest.raises(ForeignIndex, match=r"not to .*elsewhere"):
            bulk(other, postgres_url, PLAIN, workers=1, rebuild=rebuild)
    assert contents(folder, postgres_url) == before
    bulk(other, postgres_url, PLAIN, workers=1, adopt=True)
    assert [document.path for document in contents(folder, postgres_url)["documents"]] == ["one.md"]


@pytest.mark.parametrize("update", [[], ["--no-update"]])
def test_the_index_can_be_searched(folder: Path, postgres_url: str, capsys: Captured, update: list[str]) -> None:
    arguments = ["bulk", str(folder), "--out", postgres_url, "--workers", "1", "--vectors", "--embedder", "hashing:16"]
    assert main([*arguments, "--report", str(folder.parent / "bad.jsonl")]) == 0
    assert len((folder.parent / "bad.jsonl").read_text().splitlines()) == len(BAD)
    capsys.readouterr()
    search = ["search", "lighthouse", str(folder), "--store", postgres_url, "--mode", "keyword", "--json", *update]
    assert main(search) == 0
    assert "care.md" in capsys.readouterr().out


def test_the_password_is_not_shown(folder: Path, capsys: Captured) -> None:
    url = "postgresql://me:secret@127.0.0.1:9/none"
    assert main(["bulk", str(folder), "--out", url]) == 2
    output = capsys.readouterr()
    assert "secret" not in output.err + output.out
    assert output.err.count("\n") == 1


def test_an_index_file_as_output(folder: Path, tmp_path: Path) -> None:
    target = IndexTarget(str(tmp_path / "index"), "", name_of(tmp_path))
    (tmp_path / "index").mkdir()
    output = StoreOutput(target, VECTORS)
    output.open(rebuild=False)
    units = list_inputs(str(folder)).units
    results = list(run_local(output.writer(), work.cut_into_parts(units, "", vectors=True), 1))
    output.finish(units, (), [failure for result in results for failure in result.failures])
    output.close()
    assert contents(tmp_path / "index", "") == indexed(folder, "", VECTORS)


def test_instant_vectors_come_with_the_words(folder: Path, postgres_url: str) -> None:
    instant = Recipe(Settings(), instant=True)
    both = Recipe(Settings(), "hashing:16", "hashing:16", threads=1, instant=True)
    bulk(folder, postgres_url, PLAIN, workers=1)
    for recipe, models in ((instant, 1), (both, 2), (instant, 2)):
        (folder / "start.md").write_text(f"# Start\n\nSee {models} and {recipe.model}.\n", encoding="utf-8")
        bulk(folder, postgres_url, recipe, workers=1)
        with closing(open_store(folder, postgres_url)) as store:
            assert store.check() == []
            with store.reading() as reader:
                assert reader.manifest()[INSTANT].startswith("instant:")
                assert len(reader.models()) == models
    bulk(folder, postgres_url, PLAIN, workers=1)
    with closing(open_store(folder, postgres_url)) as store, store.reading() as reader:
        assert INSTANT not in reader.manifest(), "what is read without the model lacks its vectors"

"""There is no committed state in which a text or a name lacks its vector of the instant model."""

from __future__ import annotations

import signal
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random

import pytest
from changing_folder import ChangingFolder
from index_states import copied, eager_batches, opened, put_file, state, write
from index_workers import WorkerPool, page

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.index.deep_vectors import sweep
from headnote.model.results import Progress, Watcher
from headnote.store.integrity import INSTANT
from headnote.store.interface import Reader
from headnote.store.opening import open_store
from headnote.store.rows import DocumentEntry

pytest_plugins = ("store_fixtures",)

INSTANT_MODEL, DEEP_MODEL, OTHER = HashingEmbedder(8), HashingEmbedder(16), HashingEmbedder(24)
BOTH = Models(INSTANT_MODEL, DEEP_MODEL)
CHOICES = (BOTH, BOTH, Models(INSTANT_MODEL), Models(OTHER, DEEP_MODEL), Models(deep=DEEP_MODEL), Models())
WALKS = 24


class Interrupted(Exception):
    """Somebody pressed a key."""


def missing(reader: Reader) -> list[object]:
    """What lacks a vector of the model that must have them all."""
    model = reader.manifest().get(INSTANT, "")
    if not model or not reader.chunk_count():
        return []
    return [*reader.pending(model, 9, claimed=True), *reader.pending_names(model, claimed=True)]


def assert_complete(root: Path, story: str = "") -> None:
    with closing(opened(root)) as store:
        with store.reading() as reader:
            assert missing(reader) == [], story
        assert store.check() == [], story


def interrupt(stage: str, moment: int) -> Watcher:
    seen = iter(range(moment))

    def watch(progress: Progress) -> None:
        if progress.stage == stage and next(seen, None) is None:
            raise Interrupted

    return watch


def walk(seed: int, tmp_path: Path) -> None:
    """Every other one commits after each document, so that an interruption leaves some of them."""
    with eager_batches() if seed % 2 else nullcontext():
        _walk(Random(seed), tmp_path / f"walk{seed}", tmp_path)


def _walk(random: Random, root: Path, tmp_path: Path) -> None:
    folder = ChangingFolder(root, random)
    models = BOTH
    for _ in range(random.randint(3, 6)):
        for _ in range(random.randint(1, 3)):
            folder.change()
        models = random.choice(CHOICES)
        folder.log.append(f"models {models}")
        watch = interrupt(random.choice(("read", "embed")), random.randrange(6))
        settings = {name: value for name, value in folder.settings.items() if name != "include"}
        try:
            with headnote.Index.open(folder.root, embedder=models, configure="anew", **settings) as index:
                index.update(workers=1, on_progress=watch, vectors=random.random() < 0.7)
        except Interrupted:
            folder.log.append("-- interrupted")
        assert_complete(folder.root, "\n".join(folder.log))
    with headnote.Index.open(folder.root, embedder=models, configure="anew", **settings) as index:
        index.update(workers=1)
        assert index.update(workers=1).embedded == 0
    fresh = copied(folder.root, tmp_path / "fresh")
    with headnote.Index.open(fresh, embedder=models, store="sqlite", **settings) as index:
        index.update(workers=1)
    for model in filter(None, models):
        story = f"{model.name} after\n" + "\n".join(folder.log)
        assert state(folder.root, model.name) == state(fresh, model.name, open_store(fresh)), story


@pytest.mark.parametrize("first", range(0, WALKS, 8))
def test_after_any_changes_instant_vectors_are_complete(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 8):
        walk(seed, tmp_path)


def test_after_any_changes_instant_vectors_are_complete_in_a_database(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HEADNOTE_STORE", postgres_database)
    for seed in range(WALKS, WALKS + 4):
        walk(seed, tmp_path)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_kill_leaves_no_chunk_without_an_instant_vector(tmp_path: Path) -> None:
    random = Random(3)
    root = tmp_path / "root"
    write(root, {f"page{number}.md": page(random) for number in range(20)})
    pool = WorkerPool()
    for _ in range(8):
        worker = pool.start("both", root)
        for _ in range(random.randint(0, 40)):
            pool.hear()
        pool.kill(worker)
        assert_complete(root)
    pool.close()


@pytest.mark.usefixtures("everywhere")
def test_words_and_instant_vectors_come_together(tmp_path: Path) -> None:
    write(tmp_path / "root", {"a.md": "# Alpha\n\ntext of a", "b.md": "no title, no heading"})
    with headnote.Index.open(tmp_path / "root", embedder=BOTH) as index:
        index.update(vectors=False, workers=1)
        assert index.generation == 1, "one transaction"
    assert_complete(tmp_path / "root")


@pytest.mark.usefixtures("everywhere")
def test_a_renamed_document_without_a_title_gets_the_vector_of_its_new_name(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"zebra.md": "only text"})
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(vectors=False, workers=1)
        (root / "zebra.md").rename(root / "giraffe.md")
        assert index.update(vectors=False, workers=1).plan.renamed
    assert_complete(root)


@pytest.mark.usefixtures("everywhere")
def test_another_instant_model_is_complete_without_reading_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {f"p{number}.md": f"# Page {number}\n\ntext {number}" for number in range(5)})
    for models in (Models(), BOTH, Models(OTHER, DEEP_MODEL)):
        with headnote.Index.open(root, embedder=models) as index:
            report = index.update(vectors=False, workers=1)
            assert not report.plan.changed
        assert_complete(root)


@pytest.mark.usefixtures("everywhere")
def test_a_sweep_of_another_process_spares_the_models_of_the_index(tmp_path: Path) -> None:
    write(tmp_path / "root", {"a.md": "# Alpha\n\ntext"})
    with headnote.Index.open(tmp_path / "root", embedder=BOTH) as index:
        index.update(workers=1)
    with closing(opened(tmp_path / "root")) as store:
        assert sweep(store, []) == 0
    assert_complete(tmp_path / "root")


@pytest.mark.usefixtures("everywhere")
def test_a_missing_instant_vector_is_a_complaint(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"a.md": "# Alpha\n\ntext"})
    with headnote.Index.open(root, embedder=Models()) as index:
        index.update(workers=1)
    with closing(opened(root)) as store:
        with store.writing() as writer:
            writer.set_manifest(writer.manifest() | {INSTANT: INSTANT_MODEL.name})
        assert store.check() == ["1 texts and 1 names without a vector of hashing:8"]


@pytest.mark.usefixtures("everywhere")
def test_a_document_that_was_put_without_vectors_gets_them_with_the_next_update(tmp_path: Path) -> None:
    """For instance by an older version, which knows nothing of instant vectors."""
    root = tmp_path / "root"
    write(root, {"a.md": "# Alpha\n\ntext", "b.md": "# Beta\n\nother"})
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(workers=1)
    with closing(opened(root)) as store, store.writing() as writer:
        row = writer.document("a.md")
        assert row is not None
        writer.put([DocumentEntry(row._replace(title="Gamma"), [chunk.row for chunk in writer.chunks_of("a.md")])])
    put_file(root / "b.md", b"# Beta\n\nchanged", 77)
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(vectors=False, workers=1)
    assert_complete(root)


@pytest.mark.usefixtures("everywhere")
def test_an_index_of_the_last_version_becomes_complete_and_keeps_its_vectors(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {f"p{number}.md": f"# Page {number}\n\ntext {number}" for number in range(5)})
    with headnote.Index.open(root, embedder=Models(deep=DEEP_MODEL)) as index:
        index.update(workers=1)
    with closing(opened(root)) as store, store.writing() as writer:
        writer.set_manifest(writer.manifest() | {"reader": "6"})
    with headnote.Index.open(root, embedder=BOTH) as index:
        assert index.search("text 3", min_score=0.0)
        report = index.update(workers=1)
        assert (len(report.plan.changed), report.embedded) == (5, 0)
        assert index.status().answering == DEEP_MODEL.name
    assert_complete(root)

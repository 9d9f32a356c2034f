"""Deep vectors are made in one order: by time, and earlier for documents that others link to."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from index_states import opened, put_file, write

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.errors import CorruptIndex
from headnote.index.deep_vectors import update_vectors
from headnote.model.results import Progress
from headnote.store.sqlite.vectors import SqliteVectorWriter

pytest_plugins = ("store_fixtures",)

DEEP = HashingEmbedder(16)
BOTH = Models(HashingEmbedder(8), DEEP)


def waiting(root: Path) -> list[str]:
    """The first word of each text that waits, in order."""
    with closing(opened(root)) as store, store.reading() as reader:
        return [text.text.split()[-1] for text in reader.pending(DEEP.name, 100)]


@pytest.mark.usefixtures("everywhere")
def test_new_documents_come_first(tmp_path: Path) -> None:
    write(tmp_path / "root", {name: f"text {name}" for name in ("old.md", "newer.md", "newest.md")})
    with headnote.Index.open(tmp_path / "root", embedder=BOTH) as index:
        index.update(workers=1, vectors=False)
    assert waiting(tmp_path / "root") == ["newest.md", "newer.md", "old.md"]


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("seed", range(4))
def test_the_place_is_the_rank_by_time_divided_by_the_links(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    root = tmp_path / "root"
    names = [f"page{number}.md" for number in range(12)]
    times = random.sample(range(1000), len(names))
    targets = [random.choice(names[:4]) for _ in names]
    for name, time, target in zip(names, times, targets, strict=True):
        put_file(root / name, f"[to]({target}) text {name}".encode(), time)
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(workers=1, vectors=False)
    by_time = sorted(names, key=lambda name: -times[names.index(name)])
    place = {name: (by_time.index(name) + 1) / (1 + targets.count(name)) for name in names}
    assert [place[name] for name in waiting(root)] == sorted(place.values())


@pytest.mark.usefixtures("everywhere")
def test_making_them_gives_way_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.index.deep_vectors.TEXT_BATCH", 2)
    root = tmp_path / "root"
    write(root, {f"page{number}.md": f"text {number}" for number in range(9)})
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(workers=1, vectors=False)
    with closing(opened(root)) as store:
        seen: list[Progress] = []
        first = update_vectors(store, DEEP, watch=seen.append, should_stop=lambda: len(seen) > 2)
        assert first.texts == 4, "names, then two batches of texts"
        assert [progress.seconds_left is None for progress in seen] == [True, False, False]
        with store.reading() as reader:
            assert reader.claims(DEEP.name) == []
        assert update_vectors(store, DEEP).texts == 5
        assert update_vectors(store, DEEP).texts == 0


def test_files_that_change_do_not_wait_for_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setattr("headnote.index.deep_vectors.TEXT_BATCH", 1)
    monkeypatch.setattr("headnote.sources.watch.LOOK_EVERY_S", 0.0)
    root = tmp_path / "root"
    write(root, {f"page{number}.md": f"text {number}" for number in range(9)})
    stop = threading.Event()

    def change(progress: Progress) -> None:
        if progress.stage == "embed" and progress.done == 12:
            put_file(root / "page3.md", b"changed", 500)

    with headnote.Index.open(root, embedder=BOTH) as index:
        reports = index.watch(stop, workers=1, on_progress=change)
        first, second = next(reports), next(reports)
        stop.set()
    assert first.embedded < 9
    assert second.plan.changed == ["page3.md"]


@pytest.mark.parametrize("models", [BOTH, Models(deep=DEEP)])
def test_a_store_that_loses_vectors_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models) -> None:
    """Otherwise the same texts would be embedded forever."""
    monkeypatch.setattr("headnote.index.deep_vectors.TEXT_BATCH", 2)
    root = tmp_path / "root"
    write(root, {f"page{number}.md": f"text {number}" for number in range(9)})
    with headnote.Index.open(root, embedder=Models()) as index:
        index.update(workers=1)
    monkeypatch.setattr(SqliteVectorWriter, "add_vectors", lambda *_: None)
    monkeypatch.setattr(SqliteVectorWriter, "add_packed", lambda *_: None)
    with headnote.Index.open(root, embedder=models) as index, pytest.raises(CorruptIndex, match="not found again"):
        index.update(workers=1)

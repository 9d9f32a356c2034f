"""A long read is committed in batches: what was read can be searched, stays whatever happens, and is not read again."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from index_states import Counting, State, eager_batches, fresh_state, opened, state, write
from index_workers import WorkerPool, page, shuffle_files

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.index import applying
from headnote.index.applying import Batches, Pace, in_groups
from headnote.model.results import Progress

pytest_plugins = ("store_fixtures",)

WORDS = "apple bridge candle dragon engine falcon garden hammer island".split()
PAGES = {
    f"p{n}.md": f"# Page {n}\n\n{WORDS[n]} [next](p{(n + 1) % 9}.md#page-{(n + 1) % 9}) [[p3]]\n" for n in range(9)
}
HALF = 4


class Interrupted(Exception):
    """Somebody pressed a key."""


@pytest.fixture
def eager() -> Iterator[None]:
    with eager_batches():
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "root", PAGES)
    return tmp_path / "root"


def stop_after(files: int) -> Callable[[Progress], None]:
    """So many files are read, written and committed; then somebody presses a key."""

    def watch(progress: Progress) -> None:
        if progress.stage == "read" and progress.done > files:
            raise Interrupted

    return watch


def interrupted(root: Path, files: int = HALF, **options: object) -> None:
    with (
        headnote.Index.open(root, **{"embedder": "hashing:16", **options}) as index,  # type: ignore[arg-type]
        pytest.raises(Interrupted),
    ):
        index.update(workers=1, on_progress=stop_after(files))


def sound(root: Path) -> None:
    store = opened(root)
    assert store.check() == []
    store.close()


def finished(root: Path, scratch: Path, embedder: str | Counting = "hashing:16", **options: object) -> headnote.Report:
    """The next update, after which the index is that of a new one."""
    with headnote.Index.open(root, embedder=embedder, **options) as index:  # type: ignore[arg-type]
        report = index.update(workers=1)
        assert index.files_read is None
        assert index.status().files_read is None
        assert index.check() == []
        assert index.update(workers=1).plan.is_empty
        name = index.embedder.name
    settings = {key: value for key, value in options.items() if key != "configure"}
    assert state(root, name) == fresh_state(root, scratch, name, **settings)
    return report


@pytest.mark.usefixtures("everywhere", "eager")
def test_what_was_read_stays_and_is_found_and_not_read_again(root: Path, tmp_path: Path) -> None:
    interrupted(root)
    sound(root)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        assert index.files_read == index.status().files_read == headnote.FilesRead(HALF, len(PAGES))
        assert str(index.files_read) == "4 of 9 files read"
        assert index.documents() == sorted(PAGES)[:HALF]
        assert [hit.path for hit in index.search("candle", mode="keyword")] == ["p2.md"]
        assert index.search("island", mode="keyword") == []
        unread = max(PAGES)
        with pytest.raises(headnote.MissingSource, match=r"has not been read yet \(4 of 9 files read: ask again\)"):
            index.read(unread)
    report = finished(root, tmp_path / "fresh")
    assert (report.plan.added, report.plan.unchanged) == (sorted(PAGES)[HALF:], HALF)


@pytest.mark.filterwarnings("ignore::headnote.UnreadIndex")  # who looks before the first batch is told so
@pytest.mark.usefixtures("everywhere", "eager")
def test_others_find_what_has_been_read_so_far(root: Path) -> None:
    seen = []

    def look(progress: Progress) -> None:
        with headnote.Index.open(root, embedder="hashing:16", read_only=True) as other:
            found = {hit.path for hit in other.search("page", mode="keyword", limit=20)}
            seen.append((progress.done, other.files_read, len(found)))

    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1, vectors=False, on_progress=look)
    # A document is committed before the next one is read.
    expected = [(0, None, 0), (0, None, 0), (1, None, 0)]
    expected += [(n, headnote.FilesRead(n - 1, 9), n - 1) for n in range(2, 10)]  # type: ignore[misc]
    assert seen == expected


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_read_that_goes_on_counts_from_where_it_stopped(root: Path) -> None:
    interrupted(root)
    seen: list[Progress] = []
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1, vectors=False, on_progress=seen.append)
    counts = [(progress.stage, progress.done, progress.total) for progress in seen]
    assert counts == [("read", 0, 0), *(("read", done, 9) for done in range(HALF, 10))]


@pytest.mark.usefixtures("everywhere", "eager")
def test_files_change_between_two_attempts(root: Path, tmp_path: Path) -> None:
    interrupted(root)
    (root / "p0.md").unlink()
    (root / "p1.md").rename(root / "renamed.md")
    write(root, {"p2.md": "# Changed\n\n[x](renamed.md)", "new.md": "[[p3]]"})
    interrupted(root, 1)
    sound(root)
    (root / "p8.md").unlink()
    finished(root, tmp_path / "fresh")


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_folder_that_lost_all_it_had_before_it_was_read(root: Path, tmp_path: Path) -> None:
    interrupted(root)
    for file in root.glob("*.md"):
        file.unlink()
    finished(root, tmp_path / "fresh")


@pytest.mark.usefixtures("everywhere", "eager")
def test_nothing_is_left_to_read_but_the_links(root: Path, tmp_path: Path) -> None:
    interrupted(root)
    for name in sorted(PAGES)[HALF:]:
        (root / name).unlink()
    report = finished(root, tmp_path / "fresh")
    assert report.plan.is_empty


@pytest.mark.usefixtures("everywhere", "eager")
def test_other_settings_after_an_interruption(root: Path, tmp_path: Path) -> None:
    """What was read with the old ones is dropped: it was never complete."""
    interrupted(root)
    interrupted(root, 2, max_tokens=64)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        assert index.files_read == headnote.FilesRead(2, len(PAGES))
    sound(root)
    finished(root, tmp_path / "fresh", max_tokens=64)


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_complete_index_stays_until_it_is_complete_with_other_settings(root: Path, tmp_path: Path) -> None:
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1)
    before = state(root, "hashing:16")
    interrupted(root, max_tokens=64)
    assert state(root, "hashing:16") == before
    with headnote.Index.open(root, embedder="hashing:16") as index:
        assert index.files_read is None
    finished(root, tmp_path / "fresh", max_tokens=64)


@pytest.mark.usefixtures("everywhere", "eager")
def test_another_instant_model_after_an_interruption(root: Path) -> None:
    """In every commit there is a vector of each text that is there."""
    deep = HashingEmbedder(16)
    for instant, files in ((HashingEmbedder(8), HALF), (HashingEmbedder(24), HALF + 2)):
        with headnote.Index.open(root, embedder=Models(instant, deep)) as index, pytest.raises(Interrupted):
            index.update(workers=1, on_progress=stop_after(files))
        sound(root)
    with headnote.Index.open(root, embedder=Models(HashingEmbedder(24), deep)) as index:
        assert index.files_read == headnote.FilesRead(HALF + 2, len(PAGES))
        index.update(workers=1)
        assert index.check() == []


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_later_update_keeps_what_it_has_read_too(root: Path, tmp_path: Path) -> None:
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1)
    write(root, {f"q{n}.md": f"# Later {n}\n\n[x](p1.md) [[q{n + 1}]]" for n in range(6)})
    write(root, {"p1.md": "# Another page\n\nchanged"})
    interrupted(root, 3)
    sound(root)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        assert index.files_read is None, "not for the first time"
        assert len(index.documents()) == len(PAGES) + 2
    report = finished(root, tmp_path / "fresh")
    assert not report.is_first_read
    assert len(report.plan.added) == 4


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_complete_index_stays_whatever_interrupts_its_updates(root: Path, tmp_path: Path) -> None:
    """Files were added and read in part; then the settings changed, and that was interrupted, too."""
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1)
    write(root, {f"q{n}.md": f"# Later {n}\n\n[x](p1.md)" for n in range(3)})
    interrupted(root, 1)
    before = state(root, "hashing:16")
    interrupted(root, 2, max_tokens=64)
    assert state(root, "hashing:16") == before
    assert len(before.documents) == len(PAGES) + 1
    finished(root, tmp_path / "fresh", max_tokens=64)


@pytest.mark.usefixtures("everywhere", "eager")
def test_nobody_can_tell_what_is_broken_before_all_files_are_read(root: Path) -> None:
    write(root, {"p1.md": "# Page 1\n\n[x](nowhere.md) [y](p8.md)"})
    interrupted(root)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        for question in (index.broken_links, index.orphans):
            with pytest.raises(headnote.UnreadIndex, match="4 of 9 files read: links are resolved when all are"):
                question()
        assert index.document("p1.md").broken == frozenset()
        assert index.graph().broken == []
        index.update(workers=1)
        assert [link.target for link in index.broken_links()] == ["nowhere.md"]


@pytest.mark.usefixtures("everywhere", "eager")
def test_broken_links_stay_known_while_a_complete_index_is_updated(root: Path) -> None:
    write(root, {"p1.md": "# Page 1\n\n[x](nowhere.md) [y](p8.md)"})
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1)
    write(root, {f"q{n}.md": "[x](p1.md)" for n in range(3)})
    interrupted(root, 1)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        assert {link.target for link in index.document("p1.md").broken} == {"nowhere.md"}
        assert "nowhere.md" in {link.target for link in index.graph().broken}
        with pytest.raises(headnote.UnreadIndex, match="an update was interrupted"):
            index.broken_links()


@pytest.mark.usefixtures("everywhere")
def test_all_links_tell_which_part_is_not_here(root: Path) -> None:
    write(root, {"p1.md": "# Page 1\n\n[x](api/one) [y](api/two) [z](api/three) [gone](gone/four)"})
    with headnote.Index.open(root, embedder="none") as index:
        index.update(workers=1)
        assert {link.target for link in index.document("p1.md").broken} == {"gone/four"}
        assert [link.target for link in index.graph().broken] == ["gone/four"]
        assert [link.target for link in index.broken_links()] == ["gone/four"]


def test_before_the_first_update_nobody_can_tell_what_is_broken(root: Path) -> None:
    with headnote.Index.open(root, embedder="none") as index, pytest.raises(headnote.UnreadIndex):
        index.broken_links()


@pytest.mark.usefixtures("everywhere", "eager")
def test_a_repair_of_an_unfinished_index(root: Path, tmp_path: Path) -> None:
    """It may keep what was read or lose it, and says so in either case."""
    interrupted(root)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.repair()
        read = index.files_read
        assert (read.done if read else 0) == len(index.documents())
    assert finished(root, tmp_path / "fresh").is_first_read


@pytest.mark.usefixtures("everywhere", "eager")
def test_one_team_does_not_finish_the_read_of_another(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {f"{team}/{name}": f"{text}\nof {team * 9}" for team in ("a", "bb") for name, text in PAGES.items()})
    teams = {team: {"include": [f"{team}/**"]} for team in ("a", "bb")}
    interrupted(root, HALF, **teams["a"])
    interrupted(root, 2, **teams["bb"])
    with headnote.Index.open(root, embedder="hashing:16", **teams["bb"]) as index:  # type: ignore[arg-type]
        shared = index.is_shared
        # Where nobody shares the index, other files to include are another folder.
        assert index.files_read == (headnote.FilesRead(HALF + 2, 18) if shared else headnote.FilesRead(2, 9))
        index.update(workers=1)
        assert index.files_read == (headnote.FilesRead(HALF, 9) if shared else None)
        assert index.update(workers=1).plan.is_empty
    with headnote.Index.open(root, embedder="hashing:16", **teams["a"]) as index:  # type: ignore[arg-type]
        index.update(workers=1)
        assert index.files_read is None
        assert index.broken_links() == []
        assert len(index.documents()) == (18 if shared else 9)


def test_few_files_are_read_in_one_transaction(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "FIRST", 0.0)
    with headnote.Index.open(root, embedder="none") as index:
        index.update(workers=1)
        assert index.generation == 1


# -- random kills


def is_that_of_a_new_one(root: Path, scratch: Path) -> None:
    actual, expected = state(root, "hashing:16"), fresh_state(root, scratch)
    for name in State._fields:
        assert (getattr(actual, name) == getattr(expected, name)) is True, name


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.usefixtures("everywhere")
def test_a_kill_at_any_moment_of_a_first_read_keeps_what_was_committed(tmp_path: Path) -> None:
    random = Random(11)
    root = tmp_path / "root"
    pool = WorkerPool()
    for turn in range(6):
        shutil.rmtree(root, ignore_errors=True)
        root = tmp_path / f"root{turn}"
        write(root, {f"page{number}.md": page(random) for number in range(20)})
        _kill_and_go_on(pool, root, random)
        is_that_of_a_new_one(root, tmp_path / "fresh")
    pool.close()


def _kill_and_go_on(pool: WorkerPool, root: Path, random: Random) -> None:
    """Killed up to three times, with changes in between, then read to the end."""
    for attempt in range(random.randint(1, 3)):
        worker = pool.start("read", root)
        output = [pool.hear() for _ in range(random.randint(0, 20))]
        time.sleep(random.uniform(0, 0.02))  # not to wait for anything: any moment is as good as another
        output += pool.kill(worker)
        stored = max((int(line.split()[1]) for line in output), default=0)
        sound(root)
        with headnote.Index.open(root, embedder="hashing:16") as index:
            before = index.status().documents
            if attempt == 0:  # later ones may also remove what is gone
                assert before >= stored, "what was seen is there"
                assert index.files_read is None or index.files_read.done == before
        shuffle_files(root, random)
    with headnote.Index.open(root, embedder="hashing:16") as index:
        known = set(index.documents())
        same = {path for path in known if path not in {*index.drift().changed, *index.drift().gone}}
        report = index.update(workers=1)
        assert not same & {*report.plan.added, *report.plan.changed}, "nothing is read again"
        assert index.check() == []


# -- the clock


def test_batches_are_early_at_first_and_then_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("headnote.index.applying.time.monotonic", lambda: now[0])

    class Writer:
        commits: list[float] = []  # noqa: RUF012

        def set_manifest(self, _: object) -> None: ...

        def commit(self) -> None:
            self.commits.append(now[0] - 100)

    own = Batches(Writer(), lambda _: {}, 0, 10_000)  # type: ignore[arg-type]
    for number in range(300):
        now[0] = 100 + number / 10
        if own.is_due:
            own.commit(number)
    assert Writer.commits == [1, 2, 4, 8, 13, 18, 23, 28]


def test_groups_end_where_something_is_due() -> None:
    due = iter([False, True, False, False, True, False])
    assert list(in_groups(iter(range(6)), lambda: next(due))) == [[0, 1], [2, 3, 4], [5]]


def test_the_time_left_goes_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("headnote.index.applying.time.monotonic", lambda: now[0])
    pace = Pace([8_000, 8_000, 0, 0])
    assert pace.seconds_left(0) is None
    now[0] = 10.0
    assert pace.seconds_left(1) == pytest.approx(14.0)
    assert pace.seconds_left(4) == 0

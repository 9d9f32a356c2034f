"""However an index was reached, it says what one made from nothing says of the same folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random

import pytest
from changing_folder import ChangingFolder
from index_states import (
    Counting,
    State,
    eager_batches,
    fresh_state,
    hashes_with_vectors,
    opened,
    put_file,
    state,
    vectors_by_name,
    write,
)

import headnote
from headnote.index.plan import Report, ignore_progress
from headnote.index.text_vectors import parts_of
from headnote.model.results import Progress

pytest_plugins = ("store_fixtures",)


WALKS = 60
WALKS_IN_A_TEST = 10


class Interrupted(Exception):
    """Somebody pressed a key."""


def interrupt_at(moment: int) -> Callable[[Progress], None]:
    seen = iter(range(moment))

    def watch(_: Progress) -> None:
        if next(seen, None) is None:
            raise Interrupted

    return watch


def updated(folder: ChangingFolder, watch: Callable[[Progress], None] = ignore_progress) -> Report:
    """One update, which embeds exactly what has no vector yet."""
    embedder = Counting(folder.embedder)
    with (
        headnote.Index.open(folder.root, embedder=embedder, configure="anew", **folder.settings) as index,
        closing(opened(folder.root)) as store,
    ):
        before = hashes_with_vectors(store, embedder.name)
        with store.reading() as reader:
            named_before = vectors_by_name(reader, embedder.name)
        report = index.update(workers=1, on_progress=watch)
        made = hashes_with_vectors(store, embedder.name) - before
        with store.reading() as reader:
            chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
            named = vectors_by_name(reader, embedder.name)
    texts = {chunk.row.hash: chunk.embed_text for chunk in chunks}
    assert report.embedded == len(made), "counted as it was, and nothing again"
    parts = [part for digest in made for part in parts_of(texts[digest])]
    names = Counter(embedder.texts) - Counter(parts)
    assert Counter(embedder.texts) - names == Counter(parts)
    assert names == Counter(name for name in named if name in names), "only names that chunks have, each once"
    assert not names.keys() & named_before.keys(), "no name again"
    return report


def check(folder: ChangingFolder, scratch: Path) -> None:
    story = "\n".join(folder.log)
    store = opened(folder.root)
    assert store.check() == [], story
    store.close()
    expected = fresh_state(folder.root, scratch, folder.embedder, **folder.settings)
    compare(state(folder.root, folder.embedder), expected, story)


def compare(actual: State, expected: State, story: str = "") -> None:
    for name in State._fields:
        assert getattr(actual, name) == getattr(expected, name), f"{name} after\n{story}"


def walk(seed: int, tmp_path: Path) -> None:
    """Every other one commits after each document, so that an interruption leaves some of them."""
    with eager_batches() if seed % 2 else nullcontext():
        _walk(Random(seed), tmp_path / f"walk{seed}", tmp_path)


def _walk(random: Random, root: Path, tmp_path: Path) -> None:
    folder = ChangingFolder(root, random)
    shared = "HEADNOTE_STORE" in os.environ
    for step in range(random.randint(3, 7)):
        for _ in range(random.randint(0 if step else 1, 3)):
            folder.change()
            if shared:  # there, what is not included is for others
                folder.settings = {name: value for name, value in folder.settings.items() if name != "include"}
        if random.random() < 0.2:
            folder.log.append("-- interrupted")
            try:
                updated(folder, interrupt_at(random.randrange(8)))
            except Interrupted:
                store = opened(folder.root)
                assert store.check() == [], "\n".join(folder.log)
                store.close()
        else:
            updated(folder)
            folder.log.append("-- updated")
            if random.random() < 0.4:
                check(folder, tmp_path / "fresh")
    updated(folder)
    check(folder, tmp_path / "fresh")
    again = updated(folder)
    assert again.plan.is_empty
    assert again.embedded == 0


def test_after_any_changes_an_index_in_a_database_is_the_same(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HEADNOTE_STORE", postgres_database)
    for seed in range(WALKS, WALKS + WALKS_IN_A_TEST):
        walk(seed, tmp_path)


@pytest.mark.parametrize("first", range(0, WALKS, WALKS_IN_A_TEST))
def test_after_any_changes_the_index_is_that_of_a_new_one(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + WALKS_IN_A_TEST):
        walk(seed, tmp_path)


# -- what is most easily got wrong, by itself


class Case:
    """A small folder, what was embedded in its last update, and whether its index is that of a new one."""

    def __init__(self, tmp_path: Path, files: dict[str, str]) -> None:
        self.root = tmp_path / "root"
        self.scratch = tmp_path / "fresh"
        self._clock = 1000
        write(self.root, files)
        self.update()

    def put(self, name: str, text: str) -> None:
        self._clock += 1
        put_file(self.root / name, text.encode(), self._clock)

    def move(self, here: str, there: str) -> None:
        (self.root / there).parent.mkdir(exist_ok=True)
        (self.root / here).rename(self.root / there)

    def update(self) -> Report:
        self.embedder = Counting()
        with headnote.Index.open(self.root, embedder=self.embedder) as index:
            report = index.update(workers=1)
            assert index.check() == []
        compare(state(self.root, self.embedder.name), fresh_state(self.root, self.scratch))
        return report

    def lead(self, source: str) -> list[tuple[str | None, str | None]]:
        with headnote.Index.open(self.root, embedder="none") as index:
            return [(link.resolved, link.section) for link in index.links(source)]


@pytest.mark.usefixtures("everywhere")
def test_a_renamed_document_keeps_its_vectors(tmp_path: Path) -> None:
    case = Case(tmp_path, {"a.md": "# A\n\ntext", "b.md": "[x](a.md#a) [[a]]"})
    case.move("a.md", "sub/c.md")
    report = case.update()
    assert report.plan.renamed == [("a.md", "sub/c.md")]
    assert (report.embedded, report.chunks, case.embedder.texts) == (0, 0, [])
    assert case.lead("b.md") == [(None, None), (None, None)]
    case.move("sub/c.md", "a.md")
    assert case.update().embedded == 0
    assert case.lead("b.md") == [("a.md", "a"), ("a.md", None)]


@pytest.mark.usefixtures("everywhere")
def test_a_document_without_a_title_has_the_name_of_its_file_also_when_that_changes(tmp_path: Path) -> None:
    case = Case(tmp_path, {"zebra.md": "only text", "other.md": "## zebra\n\ntext"})
    case.move("zebra.md", "giraffe.md")
    case.move("other.md", "moved.md")
    report = case.update()
    assert len(report.plan.renamed) == 2
    assert report.embedded == 0
    with headnote.Index.open(case.root, embedder="none") as index:
        assert [hit.path for hit in index.search("giraffe", mode="keyword")] == ["giraffe.md"]
        assert [hit.path for hit in index.search("zebra", mode="keyword")] == ["moved.md"]


@pytest.mark.usefixtures("everywhere")
def test_a_document_renamed_and_then_edited(tmp_path: Path) -> None:
    case = Case(tmp_path, {"a.md": "# A\n\n" + "same text\n\n" * 5 + "# B\n\n" + "more text\n\n" * 200})
    case.move("a.md", "b.md")
    case.put("b.md", (case.root / "b.md").read_text() + "\n\n# New\n\n" + "quite another text " * 60)
    report = case.update()
    assert (report.plan.added, report.plan.removed) == (["b.md"], ["a.md"])
    assert 1 <= report.embedded < report.chunks


@pytest.mark.usefixtures("everywhere")
def test_two_documents_swapped_and_one_copied(tmp_path: Path) -> None:
    case = Case(tmp_path, {"a.md": "# A\n\ntext of a", "b.md": "# B\n\nsome text of b", "c.md": "[x](a.md#b)"})
    case.move("a.md", "c.tmp")
    case.move("b.md", "a.md")
    case.move("c.tmp", "b.md")
    report = case.update()
    assert (report.plan.changed, report.embedded) == (["a.md", "b.md"], 0)
    assert case.lead("c.md") == [("a.md", "b")]
    case.put("copy.md", (case.root / "a.md").read_text())
    case.put("copy2.md", (case.root / "a.md").read_text())
    (case.root / "a.md").unlink()
    report = case.update()
    assert (report.plan.renamed, report.plan.added, report.embedded) == ([("a.md", "copy.md")], ["copy2.md"], 0)


@pytest.mark.usefixtures("everywhere")
def test_links_begin_and_cease_to_lead_somewhere(tmp_path: Path) -> None:
    case = Case(tmp_path, {"a.md": "[x](b.md#there) [[Nick]] [[b#There]]", "far/b.md": "# There"})
    nowhere, far = (None, None), ("far/b.md", "there")
    assert case.lead("a.md") == [nowhere, nowhere, far]
    case.put("b.md", "# Elsewhere")
    case.update()
    assert case.lead("a.md") == [("b.md", None), nowhere, ("b.md", None)]
    case.put("b.md", "# There")
    case.update()
    assert case.lead("a.md") == [("b.md", "there"), nowhere, ("b.md", "there")]
    case.put("far/b.md", "---\naliases: [nick]\n---\n# There")
    case.update()
    assert case.lead("a.md")[1] == ("far/b.md", None)
    case.put("far/b.md", "# There")
    (case.root / "b.md").unlink()
    case.update()
    assert case.lead("a.md") == [nowhere, nowhere, far]


@pytest.mark.usefixtures("everywhere")
def test_what_is_no_text_any_more_is_gone(tmp_path: Path) -> None:
    case = Case(tmp_path, {"a.md": "# A", "b.md": "[x](a.md)"})
    put_file(case.root / "a.md", bytes(range(32)) * 9, 5000)
    with headnote.Index.open(case.root, embedder="none") as index:
        assert index.plan().plan.removed == ["a.md"]
    report = case.update()
    assert report.plan.removed == ["a.md"]
    assert [skipped.path for skipped in report.skipped] == ["a.md"]
    case.put("a.md", "# A")
    assert case.update().plan.added == ["a.md"]


@pytest.mark.usefixtures("everywhere")
def test_a_plan_says_what_an_update_does(tmp_path: Path) -> None:
    case = Case(tmp_path, {name: f"# {name}\n\ntext" for name in ("a.md", "b.md", "c.md", "d.md")})
    case.move("a.md", "z.md")
    case.put("b.md", "# changed")
    case.put("c.md", "# c.md\n\ntext")
    (case.root / "d.md").unlink()
    case.put("e.md", "# new")
    with headnote.Index.open(case.root, embedder=Counting()) as index:
        generation = index.generation
        planned = index.plan()
        assert index.generation == generation, "nothing is written"
        rebuilt = index.plan(rebuild=True)
    assert (rebuilt.rebuilt, rebuilt.plan.changed) == ("as asked", ["b.md", "c.md"])
    assert planned.plan == case.update().plan


@pytest.mark.usefixtures("everywhere")
@pytest.mark.usefixtures("processes")
def test_a_rebuild_on_all_cores_says_the_same_and_embeds_nothing(tmp_path: Path) -> None:
    case = Case(tmp_path, {f"p{n}.md": f"# Page {n}\n\n[x](p{n + 1}.md#page-{n + 1})\n\n## More" for n in range(50)})
    before = state(case.root, "hashing:16")
    with headnote.Index.open(case.root, embedder=Counting()) as index:
        report = index.update(rebuild=True, workers=2)
    assert (len(report.plan.changed), report.embedded, report.rebuilt) == (50, 0, "as asked")
    compare(state(case.root, "hashing:16"), before)

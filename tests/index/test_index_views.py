"""What an index says of documents and chunks to those who show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from headnote import Index, MissingSource, SettingsError
from headnote.api.keeper import KeeperState, keep_fresh
from headnote.embedding.embedder import HashingEmbedder
from headnote.model.results import Progress


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "a.md").write_text("# A\n\nSee [b](b.md#gone) and ![](p.png).\n\n## Part\n\nMore.\n", encoding="utf-8")
    (tmp_path / "odd#name:x_chunk_.md").write_text("# Odd\n\nText.\n\nText.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n\nBack to [[a]].\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        yield opened


def test_contents_have_titles(index: Index) -> None:
    assert [(one.path, one.title) for one in index.contents()] == [
        ("a.md", "A"),
        ("b.md", "B"),
        ("odd#name:x_chunk_.md", "Odd"),
    ]
    assert [one.chunks for one in index.contents()] == [
        len(index.document(one.path).chunks) for one in index.contents()
    ]


def test_contents_count_links_as_the_graph_does(index: Index) -> None:
    contents = index.contents()
    assert [(one.path, one.links, one.tags) for one in contents] == [
        (node.path, node.degree, node.tags) for node in index.graph().nodes
    ]
    assert [one.links for one in contents] == [2, 2, 0]
    files = [index.root / one.path for one in contents]
    assert [(one.size, one.mtime_ns) for one in contents] == [
        (file.stat().st_size, file.stat().st_mtime_ns) for file in files
    ]


def test_a_neighbourhood_begins_with_its_document(index: Index) -> None:
    near = index.neighbourhood("b")
    assert [(node.path, node.distance) for node in near.nodes] == [("b.md", 0), ("a.md", 1)]
    assert (near.edges, near.left_out) == ([(0, 1), (1, 0)], 0)
    assert index.neighbourhood("b.md", limit=1).left_out == 1
    with pytest.raises(MissingSource):
        index.neighbourhood("gone.md")
    with pytest.raises(SettingsError, match="must be 1 or more"):
        index.neighbourhood("a.md", depth=0)


def test_a_document_knows_its_broken_links(index: Index) -> None:
    view = index.document("a.md")
    assert {(link.target, link in view.broken) for link in view.links} == {("b.md", True), ("p.png", True)}
    assert [link.path for link in view.backlinks] == ["b.md"]
    assert view.broken == {link for link in index.broken_links() if link.path == "a.md"}
    with pytest.raises(MissingSource):
        index.document("gone.md")


@pytest.mark.parametrize("preset", ["default", "mdvdb", "ragdocs", "refdocs", "blocks"])
def test_chunks_by_key_and_by_id_in_every_preset(tmp_path: Path, preset: str) -> None:
    for name in ("a.md", "odd#name:x_chunk_.md"):
        (tmp_path / name).write_text("# A\n\n" + "Some words of it.\n\n" * 400, encoding="utf-8")
    with Index.open(tmp_path, embedder="none", preset=preset) as index:
        index.update()
        for path in index.documents():
            for chunk in index.document(path).chunks:
                assert index.chunk(chunk.key) == chunk
                assert index.chunk(chunk.chunk_id) == chunk


@pytest.mark.parametrize("key", ["", "#", "a.md", "a.md#", "a.md#0000000000000000-0", "gone.md#0", "a.md:99999"])
def test_a_chunk_that_is_not_there(index: Index, key: str) -> None:
    with pytest.raises(MissingSource, match="no such chunk"):
        index.chunk(key)


def test_a_section_by_text_or_anchor(index: Index) -> None:
    for heading in ("Part", "part", "## Part", " PART "):
        assert index.section("a.md", heading).text == "## Part\n\nMore.\n"
    with pytest.raises(MissingSource, match="it has: A, Part"):
        index.section("a.md", "nothing")


def test_the_keeper_says_how_far_it_is(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n", encoding="utf-8")
    seen: list[Progress] = []
    with keep_fresh(lambda: Index.open(tmp_path, embedder="hashing:8"), on_progress=seen.append) as keeper:
        assert keeper.updated.wait(60)
        keeper._record(seen[0])
        assert (keeper.progress, keeper.busy) == (seen[0], True)
    assert {progress.stage for progress in seen} == {"read", "embed"}
    assert keeper.progress is None
    assert keeper.problem == ""


def test_a_read_only_index_is_served_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    with keep_fresh(lambda: Index.open(tmp_path, embedder="none", read_only=True)) as keeper:
        index = keeper.served().index
        keeper.join(60)
        assert (keeper.busy, keeper.problem, keeper.is_alive()) == (False, "", False)
        assert keeper.state() == KeeperState()
        assert index.documents() == ["a.md"]


def test_the_keeper_says_that_nothing_is_read_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks waits a moment, and learns that the answer is not the last one."""
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    monkeypatch.setattr("headnote.api.keeper.PATIENCE", 0.0)
    monkeypatch.setattr("headnote.api.keeper.FIRST_PATIENCE", 0.1)
    with Index.open(tmp_path, embedder="none") as writer, keep_fresh(lambda: Index.open(tmp_path)) as keeper:
        with writer._store.writing():
            served = keeper.served()
            assert served.index.documents() == []
            assert served.state().note == "indexing has not started; results may be incomplete; ask again"
        assert keeper.updated.wait(60)
        assert keeper.state().note == ""
        assert keeper.served().index.documents() == ["a.md"]


def test_a_keeper_that_is_ended_keeps_what_is_read_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n", encoding="utf-8")
    monkeypatch.setattr("headnote.index.applying.FIRST", 0.0)
    monkeypatch.setattr("headnote.index.applying.MAX_SECONDS", 0.0)
    far = Event()

    def watch(progress: Progress) -> None:
        if progress.done == 100:
            assert keeper.state().note == f"{keeper.state().files_read}; results may be incomplete; ask again"
            keeper._stopping.set()
            far.set()

    with keep_fresh(lambda: Index.open(tmp_path, embedder="none"), on_progress=watch) as keeper:
        assert far.wait(60)
    with Index.open(tmp_path, embedder="none") as index:
        assert index.files_read is not None
        assert 0 < index.files_read.done < 200
        assert len(index.documents()) == index.files_read.done
    read: list[Progress] = []
    with keep_fresh(lambda: Index.open(tmp_path, embedder="none"), on_progress=read.append) as keeper:
        assert keeper.updated.wait(60)
        assert keeper.state() == KeeperState()
        assert len(keeper.open().documents()) == 200
    assert min(progress.done for progress in read if progress.total) > 50, "it does not begin again"


def test_the_keeper_says_why_an_index_cannot_be_opened_and_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headnote.api.keeper.PAUSE_AFTER_FAILURE", 0.01)
    folder = tmp_path / "docs"
    with keep_fresh(lambda: Index.open(folder, embedder="none")) as keeper:
        for _ in range(2):
            with pytest.raises(MissingSource, match="no such file or folder"):
                keeper.served()
        with pytest.raises(MissingSource):
            keeper.open()
        folder.mkdir()
        (folder / "a.md").write_text("# A\n", encoding="utf-8")
        assert keeper.updated.wait(60)
        assert keeper.served().index.documents() == ["a.md"]


def test_another_writer_is_forgotten_once_the_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only after the vectors, which may take an hour."""
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    monkeypatch.setattr("headnote.api.keeper.PAUSE_AFTER_FAILURE", 0.01)
    began, ended = Event(), Event()

    class Slow(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            began.set()
            ended.wait(60)
            return super().embed(texts)

    with Index.open(tmp_path, embedder=Slow(8)) as writer, ExitStack() as stack:
        with writer._store.writing():
            keeper = stack.enter_context(keep_fresh(lambda: Index.open(tmp_path, embedder=Slow(8)), wait=0.0))
            stack.callback(ended.set)
            assert keeper._read.wait(60)
            assert "being updated by process" in keeper.state().elsewhere
            assert keeper.state().problem == ""
        assert began.wait(60)
        assert (keeper.state().elsewhere, keeper.state().problem, keeper.busy) == ("", "", True)


def test_the_keeper_does_not_finish_what_nobody_waits_for(tmp_path: Path) -> None:
    """Texts enough for many batches of vectors: ended in the first, it makes no more of them."""
    for number in range(400):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n", encoding="utf-8")
    began = Event()

    class Slow(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            began.set()
            ended.wait(60)
            return super().embed(texts)

    ended = Event()
    with keep_fresh(lambda: Index.open(tmp_path, embedder=Slow(8))) as keeper:
        assert began.wait(60)
        keeper._stopping.set()
        ended.set()
    with Index.open(tmp_path, embedder=Slow(8)) as index:
        assert index.status().documents == 400
        assert index.status().pending > 200
        index.update()
        assert index.status().pending == 0


def test_a_report_fits_a_line(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text("Text.\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        assert repr(index.update()) == "<Report 30 added, 30 chunks written>"
        assert repr(index.update()) == "<Report no changes>"


def test_a_tag_in_the_text_finds_all_of_its_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\nRope, #sea.\n\n# Two\n\nRope.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# Three\n\nRope.\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none", merge=False, min_tokens=0, target_tokens=1) as index:
        index.update()
        for hits in (
            index.search("rope", tags="sea"),
            index.search("rope tag:sea"),
            index.search("rope", where="tag=sea"),
        ):
            assert {(hit.path, hit.title, hit.tags) for hit in hits} == {("a.md", "One", ("sea",)), ("a.md", "One", ())}
        (facet,) = index.search_page("rope").facets
        assert (facet.kind, facet.value, facet.total) == ("tag", "sea", 2)
        assert index.document("a.md").tags == ("sea",)


MATTER = "---\ntitle: Walrus\ntags: [sea]\naliases: [tusker]\nslug: ice\ndate: 2020-01-02\nbad: {\n---\n"


def test_stripped_frontmatter_is_neither_found_nor_filtered_nor_shown(tmp_path: Path) -> None:
    text = "# Heading\n\nSome text, #inline, on land.\n"
    (tmp_path / "note.md").write_text(MATTER.replace("bad: {\n", "") + text, encoding="utf-8")
    (tmp_path / "broken.md").write_text(MATTER + text, encoding="utf-8")
    (tmp_path / "link.md").write_text("# Link\n\nTo [[tusker]].\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none", frontmatter="strip") as index:
        report = index.update()
        assert report.warnings == []
        assert [
            *index.search("walrus"),
            *index.search("tusker", path="note.md"),
            *index.search("land", tags="sea"),
        ] == []
        assert [*index.search("land", where={"slug": "ice"}), *index.search("land", where="date > 2019")] == []
        hit = index.search("land", path="note.md")[0]
        assert (hit.title, hit.tags, hit.aliases, hit.metadata) == ("Heading", ("inline",), (), {})
        row = index.document("note.md").document
        assert (row.title, row.tags, row.aliases, row.metadata) == ("Heading", (), (), {})
        assert [link.target for link in index.broken_links()] == ["tusker"]
        assert {facet.kind for facet in index.search_page("text").facets} <= {"folder"}
        (tmp_path / "note.md").rename(tmp_path / "moved.md")
        index.update()
        assert index.document("moved.md").document.title == "Heading"
    with Index.open(tmp_path, embedder="none", frontmatter="metadata") as index:
        index.update()
        assert [hit.path for hit in index.search("walrus", tags="sea")] == ["moved.md"]


# What is left out


@pytest.fixture
def gaps(tmp_path: Path) -> Iterator[Index]:
    files = {
        "a.md": "# A\n",
        "package.json": "{}",
        "build/out.md": "# Out\n",
        "drafts/d.md": "# D\n",
        "big.md": "b" * 99,
    }
    files |= {
        ".gitignore": "drafts/\n",
        ".obsidian/h.md": "# H\n",
        "only.txt": "text",
        "binary.md": "\x89PNG\r\n\x1a\n\0",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    (tmp_path / "copy.md").symlink_to("a.md")
    with Index.open(tmp_path, embedder="none", max_file_bytes=50, exclude=["*.txt"]) as opened:
        opened.update()
        yield opened


def test_what_is_left_out_and_may_be_missed(gaps: Index) -> None:
    left_out = gaps.left_out()
    assert [one.path for one in left_out] == ["big.md", "build", "binary.md"]
    with Index.open(gaps.root, read_only=True) as fresh:
        assert {one.path for one in fresh.left_out()} == {one.path for one in left_out}
        assert fresh.drift().left_out == fresh.left_out()
    assert gaps.why_empty("nowhere").endswith("; left out of the index: big.md, build, binary.md (status says why)")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("build/out.md", "build: taken for build output, beside package.json: `!build/` in .headnoteignore"),
        ("drafts/d.md", "drafts: git ignores it: `!drafts` in .headnoteignore"),
        (".obsidian/h.md", ".obsidian: its name begins with a dot"),
        ("./big.md", "big.md: too large: 99 bytes, and 50 are allowed"),
        ("only.txt", "the setting exclude names it"),
        ("copy.md", "a symlink to a.md"),
        ("binary.md", "binary"),
    ],
)
def test_a_document_that_exists_and_is_left_out_says_why(gaps: Index, path: str, reason: str) -> None:
    with pytest.raises(MissingSource, match="exists, and is left out") as caught:
        gaps.read(path)
    assert reason in caught.value.remedy
    (gaps.root / "new.md").write_text("# New\n", encoding="utf-8")
    with pytest.raises(MissingSource, match=r"exists, and is left out .*not been read yet"):
        gaps.document(str(gaps.root / "new.md"))


@pytest.mark.parametrize("path", ["package.json", ".git/config.md", "../a.md", "gone.md", "build"])
def test_what_nobody_looks_for_is_only_not_there(gaps: Index, path: str) -> None:
    (gaps.root / ".git").mkdir()
    (gaps.root / ".git" / "config.md").write_text("text", encoding="utf-8")
    (gaps.root.parent / "a.md").write_text("outside", encoding="utf-8")
    with pytest.raises(MissingSource, match="not in the index"):
        gaps.read(path)


# Documents by name


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Index]:
    notes = {
        "a/zettel-method.md": "---\naliases: [ZK, The Method]\n---\n# Zettelkasten\n\nSlips, see [[MOC]].\n",
        "a/MOC.md": "# Map of content\n\nSlips and maps.\n\n## Maps\n\nMore.\n",
        "a/note.md": "# Same\n",
        "b/note.md": "# Same\n",
        "b/question.md": "# What is a slip?\n\nA small paper.\n",
        "guide/index.md": "# Beginning\n",
    }
    for name, text in notes.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("MOC", "a/MOC.md"),
        ("moc", "a/MOC.md"),
        ("moc.md", "a/MOC.md"),
        ("[[MOC]]", "a/MOC.md"),
        ("map of content", "a/MOC.md"),
        ("Zettelkasten", "a/zettel-method.md"),
        ("zk", "a/zettel-method.md"),
        ("the method", "a/zettel-method.md"),
        ("b/note", "b/note.md"),
        ("guide", "guide/index.md"),
        ("What is a slip?", "b/question.md"),
    ],
)
def test_a_name_that_means_one_document_is_that_document(vault: Index, name: str, path: str) -> None:
    whole = vault.read(path)
    assert vault.read(name) == whole
    assert vault.read_many(name.strip("[]")).passages == [whole]
    assert vault.outline(name) == vault.outline(path)
    assert vault.links(name) == vault.links(path)
    assert vault.backlinks(name) == vault.backlinks(path)
    assert vault.related(name) == vault.related(path)
    assert vault.document(name) == vault.document(path)


def test_a_passage_of_a_document_by_name(vault: Index) -> None:
    places = [vault.read("a/MOC.md", 3, 3), vault.section("a/MOC.md", "maps")]
    assert vault.read_many(["moc:3", "MOC#Maps"]).passages == places
    assert vault.related("MOC#maps") == vault.related("a/MOC.md#maps")


def test_a_place_is_read_without_taking_it_apart(vault: Index) -> None:
    assert vault.read("moc:3-4") == vault.read("a/MOC.md", 3, 4)
    assert vault.read("a/MOC.md#maps") == vault.section("a/MOC.md", "maps")


@pytest.mark.parametrize(
    ("place", "path", "first"),
    [
        ("C#", "C#.md", 1),
        ("C#.md#syntax", "C#.md", 3),
        ("C.md:2-3", "C.md", 2),
        ("12:30", "12:30.md", 1),
        ("12:30:2", "12:30.md", 2),
        ("a#b/x", "a#b/x.md", 1),
        ("a#b/x.md#F# minor", "a#b/x.md", 3),
        ("Re: item #7", "mail.md", 1),
    ],
)
def test_the_signs_of_lines_and_headings_are_in_names_too(place: str, path: str, first: int, tmp_path: Path) -> None:
    (tmp_path / "a#b").mkdir()
    (tmp_path / "C.md").write_text("# C\n\nOld.\n", encoding="utf-8")
    (tmp_path / "C#.md").write_text("# C#\n\n## Syntax\n", encoding="utf-8")
    (tmp_path / "12:30.md").write_text("# Lunch\n\nSoup.\n", encoding="utf-8")
    (tmp_path / "a#b" / "x.md").write_text("# X\n\n## F# minor\n", encoding="utf-8")
    (tmp_path / "mail.md").write_text("# Re: item #7\n\nYes.\n", encoding="utf-8")
    with Index.open(tmp_path, embedder=HashingEmbedder()) as index:
        index.update()
        passage = index.read(place)
        assert (passage.path, passage.start_line) == (path, first)
        assert index.read_many(place).passages == [passage]
        assert path not in {near.path for near in index.related(place)}


@pytest.mark.parametrize("name", ["note", "Same", "NOTE.md"])
def test_a_name_that_means_several_says_which(vault: Index, name: str) -> None:
    expected = r"means several documents \(name one by its path: a/note.md, b/note.md\)"
    for use in (vault.read, vault.links, vault.related, vault.outline, vault.document, vault.read_many):
        with pytest.raises(MissingSource, match=expected):
            use(name)


def test_a_name_that_means_none_gets_the_nearest(vault: Index) -> None:
    with pytest.raises(MissingSource, match=r"nearest: a/zettel-method.md \(Zettelkasten\)"):
        vault.links("Zettelkastn")
    with pytest.raises(MissingSource, match=r"nearest: b/question.md"):
        vault.links("b/qestion")


@pytest.mark.parametrize("place", ["moc:0", "moc:3-1", "a/MOC.md:0-2"])
def test_lines_that_are_no_range_are_refused(vault: Index, place: str) -> None:
    with pytest.raises(SettingsError, match=r"a/MOC.md: lines \d to \d are not a range \(count from 1"):
        vault.read_many(place)
    for line in (-1, 0):
        with pytest.raises(SettingsError, match="are not a range"):
            vault.related("moc", line)


def test_nothing_equals_what_is_no_number(vault: Index) -> None:
    with pytest.raises(SettingsError, match=r"where\['a'\] is not a number"):
        vault.search("slips", where={"a": float("nan")})
    with pytest.raises(SettingsError, match="wait must be 0 or more, not nan"):
        vault.update(wait=float("nan"))

"""An update does no more than it must: what did not change is neither read nor embedded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from edits import long_section
from index_states import Counting, Quick, copied, put_file, vectors_by_hash

import headnote
from headnote import parse
from headnote.index import deep_vectors
from headnote.model import Block
from headnote.model.results import Progress
from headnote.store import codec, document_writer
from headnote.store.rows import LinkRow, Row, StoredChunk
from headnote.store.sqlite.store import FOLDER, SqliteStore

PAGE = "release-notes.md"
MOST_EMBEDDED = 5


class LongPage:
    """The longest page of a corpus, alone in a folder, and what an edit of it costs."""

    def __init__(self, text: str, root: Path) -> None:
        self.root = root
        self.file = root / PAGE
        self._clock = 0
        self.put(text)

    def put(self, text: str) -> list[str]:
        """Texts that are embedded because of this."""
        self._clock += 1
        put_file(self.file, text.encode(), self._clock)
        embedder = Counting()
        with headnote.Index.open(self.root, embedder=embedder) as index:
            index.update(workers=1)
        return embedder.texts

    @property
    def text(self) -> str:
        return self.file.read_bytes().decode()

    def chunks(self) -> list[StoredChunk]:
        store = SqliteStore.open(self.root)
        with store.reading() as reader:
            chunks = reader.chunks_of(PAGE)
        store.close()
        return chunks


@pytest.fixture(scope="module", params=["own", "fastapi-en"])
def page(
    request: pytest.FixtureRequest, corpus_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> LongPage:
    if request.param == "own":
        text = "\n".join(f"# Release {number}\n\n{long_section(Random(number), 8)}" for number in range(500))
    else:
        [source] = corpus_folder(request.param).rglob(PAGE)
        text = source.read_bytes().decode()
    return LongPage(text, tmp_path_factory.mktemp("long"))


EDITS = 4


def one_of(text: str, kind: str, random: Random) -> Block:
    return random.choice([block for block in parse(text) if block.kind == kind])


def test_one_paragraph_changed_in_a_long_page(page: LongPage) -> None:
    random = Random(3)
    assert len(page.text.encode()) > 700_000
    for number in range(EDITS):
        text = page.text
        block = one_of(text, "paragraph", random)
        embedded = page.put(f"{text[: block.end]} Changed for the {number}th time.{text[block.end :]}")
        assert 1 <= len(embedded) <= MOST_EMBEDDED, f"{len(embedded)} after a change in line {block.start_line}"


def test_one_heading_renamed_in_a_long_page(page: LongPage) -> None:
    random = Random(4)
    for number in range(EDITS):
        text = page.text
        block = one_of(text, "heading", random)
        renamed = f"{text[: block.start]}{'#' * block.level} A new name {number}{text[block.end :]}"
        end = section_end(text, block) + len(renamed) - len(text)
        embedded = set(page.put(renamed))
        assert embedded, "the heading itself is in some chunk"
        rows = [chunk.row for chunk in page.chunks() if chunk.embed_text in embedded]
        outside = [row.start_line for row in rows if row.start >= end or row.end <= block.start]
        assert outside == [], f"not of the section in line {block.start_line}"


def section_end(text: str, heading: Block) -> int:
    """Where the next heading of the same level or a higher one begins."""
    following = (block for block in parse(text) if block.kind == "heading" and block.start > heading.start)
    return next((block.start for block in following if block.level <= heading.level), len(text))


# -- a folder that did not change

SECOND_RUN = """
import json, sys
sys.path = {path!r}
import headnote
from index_states import Quick
opened = []
root = {root!r} + "/"

def hear(event, given):
    if event == "open" and isinstance(given[0], str) and given[0].startswith(root):
        opened.append(given[0][len(root):])

with headnote.Index.open({root!r}, embedder=Quick()) as index:
    sys.addaudithook(hear)
    report = index.update()
    heard = list(opened)
    open(root + "marker.md", "w").close()
    print(json.dumps([heard, opened[len(heard):], report.plan.is_empty, report.plan.unchanged, report.embedded]))
"""


@pytest.mark.parametrize(("corpus", "documents", "embedded_texts"), [("own", 80, 500), ("react.dev", 150, 1000)])
def test_a_corpus_that_did_not_change_is_not_read_again(
    corpus: str, documents: int, embedded_texts: int, corpus_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    root = copied(corpus_folder(corpus), tmp_path / "corpus")
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    with headnote.Index.open(root, embedder=Quick()) as index:
        first = index.update()
        generation = index.generation
    assert len(first.plan.added) > documents
    assert first.embedded > embedded_texts
    code = SECOND_RUN.format(path=sys.path, root=str(root))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    opened, heard, is_empty, unchanged, embedded = json.loads(result.stdout)
    assert heard == ["marker.md"], "the hook hears"
    assert [path for path in opened if not path.startswith(FOLDER)] == []
    assert (is_empty, unchanged, embedded) == (True, len(first.plan.added), 0)
    with headnote.Index.open(root, embedder=Quick()) as index:
        assert index.generation == generation, "nothing was written either"


# -- vectors that were interrupted


class Stopped(KeyboardInterrupt):
    """Ctrl-C."""


def test_interrupted_vectors_are_continued_and_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the model that everybody gets."""
    monkeypatch.setattr(deep_vectors, "TEXT_BATCH", 4)
    topics = "pods volumes networks policies labels images nodes jobs".split()
    text = "".join(f"# About {topic}\n\n" + f"What there is to say about {topic}. " * 14 + "\n\n" for topic in topics)
    roots = {name: tmp_path / name for name in ("whole", "parts")}
    for root in roots.values():
        put_file(root / "a.md", text.encode(), 1)
        put_file(root / "b.md", text.replace("say", "tell").encode(), 2)
    embedder = Counting("minilm")
    with headnote.Index.open(roots["whole"], embedder=embedder) as index:
        assert index.update().embedded > 3 * deep_vectors.TEXT_BATCH
        expected = stored_vectors(index.root, index.embedder.name)
    embedded = list(interrupted(roots["parts"]))
    assert sum(embedded) == len(embedder.texts), "nothing is embedded twice"
    assert len(embedded) > 3
    assert stored_vectors(roots["parts"], index.embedder.name) == expected


def interrupted(root: Path) -> Iterator[int]:
    """Runs that end after the first batch of vectors, until there is nothing left; how much each has embedded."""

    def stop(progress: Progress) -> None:
        if progress.stage == "embed":
            raise Stopped

    while True:
        embedder = Counting("minilm")
        with headnote.Index.open(root, embedder=embedder) as index:
            try:
                assert index.update(on_progress=stop).embedded == 0
            except Stopped:
                assert index.status().pending or embedder.texts
        if not embedder.texts:
            return
        yield len(embedder.texts)


def stored_vectors(root: Path, model: str) -> dict[str, bytes]:
    store = SqliteStore.open(root)
    with store.reading() as reader:
        stored = vectors_by_hash(reader, model)
    assert store.check() == []
    store.close()
    return stored


def test_the_links_of_a_first_read_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[LinkRow] = []
    really = codec.link_row

    def counted(link: LinkRow) -> Row:
        written.append(link)
        return really(link)

    monkeypatch.setattr(codec, "link_row", counted)
    monkeypatch.setattr(document_writer, "link_row", counted)
    for number in range(3):
        put_file(tmp_path / f"p{number}.md", b"# Top\n\n[next](p1.md#top) [away](gone.md)\n", number)
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update(workers=1)
    targets = [(link.path, link.target, link.resolved, link.section) for link in written]
    expected = [((f"p{n}.md", "p1.md", "p1.md", "top"), (f"p{n}.md", "gone.md", None, None)) for n in range(3)]
    assert targets == [link for pair in expected for link in pair]

"""The notes that the benchmarks generate: the same every time, and of every form."""

from __future__ import annotations

from pathlib import Path

import pytest

import headnote
from headnote.embedding.embedder import HashingEmbedder
from notes import COUNT, plan, write_notes

NOTES = 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes")
    write_notes(root, NOTES, 0.2)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.md")}


def test_the_same_seed_gives_the_same_notes(folder: Path, tmp_path: Path) -> None:
    write_notes(tmp_path / "again", NOTES, 0.2)
    write_notes(tmp_path / "other", NOTES, 0.2, seed=7)
    assert contents(tmp_path / "again") == contents(folder)
    assert contents(tmp_path / "other") != contents(folder)


def test_there_are_as_many_as_asked_for(folder: Path) -> None:
    assert len(contents(folder)) == NOTES
    assert sum(map(len, contents(folder).values())) == pytest.approx(0.2e6, rel=0.2)
    assert len({note.path for note in plan(COUNT, 20)}) == COUNT


def test_they_have_what_notes_have(folder: Path) -> None:
    kinds = {block.kind for text in contents(folder).values() for block in headnote.parse(text.decode())}
    assert kinds >= {"frontmatter", "heading", "paragraph", "list", "table", "code", "quote"}


def test_their_links_lead_somewhere(folder: Path) -> None:
    with headnote.Index.open(folder, embedder=HashingEmbedder(8)) as index:
        index.update(vectors=False)
        assert index.status().links > NOTES
        assert index.broken_links() == []

"""What is missing is one number, in the same words, wherever somebody looks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import headnote
from headnote.api.keeper import KeeperState, Served
from headnote.cli.main import main
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.index import deep_vectors
from headnote.mcp_server.replies import status_reply
from headnote.model.results import Progress
from headnote.store.opening import open_store
from headnote.store.quantized import names_of
from headnote.web.endpoints import status
from headnote.web.requests import Nothing

Captured = pytest.CaptureFixture[str]

INSTANT, DEEP = HashingEmbedder(32), HashingEmbedder(64)
TEXT = "# Same\n\nThe same text.\n\n## Twice\n\nAnd this.\n"
WORDS = re.compile(r"([\d,]+) vectors? of hashing:64 to come")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Some texts and some names are in several documents."""
    monkeypatch.setattr("headnote.api.folders.get_models", lambda _: Models(INSTANT, DEEP))
    monkeypatch.setattr("headnote.cli.access.A_MOMENT", 0)
    monkeypatch.setattr(deep_vectors, "TEXT_BATCH", 2)
    monkeypatch.setattr(deep_vectors, "NAME_BATCH", 3)
    pages = {"copy.md": TEXT, "original.md": TEXT, "alone.md": "no heading", "empty.md": ""}
    pages |= {f"page{number}.md": f"# Page\n\nText {number}.\n\n# Other {number}\n\nMore." for number in range(12)}
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def missing(root: Path) -> int:
    """Counted from the documents: each different text and name that has no vector."""
    store = open_store(root)
    with store.reading() as reader:
        chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
        texts = {chunk.row.hash for chunk in chunks}
        names = {name for chunk in chunks for name in names_of(chunk.title, chunk.row.heading_path)}
        made = {chunk.row.hash for chunk in chunks if reader.parts(DEEP.name, [chunk.id]).chunks}
        without = len(reader.pending_names(DEEP.name, claimed=True))
    store.close()
    assert without <= len(names)
    return len(texts - made) + without


def told(root: Path, capsys: Captured) -> Iterator[tuple[str, int]]:
    """Every place that tells how many vectors are missing, and its number."""
    with headnote.Index.open(root) as index:
        own = index.status()
        yield "Status.pending", own.pending
        yield "its words", _in_words(own.vectors_to_come)
        yield "its models", next(model.pending for model in own.models if model.role == "deep")
        yield "HTTP", status(Served(index), Nothing()).pending
        reply = status_reply(own, KeeperState())
        yield "MCP", reply.data["pending"]
        yield "MCP text", _in_words(reply.text)
    for command in ("index --no-deep", "status", "doctor", "search same --explain"):
        name, *flags = command.split()
        arguments = [name, *flags, str(root)] if name != "search" else [name, flags[0], str(root), *flags[1:]]
        main(arguments)
        output = capsys.readouterr()
        for number in WORDS.findall(output.out + output.err):
            yield command, int(number.replace(",", ""))
        if name in ("index", "status"):
            main([*arguments, "--json"])
            record = json.loads(capsys.readouterr().out)
            yield f"{command} --json", (record if name == "status" else record["total"])["pending"]


def _in_words(text: str) -> int:
    found = WORDS.search(text)
    return int(found[1].replace(",", "")) if found else 0


def stop_after(batches: int, seen: list[Progress]) -> Callable[[Progress], None]:
    def watch(progress: Progress) -> None:
        if progress.stage == "embed":
            seen.append(progress)
            if len(seen) > batches:
                raise KeyboardInterrupt

    return watch


def test_before_on_the_way_and_at_the_end(root: Path, capsys: Captured) -> None:
    with headnote.Index.open(root) as index:
        index.update(vectors=False, workers=1)
    assert missing(root) > 10
    for batches in (0, 1, 3):
        numbers = list(told(root, capsys))
        assert {number for _, number in numbers} == {missing(root)}, numbers
        assert len(numbers) == 13
        seen: list[Progress] = []
        with headnote.Index.open(root) as index, pytest.raises(KeyboardInterrupt):
            index.update(workers=1, on_progress=stop_after(batches, seen))
        assert seen[-1].total - seen[-1].done == missing(root), "the bar"
    with headnote.Index.open(root) as index:
        before = missing(root)
        assert index.update(workers=1).vectors == before, "all that were to come were made"
        assert index.status().vectors_to_come == ""
    assert missing(root) == 0


@pytest.mark.parametrize("flags", [[], ["--watch"], ["--watch", "--rebuild"]])
def test_an_interruption_tells_the_same_number(
    flags: list[str], root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deep_vectors._EmbeddingRun, "_embed_texts", interrupt)
    assert main(["index", str(root), *flags]) == 130
    error = capsys.readouterr().err
    assert error.count("interrupted: ") == 1
    assert _in_words(error) == missing(root)

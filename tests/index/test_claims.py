"""Several processes share the embedding: no text is embedded twice, even if one of them dies."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from index_states import write

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.errors import EmbeddingError
from headnote.index.deep_vectors import NameQueue, TextQueue, Worker, others_at_work
from headnote.store.opening import open_store

pytest_plugins = ("store_fixtures",)

MODEL = "hashing:8"
PAGES = {f"page{number:03}.md": f"# Page {number}\n\nsome words about {number}\n" for number in range(300)}

# Slow, so that both are at work at once; each text that is embedded is a line.
RUN = """
import sys, time
import headnote
from headnote.embedding.embedder import HashingEmbedder

class Slow(HashingEmbedder):
    def embed(self, texts):
        for text in texts:
            print(repr(text), flush=True)
        time.sleep(0.3)
        return super().embed(texts)

with headnote.Index.open({root!r}, embedder=Slow(8)) as index:
    print("ready", flush=True)
    sys.stdin.readline()
    index.update(wait=60)
"""


@pytest.fixture
def root(everywhere: None, tmp_path: Path) -> Path:
    """All pages are read, and no vector is made."""
    del everywhere
    write(tmp_path / "docs", PAGES)
    with headnote.Index.open(tmp_path / "docs", embedder=MODEL) as index:
        index.update(vectors=False, workers=1)
    return tmp_path / "docs"


def start(root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN.format(root=str(root))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def embedded(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """What each of them embeds, when all of them are let go at once."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return outputs


def pending(root: Path) -> int:
    with headnote.Index.open(root, embedder=MODEL, read_only=True) as index:
        assert index.check() == []
        return index.status().pending


def test_two_runs_embed_each_text_and_each_name_once(root: Path) -> None:
    texts = embedded([start(root), start(root)])
    every = [text for lines in texts for text in lines]
    assert len(every) == len(set(every)) == 2 * len(PAGES), "a text and a name for each page"
    assert all(texts), "each of them did some of the work"
    assert pending(root) == 0


def test_what_a_killed_run_has_claimed_is_taken_over(root: Path) -> None:
    killed = start(root)
    assert killed.stdin is not None
    assert killed.stdout is not None
    killed.stdin.write("\n")
    killed.stdin.flush()
    assert killed.stdout.readline()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    embedded([start(root)])
    assert pending(root) == 0


def test_claims_of_a_dead_worker_are_taken_over(root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    dead = Worker("run", gone.pid, socket.gethostname())
    with headnote.Index.open(root, embedder=MODEL) as index:
        index.update(vectors=False)
        with index._store.writing() as writer:
            assert TextQueue(index.embedder.name, dead).take(writer, 10 * len(PAGES))
            assert NameQueue(index.embedder.name, dead).take(writer, 10 * len(PAGES))
        index.update(wait=0)
    assert pending(root) == 0


def test_a_run_that_fails_leaves_nothing_claimed(root: Path) -> None:
    class Failing(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            raise EmbeddingError("no service")

    with headnote.Index.open(root, embedder=Failing(8)) as index:
        with pytest.raises(EmbeddingError):
            index.update()
        with index._store.reading() as reader:
            assert reader.claims(MODEL) == []


def test_who_was_waited_for_in_vain_is_named(root: Path) -> None:
    store = open_store(root, os.environ.get("HEADNOTE_STORE", ""))
    other = Worker.here()
    with store.writing() as writer:
        generation = writer.generation()
        texts = TextQueue(MODEL, other).take(writer, 50)
    assert store.generation() == generation, "a claim is no news for readers"
    with headnote.Index.open(root, embedder=MODEL) as index:
        report = index.update(wait=0.5)
        assert report.embedded == len(PAGES) - len(texts)
        assert report.others == [f"process {os.getpid()} on {other.host}"]
        assert index.status().pending == len(texts)
        with store.writing() as writer:
            writer.release(other.name)
        assert index.update().embedded == len(texts)
    store.close()


def test_a_claim_does_not_outlive_its_owner_or_its_time(root: Path) -> None:
    store = open_store(root, os.environ.get("HEADNOTE_STORE", ""))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = Worker("run", gone.pid, Worker.here().host)
    elsewhere = Worker("run", 1, "a machine that vanished")
    with store.writing() as writer:
        for worker, seconds in ((dead, 300.0), (elsewhere, -1.0)):
            writer.claim(MODEL, [text.hash for text in writer.pending(MODEL, 10)], worker.name, seconds)
        names = NameQueue(MODEL, Worker("run", 1, "a machine at work")).take(writer, 7)
    with store.reading() as reader:
        assert [str(worker) for worker in others_at_work(reader, MODEL)] == ["process 1 on a machine at work"]
        assert not set(names) & set(reader.pending_names(MODEL))
    with store.writing() as writer:
        assert len(TextQueue(MODEL, Worker.here()).take(writer, 1000)) == len(PAGES)
    store.close()

"""The search of a site: the same words in Python and JavaScript, the hits of the index, and only files of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from headnote import Index, IndexFailure, SettingsError, UnwritableIndex
from headnote.embedding.wordpieces import uncased
from headnote.extra.export.shards import page_terms
from headnote.extra.export.writing import files_of_package
from headnote.search.spelling import ENDINGS
from headnote.words.terms import terms, words_of

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on the path: the script of the static search is not run")
QUESTIONS = [
    "how often do I calibrate",
    "battery",
    "mount a gauge",
    "what does the display show",
    "wiring the sensor",
    "calibr",
    "installing",
]
LARGEST_ANSWER = 300_000
"""Bytes of a first answer, the script included."""

RUN = """
import { readFileSync } from "node:fs";
const [folder, action] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(0, "utf-8"));
let bytes = 0;
globalThis.fetch = async (address) => {
  const data = readFileSync(address);
  bytes += data.length;
  return { ok: true, arrayBuffer: async () => data.buffer.slice(data.byteOffset, data.byteOffset + data.length) };
};
const base = new URL(`file://${folder}/`);
const { Engine } = await import(new URL("engine.js", base));
const { termsOf } = await import(new URL("terms.js", base));
const { stem } = await import(new URL("stemmer.js", base));
const { piecesOf, vectorOf, wordsOf } = await import(new URL("meaning.js", base));
const engine = new Engine(base);
const actions = {
  stem,
  terms: termsOf,
  pieces: async (text) => (await Promise.all(wordsOf(text).map((word) => piecesOf(engine.shards, word)))).flat(),
  vector: async (text) => [...((await vectorOf(engine.shards, text)) ?? [])],
  search: async (text) => {
    bytes = 0;
    const hits = await new Engine(base).search(text);
    return { hits, bytes };
  },
};
const answers = [];
for (const one of asked) answers.push(await actions[action](one));
console.log(JSON.stringify(answers));
"""


def in_node(folder: Path, action: str, asked: list[str], scratch: Path) -> list[Any]:
    (scratch / "run.mjs").write_text(RUN)
    command = [str(NODE), str(scratch / "run.mjs"), str(folder), action]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("export") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(root, embedder="instant") as opened:
        opened.update()
        yield opened


@pytest.fixture(scope="module")
def site(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (folder / "calibration").mkdir()
    (folder / "calibration" / "index.html").write_text("<h1>Calibration</h1>")
    (folder / "installing.html").write_text("<h1>Installing</h1>")
    index.export(folder)
    return folder


@pytest.fixture(scope="module")
def words(repository: Path) -> list[str]:
    """The words of our own documentation and of the corpus of the tests."""
    pages = [*(repository / "docs").rglob("*.md"), *(repository / "tests" / "corpus").rglob("*.md")]
    return sorted({word for page in pages for word in words_of(page.read_text(encoding="utf-8"))})


@needs_node
def test_stems_are_the_same_in_both_languages(words: list[str], tmp_path: Path) -> None:
    plain = [word.lower() for word in words if word.isascii() and word.isalpha()]
    asked = sorted({*plain, *(word + ending for word in plain[::9] for ending in ENDINGS)})
    assert in_node(files_of_package(), "stem", asked, tmp_path) == [terms(word)[0] for word in asked]


@needs_node
def test_terms_are_the_same_in_both_languages(words: list[str], tmp_path: Path) -> None:
    asked = [*words, "naïve Café", "東京都庁", "ความหมาย", "Über-Größe", "v1.29.3", "don’t", "C++ and C#", "--dry-run"]
    assert in_node(files_of_package(), "terms", asked, tmp_path) == [page_terms(word) for word in asked]
    assert all(page_terms(word) == list(filter(str.isascii, terms(word))) for word in words if word.isascii())


@needs_node
def test_the_vector_of_a_query_is_that_of_the_model(index: Index, site: Path, words: list[str], tmp_path: Path) -> None:
    asked = [word for word in words if word.isascii()][::7]
    assert in_node(site / "headnote", "pieces", asked, tmp_path) == [uncased().ids(word) for word in asked]
    model = index.models.instant
    assert model is not None
    for question, vector in zip(QUESTIONS, in_node(site / "headnote", "vector", QUESTIONS, tmp_path), strict=True):
        assert vector == pytest.approx(model.embed_query(question).tolist(), abs=1e-5)


@needs_node
def test_hits_are_those_of_the_index(index: Index, site: Path, tmp_path: Path) -> None:
    answers = in_node(site / "headnote", "search", QUESTIONS, tmp_path)
    scripts = sum(file.stat().st_size for file in (site / "headnote").glob("*.[jc]s*") if file.suffix != ".json")
    shared = 0.0
    for question, answer in zip(QUESTIONS, answers, strict=True):
        assert answer["bytes"] + scripts <= LARGEST_ANSWER
        here = [(hit.title, hit.breadcrumb) for hit in index.search(question)]
        there = [(hit["title"], " > ".join(hit["headings"])) for hit in answer["hits"]]
        assert there[0] in here[:3]
        shared += len(set(here) & set(there)) / len(set(here))
    assert shared / len(QUESTIONS) >= 0.8


@needs_node
def test_a_page_that_the_best_hit_links_to_gains(tmp_path: Path) -> None:
    """As in `headnote search`: of two pages that say the same, the one that is linked comes first."""
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("early", "late"):
        (root / f"{name}.md").write_text(f"# Snapshots kept {name}\n\nOld snapshots are kept for a month.\n")
    (root / "guide.md").write_text("# Rotation of snapshots\n\nRotation of snapshots is told [there](late.md).\n")
    with Index.open(root, embedder="instant") as index:
        index.update()
        index.export(tmp_path / "site")
        here = [hit.title for hit in index.search("rotation of snapshots")]
    (answer,) = in_node(tmp_path / "site" / "headnote", "search", ["rotation of snapshots"], tmp_path)
    assert [hit["title"] for hit in answer["hits"]] == here
    assert here.index("Snapshots kept late") < here.index("Snapshots kept early")


@needs_node
def test_a_text_is_shown_once(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("one", "two"):
        (root / f"{name}.md").write_text("# Backup\n\nStop the server, then copy the newest snapshot.\n")
    with Index.open(root, embedder="instant") as index:
        index.update()
        index.export(tmp_path / "site")
    (answer,) = in_node(tmp_path / "site" / "headnote", "search", ["copy the newest snapshot"], tmp_path)
    assert len(answer["hits"]) == 1


@needs_node
def test_nothing_is_found_where_nothing_is_relevant(site: Path, tmp_path: Path) -> None:
    assert [answer["hits"] for answer in in_node(site / "headnote", "search", ["xyzzy plugh"], tmp_path)] == [[]]


@needs_node
def test_addresses_are_those_of_the_built_pages(site: Path, tmp_path: Path) -> None:
    (answer,) = in_node(site / "headnote", "search", ["how often do I calibrate"], tmp_path)
    urls = {hit["url"].partition("#")[0] for hit in answer["hits"]}
    assert "calibration/" in urls
    (answer,) = in_node(site / "headnote", "search", ["mount a gauge"], tmp_path)
    assert "installing.html" in {hit["url"].partition("#")[0] for hit in answer["hits"]}


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_same_pages_give_the_same_files(index: Index, tmp_path: Path) -> None:
    index.export(tmp_path / "one")
    index.export(tmp_path / "two")
    assert everything(tmp_path / "one") == everything(tmp_path / "two")
    again = index.export(tmp_path / "one", check=True)
    assert (again.changed, again.removed) == (0, 0)


def test_only_files_of_its_own_are_removed(index: Index, tmp_path: Path) -> None:
    index.export(tmp_path)
    folder = tmp_path / "headnote"
    (folder / "mine.txt").write_text("mine")
    listed = json.loads((folder / "manifest.json").read_text())
    (folder / "words-old").mkdir()
    (folder / "words-old" / "0.bin").write_text("old")
    (tmp_path / "outside.txt").write_text("outside")
    listed["files"] += ["words-old/0.bin", "../outside.txt"]
    (folder / "manifest.json").write_text(json.dumps(listed))
    assert index.export(tmp_path, check=True).removed == 1
    index.export(tmp_path)
    assert not (folder / "words-old").exists()
    assert (folder / "mine.txt").read_text() == "mine"
    assert (tmp_path / "outside.txt").read_text() == "outside"


def test_what_cannot_be_exported_says_why(index: Index, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(SettingsError, match="a file, not a folder"):
        index.export(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    with Index.open(tmp_path / "empty", embedder="instant") as empty:
        empty.update()
        with pytest.raises(IndexFailure, match="nothing to export"):
            empty.export(tmp_path / "site")
    without = Index.open(index.root, embedder="none", read_only=True)
    with without, pytest.raises(IndexFailure, match="no vectors of the instant model"):
        without.export(tmp_path / "site")


# -- what is left of an export that does not end

INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from headnote.cli.main import run

renamed, at = Path.replace, int(sys.argv.pop(1))
left = [at]

def replace(self, target):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return renamed(self, target)

Path.replace = replace
run()
"""
"""The command, which gets a real Ctrl-C before it gives a file its name: the first number says before which one."""


def interrupted_export(root: Path, site: Path, at: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(at), "export", str(root), "--out", str(site), "--no-update"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def changed_index(tmp_path: Path) -> Iterator[Index]:
    """An index of a page that has another text than its export, in `site`."""
    root = tmp_path / "docs"
    root.mkdir()
    (root / "page.md").write_text("# Page\n\nThe old text.\n")
    with Index.open(root, embedder="instant") as index:
        index.update()
        index.export(tmp_path / "site")
        (root / "page.md").write_text("# Page\n\nThe new text is another one.\n")
        index.update()
        yield index


@pytest.mark.skipif(sys.platform == "win32", reason="there, Ctrl-C cannot be sent to one process")
def test_an_interrupted_first_export_leaves_nothing(index: Index, tmp_path: Path) -> None:
    interrupted_export(index.root, tmp_path / "built" / "site", at=1000)
    assert not (tmp_path / "built").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there, Ctrl-C cannot be sent to one process")
def test_an_interrupted_export_keeps_the_one_before(changed_index: Index, tmp_path: Path) -> None:
    before = everything(tmp_path / "site")
    interrupted_export(changed_index.root, tmp_path / "site", at=2)
    assert everything(tmp_path / "site") == before


@pytest.mark.skipif(sys.platform == "win32", reason="there, Ctrl-C cannot be sent to one process")
def test_who_interrupts_the_last_step_has_the_new_search(changed_index: Index, tmp_path: Path) -> None:
    changes = changed_index.export(tmp_path / "site", check=True).changed
    interrupted_export(changed_index.root, tmp_path / "site", at=changes)
    assert changed_index.export(tmp_path / "site", check=True).changed == 0
    changed_index.export(tmp_path / "site")
    changed_index.export(tmp_path / "fresh")
    assert everything(tmp_path / "site") == everything(tmp_path / "fresh")


def test_a_full_disk_keeps_the_export_before(
    changed_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(tmp_path / "site")
    write = Path.write_bytes

    def full(file: Path, data: bytes) -> int:
        write(file, data[:3])
        if file.name == ".index.bin.new":
            raise OSError(ENOSPC, "No space left on device")
        return write(file, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UnwritableIndex, match="No space left on device") as raised:
        changed_index.export(tmp_path / "site")
    assert "make room" in str(raised.value)
    assert everything(tmp_path / "site") == before


def test_a_folder_that_cannot_be_written_is_left_as_it_is(index: Index, tmp_path: Path) -> None:
    (tmp_path / "headnote").write_text("a file of mine")
    with pytest.raises(UnwritableIndex, match="cannot be written"):
        index.export(tmp_path)
    assert everything(tmp_path) == {"headnote": b"a file of mine"}


def test_what_a_power_cut_leaves_is_removed_by_the_next_export(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "site" / "headnote"
    (folder / "words-cut").mkdir(parents=True)
    (folder / "words-cut" / "0.bin").write_text("cut")
    (folder / "unfinished.json").write_text(json.dumps({"files": ["words-cut/0.bin", "words-cut/.1.bin.new"]}))
    index.export(tmp_path / "site")
    index.export(tmp_path / "fresh")
    assert everything(tmp_path / "site") == everything(tmp_path / "fresh")
    assert not (folder / "words-cut").exists()

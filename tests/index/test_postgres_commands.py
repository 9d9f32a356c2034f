"""Every command on an index in PostgreSQL, and the same hits as from SQLite."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from index_states import write

import headnote
from headnote.api import trust_folder
from headnote.cli.main import main

pytest_plugins = ("store_fixtures",)
pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")

PAGES = {
    "mount.md": "---\ntags: [disk]\n---\n# Mount a disk\n\nRun `mount` as root. See [format](format.md#how).\n",
    "format.md": "# Format a disk\n\n## How\n\nRun `mkfs`, and nothing else. [gone](nowhere.md)\n",
    "cook.md": "# Soup\n\nBoil water, add carrots.\n",
}
QUESTIONS = [
    {"question": "how to mount a disk", "gold": {"path": "mount.md"}},
    {"question": "carrots in soup", "gold": {"path": "cook.md"}},
]
AGREED = 0.9


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in list(os.environ):
        if name.startswith("HEADNOTE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "hashing:64")
    write(tmp_path / "docs", PAGES)
    return tmp_path / "docs"


def test_every_command_takes_a_store(
    docs: Path, postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres_url.replace("postgres:@", "postgres:secret@")
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    written = ""

    def run_json(*arguments: str, code: int = 0) -> Any:
        nonlocal written
        assert main([*arguments, "--store", url, "--json"]) == code
        shown = capsys.readouterr()
        written += shown.out + shown.err
        return json.loads(shown.out)

    root = str(docs)
    assert run_json("index", root)["added"] == sorted(PAGES)
    assert run_json("index", root, "--dry-run")["unchanged"] == 3
    assert run_json("search", "mount a disk", root)["hits"][0]["path"] == "mount.md"
    assert run_json("search", "disk", root, "--tag", "disk", "--no-update")["hits"][0]["path"] == "mount.md"
    assert run_json("ask", "how to mount a disk", root, "--no-model")["citations"]
    status = run_json("status", root)
    assert (status["documents"], status["pending"], status["files"]["gone"]) == (3, 0, [])
    assert status["store"] == postgres_url.replace("postgres:@", "postgres@")
    assert run_json("doctor", root)["sound"]
    broken = run_json("links", "--root", root, "--broken", code=1)["broken"]
    assert [link["target"] for link in broken] == ["nowhere.md"]
    assert run_json("eval", str(questions), root, "--mode", "keyword")["questions"] == 2
    assert main(["status", root, "--store", url]) == 0
    assert main(["doctor", root, "--store", url, "--repair"]) == 0
    shown = capsys.readouterr()
    assert "secret" not in written + shown.out + shown.err
    assert not (docs / ".headnote").exists()


def test_settings_name_a_store(
    docs: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres_url.replace("postgres:@", "postgres:secret@")
    (docs / "headnote.toml").write_text(f'[index]\nstore = "{url}"\n', encoding="utf-8")
    trust_folder(docs)
    assert main(["index", str(docs)]) == 0
    assert main(["search", "carrots", str(docs), "--mode", "keyword"]) == 0
    assert main(["config", str(docs)]) == 0
    monkeypatch.setenv("HEADNOTE_STORE", "sqlite")
    assert main(["status", str(docs)]) != 0, "there is none in the folder"
    shown = capsys.readouterr()
    assert "secret" not in shown.out + shown.err
    assert "cook.md" in shown.out
    with headnote.Index.open(docs, embedder="none", store=url) as index:
        assert "secret" not in repr(index.status())


def test_a_store_that_cannot_be_used_is_one_line(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for url, reason in {
        "postgresql://me:secret@127.0.0.1:1/db": "cannot connect",
        "mysql://me:secret@host/db": "mysql is not a store",
    }.items():
        assert main(["search", "x", str(docs), "--store", url]) != 0
        shown = capsys.readouterr()
        assert reason in shown.err
        assert shown.err.count("\n") == 1
        assert "secret" not in shown.out + shown.err


def test_a_driver_that_is_missing_is_named_with_its_command(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("HEADNOTE_STORE", "postgresql://host/db")
    assert main(["search", "x", str(docs)]) == 2
    assert 'pip install "headnote-md[postgres]"' in capsys.readouterr().err
    assert main(["doctor", str(docs)]) == 1
    assert 'pip install "headnote-md[postgres]"' in capsys.readouterr().out


@pytest.mark.parametrize(("corpus", "least"), [("own", 10), ("fastapi-en", 50)])
def test_both_stores_find_the_same(
    corpus: str, least: int, corpus_folder: Callable[[str], Path], repository: Path, postgres_url: str, tmp_path: Path
) -> None:
    """Real questions to real documents: of ten documents, the same ten."""
    source, root = corpus_folder(corpus), tmp_path / corpus
    shutil.copytree(source, root)
    if corpus == "own":
        file, field = repository / "examples" / "questions.jsonl", "question"
    else:
        file, field = source.parents[1] / "retrieval" / "linkgold" / f"{corpus}.jsonl", "query"
    lines = file.read_text(encoding="utf-8").splitlines()
    questions = list(dict.fromkeys(json.loads(line)[field] for line in lines))
    assert len(questions) > least
    results: list[dict[tuple[str, str], set[str]]] = []
    for store in ("sqlite", postgres_url):
        with headnote.Index.open(root, embedder="hashing:256", store=store) as index:
            index.update()
            results.append(
                {
                    (question, mode): {hit.path for hit in index.search(question, 10, mode)}
                    for question in questions
                    for mode in ("keyword", "semantic", "hybrid")
                }
            )
    same = sum(results[0][query] == results[1][query] for query in results[0])
    assert same >= AGREED * len(results[0])

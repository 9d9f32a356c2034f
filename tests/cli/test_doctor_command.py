"""`headnote doctor`: what is fine, what is not, and what it can mend."""

from __future__ import annotations

import json
import os
from importlib import util
from pathlib import Path
from typing import Any

import apsw
import pytest
from folders import run_as_someone_else, set_modes

import headnote
from headnote.cli.main import main

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def indexed(docs: Path, capsys: Captured) -> Path:
    assert main(["index", str(docs)]) == 0
    capsys.readouterr()
    return docs


def doctor(docs: Path, capsys: Captured, *flags: str) -> tuple[int, dict[str, Any]]:
    code = main(["doctor", str(docs), "--json", *flags])
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, record


def states(record: dict[str, Any], what: str) -> list[tuple[str, str]]:
    return [(finding["state"], finding["text"]) for finding in record["findings"] if finding["what"] == what]


def damage(docs: Path, statement: str) -> None:
    connection = apsw.Connection(str(docs / ".headnote" / "index.db"))
    connection.execute(statement)
    connection.close()


def test_all_is_well(indexed: Path, capsys: Captured) -> None:
    assert main(["doctor", str(indexed)]) == 0
    title, packages, *others = capsys.readouterr().out.splitlines()
    assert title == "docs"
    assert packages.startswith("  ok  packages  apsw 3.")
    assert others == [
        "  ok  model     hashing:64 can be loaded",
        "  ok  writing   the index is writable and not locked",
        "  ok  index     3 documents, 3 chunks, 3 links: every check passed",
        "  ok  vectors   all made",
        "  ok  files     as indexed",
    ]
    code, record = doctor(indexed, capsys)
    assert (code, record["root"], record["sound"]) == (0, "docs", True)
    assert {finding["state"] for finding in record["findings"]} == {"ok"}


def test_what_waits_is_noted_and_not_wrong(docs: Path, capsys: Captured) -> None:
    assert main(["index", str(docs), "--no-vectors"]) == 0
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    capsys.readouterr()
    code, record = doctor(docs, capsys)
    assert code == 0
    assert states(record, "vectors") == [
        ("note", "6 vectors of hashing:64 to come, words alone until then: headnote index makes them")
    ]
    assert states(record, "files") == [("note", "1 new since: run headnote index")]


DERIVED = {
    "the keyword index": "DELETE FROM keyword WHERE rowid = 1",
    "the filters": "DELETE FROM fields",
    "a document": "DELETE FROM chunks WHERE id = 2",
}


@pytest.mark.parametrize("what", DERIVED)
def test_what_is_derived_is_repaired(what: str, indexed: Path, capsys: Captured) -> None:
    damage(indexed, DERIVED[what])
    code, record = doctor(indexed, capsys)
    assert (code, record["sound"]) == (1, False)
    assert states(record, "index")[0][0] == "wrong"
    assert states(record, "index")[-1] == ("note", "headnote doctor --repair rebuilds what is damaged")
    code, record = doctor(indexed, capsys, "--repair")
    assert (code, record["sound"]) == (0, True)
    done = states(record, "index")
    assert done[0][0] == "repaired"
    assert done[-1] == ("ok", "3 documents, 3 chunks, 3 links: every check passed")
    assert main(["search", "lighthouses", str(indexed)]) == 0


def test_a_file_that_is_no_index(docs: Path, capsys: Captured) -> None:
    (docs / ".headnote").mkdir()
    (docs / ".headnote" / "index.db").write_bytes(b"no index at all, whatever its name may say. " * 200)
    before = (docs / ".headnote" / "index.db").read_bytes()
    code, record = doctor(docs, capsys)
    [(state, text)] = states(record, "index")
    assert (code, state) == (1, "wrong")
    assert "run headnote doctor --repair" in text
    code, record = doctor(docs, capsys, "--repair")
    assert code == 0
    assert states(record, "index") == [
        ("repaired", "file rebuilt: 0 vectors kept, documents are read again"),
        ("repaired", "the old file was not a headnote index: moved to index.db.moved"),
        ("ok", "3 documents, 3 chunks, 3 links: every check passed"),
    ]
    assert (docs / ".headnote" / "index.db.moved").read_bytes() == before


def test_no_index(docs: Path, capsys: Captured) -> None:
    code, record = doctor(docs, capsys)
    assert (code, states(record, "index")) == (1, [("wrong", "no index here: run headnote index docs")])
    assert not (docs / ".headnote").exists()
    code, record = doctor(docs, capsys, "--repair")
    assert (code, states(record, "index")) == (0, [("repaired", "rebuilt: 3 documents, 3 chunks, 3 links")])


def test_another_writer_is_named(indexed: Path, capsys: Captured) -> None:
    with headnote.Index.open(indexed) as index, index._store.writing():
        code, record = doctor(indexed, capsys)
    [(state, text)] = states(record, "writing")
    assert (code, state) == (0, "note")
    assert f"being updated by process {os.getpid()}" in text


def test_packages_and_models_that_are_missing(indexed: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    find = util.find_spec
    monkeypatch.setattr("headnote.cli.doctor.find_spec", lambda name: None if name == "watchfiles" else find(name))
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "openai:some-model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["index", str(indexed), "--no-vectors"]) == 0
    capsys.readouterr()
    code, record = doctor(indexed, capsys)
    assert code == 1
    assert states(record, "packages")[0] == (
        "note",
        'watchfiles is missing: pip install "headnote-md[search]" installs it',
    )
    [(state, text)] = states(record, "model")
    assert state == "wrong"
    assert "key" in text


def test_a_read_only_index(closed: Path, capsys: Captured) -> None:
    set_modes(closed, 0o755, 0o644)
    assert main(["index", str(closed)]) == 0
    capsys.readouterr()
    set_modes(closed, 0o555, 0o444)
    result = run_as_someone_else("doctor", closed)
    assert (result.returncode, result.stderr) == (1, "")
    assert "  wrong  writing   " in result.stdout
    assert "1 document, 1 chunk, 0 links: every check passed" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "nowhere: no such file or folder (check the path)\n"),
        (["docs/guide.md"], "docs/guide.md: a file, not a folder (name the folder that contains it)\n"),
        (["--fix"], "No such option"),
    ],
)
@pytest.mark.usefixtures("docs")
def test_bad_input_is_one_line(arguments: list[str], complaint: str, capsys: Captured) -> None:
    assert main(["doctor", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}")
    assert captured.err.count("\n") == 1


def test_documents_whose_encoding_was_guessed_are_listed(docs: Path, capsys: Captured) -> None:
    (docs / "old.md").write_bytes("Größe\n".encode("latin-1"))
    assert main(["search", "Größe", str(docs)]) == 0
    warning = "2 bytes that are not UTF-8 read as cp1252, first in line 1"
    assert f"note: {docs / 'old.md'}: {warning}\n" in capsys.readouterr().err
    code, record = doctor(docs, capsys)
    assert (code, states(record, "files")) == (0, [("ok", "as indexed"), ("note", f"old.md: {warning}")])
    for number in range(11):
        (docs / f"{number:02}.md").write_bytes(b"\xe9\n")
    assert main(["search", "Größe", str(docs)]) == 0
    assert f"note: {docs / '00.md'}: 1 byte that is not UTF-8 read as cp1252, first in line 1, and 10 more" in (
        capsys.readouterr().err
    )
    *_, last = states(doctor(docs, capsys)[1], "files")
    assert last == ("note", "… and 2 more with a warning")

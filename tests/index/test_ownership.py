"""An index belongs to the folder it was made from, on every store and for every command."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from index_states import write

import headnote
from headnote.cli.main import main
from headnote.errors import ForeignIndex, MissingIndex, SettingsError, UnwritableIndex
from headnote.index.manifest import Owner, name_of
from headnote.store.integrity import signed
from headnote.store.opening import open_store

pytest_plugins = ("store_fixtures",)

Captured = pytest.CaptureFixture[str]
Indexed = Callable[[Path], list[str]]

PAGES = {f"page{number}.md": f"# Page {number}\n\nhello from {number}\n" for number in range(8)}
COMMANDS = (["search", "hello"], ["ask", "hello", "--no-model"], ["status"], ["links", "--root"], ["index"])


@pytest.fixture
def teams(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of one name, with other pages."""
    for name in list(os.environ):
        if name.startswith("HEADNOTE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "hashing:16")
    write(tmp_path / "team1" / "docs", PAGES)
    write(tmp_path / "team2" / "docs", {"other.md": "# Other\n\nhello there\n"})
    return tmp_path / "team1" / "docs", tmp_path / "team2" / "docs"


def documents(root: Path, store: str) -> list[str]:
    with headnote.Index.open(root, store=store, read_only=True) as index:
        return index.documents()


# -- a database


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_command_of_another_folder_touches_an_index(
    command: list[str], teams: tuple[Path, Path], postgres_database: str, capsys: Captured
) -> None:
    ours, theirs = teams
    assert main(["index", str(ours), "--store", postgres_database]) == 0
    capsys.readouterr()
    assert main([*command, str(theirs), "--store", postgres_database]) == 2
    shown = capsys.readouterr()
    assert f"belongs to {ours}, not to {theirs}" in shown.err
    assert "--schema NAME, or add --adopt" in shown.err
    assert shown.err.count("\n") == 1
    assert documents(ours, postgres_database) == sorted(PAGES)


def test_a_schema_of_its_own_is_the_remedy(
    teams: tuple[Path, Path], postgres_database: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = teams
    assert main(["index", str(ours), "--store", postgres_database]) == 0
    assert main(["index", str(theirs), "--store", postgres_database, "--schema", "team_two"]) == 0
    monkeypatch.setenv("HEADNOTE_STORE", postgres_database)
    monkeypatch.setenv("HEADNOTE_SCHEMA", "team_two")
    capsys.readouterr()
    assert main(["status", str(theirs), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["schema"], status["roots"], status["documents"]) == ("team_two", [str(theirs)], 1)
    assert main(["status", str(theirs)]) == 0
    assert "team_two" in capsys.readouterr().out
    assert documents(ours, f"{postgres_database}&schema=headnote_docs") == ["other.md"], "a setting beats the URL"
    monkeypatch.delenv("HEADNOTE_SCHEMA")
    assert documents(ours, postgres_database) == sorted(PAGES)


@pytest.mark.parametrize("schema", ["Team", "a-b", "pg_x", "a; DROP SCHEMA public"])
def test_a_name_that_is_none_is_refused(schema: str, teams: tuple[Path, Path], capsys: Captured) -> None:
    assert main(["search", "x", str(teams[0]), "--store", "postgresql://h/d", "--schema", schema]) == 2
    assert "is not a schema name" in capsys.readouterr().err


def test_a_file_has_no_schema(teams: tuple[Path, Path], capsys: Captured) -> None:
    assert main(["search", "x", str(teams[0]), "--schema", "team"]) == 2
    assert "a file has no schema" in capsys.readouterr().err


def test_those_who_answer_take_nothing_out_of_a_shared_index(
    teams: tuple[Path, Path], postgres_database: str, capsys: Captured
) -> None:
    root, _ = teams
    store = ["--store", postgres_database]
    assert main(["index", str(root), *store]) == 0
    (root / "page0.md").unlink()
    (root / "page1.md").write_bytes(b"\x00\x01\x02" * 100)
    (root / "page2.md").rename(root / "moved.md")
    write(root, {"new.md": "# New\n\nbrand new\n"})
    capsys.readouterr()
    for command in COMMANDS[:-1]:
        assert main([*command, str(root), *store]) == 0
        assert set(PAGES) <= set(documents(root, postgres_database))
    shown = capsys.readouterr()
    assert "2 documents of the shared index have no file here (headnote index removes them)" in shown.err
    assert {"new.md", "moved.md", *PAGES} == set(documents(root, postgres_database))
    assert main(["index", str(root), *store]) == 0
    assert documents(root, postgres_database) == ["moved.md", "new.md", *(f"page{n}.md" for n in range(3, 8))]


def test_folders_of_several_machines_are_taken_in_once(teams: tuple[Path, Path], postgres_database: str) -> None:
    ours, theirs = teams
    for root, adopt in ((ours, False), (theirs, True), (ours, False), (theirs, False)):
        with headnote.Index.open(root, store=postgres_database, adopt=adopt) as index:
            index.update(workers=1)
            assert index.status().roots[0] == str(ours)


def test_two_who_begin_at_once_do_not_both_own_it(teams: tuple[Path, Path], postgres_database: str) -> None:
    ours, theirs = teams
    with (
        headnote.Index.open(ours, store=postgres_database) as one,
        headnote.Index.open(theirs, store=postgres_database) as other,
    ):
        one.update(workers=1)
        with pytest.raises(ForeignIndex):
            other.update(workers=1)
        assert one.documents() == sorted(PAGES)


# -- a file


def test_a_copied_file_is_refused_until_it_is_adopted(teams: tuple[Path, Path], capsys: Captured) -> None:
    ours, theirs = teams
    assert main(["index", str(ours)]) == 0
    shutil.copytree(ours / ".headnote", theirs / ".headnote")
    capsys.readouterr()
    for command in COMMANDS:
        assert main([*command, str(theirs)]) == 2
        assert f"belongs to {ours}, not to {theirs} (add --adopt" in capsys.readouterr().err
    assert main(["doctor", str(theirs)]) == 1
    assert main(["search", "hello", str(theirs), "--adopt"]) == 0
    assert documents(theirs, "sqlite") == ["other.md"]
    assert main(["search", "hello", str(theirs)]) == 0
    assert documents(ours, "sqlite") == sorted(PAGES)


def test_a_folder_that_moved_keeps_its_index(teams: tuple[Path, Path], tmp_path: Path) -> None:
    ours, _ = teams
    with headnote.Index.open(ours) as index:
        index.update(workers=1)
    moved = ours.rename(tmp_path / "elsewhere")
    with pytest.raises(ForeignIndex, match="--adopt if the folder has moved"):
        headnote.Index.open(moved)
    with headnote.Index.open(moved, adopt=True) as index:
        report = index.update(workers=1)
    assert (report.plan.unchanged, report.embedded) == (8, 0)
    with headnote.Index.open(moved) as index:
        assert index.status().roots == (str(moved),)


def test_one_folder_has_many_names(teams: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, _ = teams
    with headnote.Index.open(ours) as index:
        index.update(workers=1)
    (tmp_path / "link").symlink_to(ours)
    monkeypatch.chdir(ours.parent)
    for name in (tmp_path / "link", f"{ours}{os.sep}", "docs", os.path.join("..", "team1", "docs")):  # noqa: PTH118
        with headnote.Index.open(name) as index:
            assert index.drift().is_empty


def test_a_name_is_compared_as_the_system_does(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "left behind").symlink_to(tmp_path / "docs")
    owner = Owner(name_of(tmp_path / "docs"), "here", is_shared=False)
    known = str(tmp_path / "left behind")
    assert owner.roots({"roots": signed([known])}) == [known]


def test_an_index_without_an_owner_belongs_to_the_folder_that_updates_it(teams: tuple[Path, Path]) -> None:
    ours, _ = teams
    with headnote.Index.open(ours) as index:
        index.update(workers=1)
    store = open_store(ours)
    with store.writing() as writer:
        writer.set_manifest({key: value for key, value in writer.manifest().items() if key != "roots"})
    store.close()
    with headnote.Index.open(ours) as index:
        assert index.status().roots == ()
        assert index.update(workers=1).rebuilt == ""
        assert index.status().roots == (str(ours),)


# -- read-only


def test_read_only_writes_nothing(teams: tuple[Path, Path], store_target: str) -> None:
    root, _ = teams
    with pytest.raises(MissingIndex):
        headnote.Index.open(root, store=store_target or None, read_only=True)
    assert not (root / ".headnote").exists()
    with headnote.Index.open(root, store=store_target or None) as index:
        index.update(workers=1)
    write(root, {"new.md": "# New\n"})
    with headnote.Index.open(root, store=store_target or None, read_only=True) as index:
        before = index.generation
        for change in (index.update, index.repair, index.check_writing):
            with pytest.raises(UnwritableIndex, match="opened read-only"):
                change()
        assert index.search("hello")
        assert index.drift().new == ["new.md"]
        assert index.generation == before
    with pytest.raises(SettingsError, match="read_only forbids"):
        headnote.Index.open(root, read_only=True, adopt=True)


def test_who_only_reads_and_names_the_schema_may_stand_anywhere(
    teams: tuple[Path, Path], postgres_database: str, capsys: Captured
) -> None:
    ours, theirs = teams
    assert main(["index", str(ours), "--store", postgres_database, "--schema", "shared_docs"]) == 0
    command = ["search", "hello", str(theirs), "--store", postgres_database, "--no-update", "--json"]
    capsys.readouterr()
    assert main([*command, "--schema", "shared_docs"]) == 0
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 8
    assert main(["index", str(ours), "--store", postgres_database]) == 0
    assert main(command) == 2, "the folder alone does not say that another one is meant"

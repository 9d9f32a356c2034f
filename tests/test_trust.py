"""A folder's own file is not the user's voice: what leads out of the folder counts only if the user trusts it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_service import FakeService, float_embeddings, serve

import headnote
from headnote import Index, SettingsError
from headnote.api import trust_folder
from headnote.cli.main import main
from headnote.config import choose, load_chat_settings, load_index_settings, load_settings, withheld_of_file
from headnote.config.chunk_settings import ambient_values
from headnote.config.stored import GATED, _text
from headnote.config.tables import SettingValue
from headnote.config.trust import records, user_folder
from headnote.errors import UntrustedSettings
from headnote.store.integrity import STORED_SETTINGS

Captured = pytest.CaptureFixture[str]
HOSTILE = '[index]\nembedder = "openai:m"\n[llm]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n'


@pytest.fixture(autouse=True)
def users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the user, outside of all others. Nothing is trusted yet."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("HEADNOTE_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HEADNOTE_CONFIG_FOLDER", str(tmp_path / "users"))
    return tmp_path / "users"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nHow to mount the gauge.\n", encoding="utf-8")
    return folder


def write(folder: Path, text: str) -> Path:
    (folder / "headnote.toml").write_text(text, encoding="utf-8")
    return folder


def said(folder: Path) -> list[str]:
    return [one.setting for one in withheld_of_file(folder)]


# -- which settings


def test_every_setting_says_whether_a_stranger_may_set_it() -> None:
    """A setting that is new belongs into one of two lists: here, if it can lead out of the folder."""
    outward = {
        f"{table.name}.{name}"
        for table in GATED
        for name, check in table.checks.items()
        if any(map(check.needs_trust, ("openai:m", "sentence-transformers:m", "postgresql://h/d", "vscode", ["x"])))
    }
    assert outward == {
        *("index.embedder", "index.store", "index.schema"),
        *("llm.model", "llm.url", "llm.key"),
        *("server.host", "server.token", "server.allow_host", "server.editor"),
    }


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ('[index]\nembedder = "openai:m"\n', ["index.embedder"]),
        ('[index]\nembedder = " sentence-transformers:m"\n', ["index.embedder"]),
        ('[index]\nembedder = "instant"\nstore = "sqlite"\n', []),
        ('[index]\nstore = "postgresql://h/d"\nschema = "s"\n', ["index.store", "index.schema"]),
        ('[server]\nhost = "0.0.0.0"\ntoken = "a-token-that-they-know"\nport = 80\n', ["server.host", "server.token"]),
        ('[server]\neditor = "none"\n', []),
        ('counter = "/etc/tokenizer.json"\n', ["chunking.counter"]),
        ('[chunking]\nCounter = "../tokenizer.json"\n', ["chunking.Counter"]),
        ('counter = "inside/tokenizer.json"\n', []),
        ('counter = "o200k"\nmax_tokens = 900\n[search]\nlimit = 3\n', []),
        ('[roots.a]\npath = "../a"\n[roots.b]\npath = "b"\n', ["roots.a"]),
        ('[roots]\na = "~"\nb = "/"\nc = "."\n', ["roots.a", "roots.b"]),
        ('[roots.a]\npath = "link"\n', ["roots.a"]),
        ('[roots.a]\npath = "a"\ncounter = "/etc/t.json"\n', ["roots.a.counter"]),
    ],
)
def test_what_leads_out_of_the_folder_is_not_there(docs: Path, text: str, settings: list[str]) -> None:
    (docs / "link").symlink_to(docs.parent)
    write(docs, text)
    assert said(docs) == settings
    choice = choose({}, docs, environment={})
    assert [one.setting for one in choice.withheld] == settings
    assert choice.of_index.settings.embedder in ("default", "instant")
    assert choice.of_index.settings.target in ("", "sqlite")
    assert choice.chunking.settings.counter in ("cl100k", "o200k", str(docs / "inside/tokenizer.json"))
    for root in choice.tree(docs).roots:
        assert Path(root.folder).is_relative_to(docs)
        assert not root.barred or root.problem
    trust_folder(docs)
    assert said(docs) == []


def test_a_file_above_the_folder_is_as_strange(docs: Path) -> None:
    write(docs.parent, HOSTILE)
    assert said(docs) == ["index.embedder", "llm.url", "llm.model"]
    (docs.parent / "headnote.toml").unlink()
    (docs.parent / "pyproject.toml").write_text('[tool.headnote.llm]\nmodel = "m"\n', encoding="utf-8")
    assert said(docs) == ["llm.model"]


def test_flags_variables_and_the_users_own_file_need_no_trust(docs: Path, users: Path) -> None:
    users.mkdir()
    write(users, '[index]\nembedder = "openai:own"\n[llm]\nurl = "http://own/v1"\n[chunking]\nmax_tokens = 800\n')
    assert load_index_settings({}, docs, {}).settings.embedder == "openai:own"
    assert load_chat_settings(docs, {}).settings.url == "http://own/v1"
    assert load_chat_settings(docs, {"HEADNOTE_CHAT_KEY": "k"}).settings.key == "k"
    assert load_settings(None, {}, docs, {}).settings.max_tokens == 800
    assert load_settings(None, {}, docs, {}).origins["max_tokens"] == "users/headnote.toml:6"
    write(docs, '[index]\nembedder = "instant"\n[chunking]\nmax_tokens = 700\n')
    assert load_index_settings({}, docs, {}).settings.embedder == "instant"
    assert load_settings(None, {}, docs, {}).settings.max_tokens == 700
    write(docs, '[index]\nembedder = "openai:theirs"\n[llm]\nurl = "http://theirs/v1"\n')
    assert load_index_settings({}, docs, {}).settings.embedder == "openai:own"
    assert load_chat_settings(docs, {"HEADNOTE_CHAT_KEY": "k"}).settings.url == "http://own/v1"
    environment = {"HEADNOTE_EMBEDDER": "openai:variable"}
    assert load_index_settings({}, docs, environment).settings.embedder == "openai:variable"
    assert load_index_settings({"embedder": "openai:flag"}, docs, environment).settings.embedder == "openai:flag"


def test_the_users_own_file_is_about_no_single_folder(docs: Path, users: Path) -> None:
    users.mkdir()
    write(users, '[roots]\na = "/"\n')
    with pytest.raises(SettingsError, match=r"users/headnote.toml:1: \[roots\] is about a single folder"):
        ambient_values(docs, {})


@pytest.mark.parametrize("variable", ["HEADNOTE_CONFIG_FOLDER", "XDG_CONFIG_HOME"])
def test_a_relative_folder_of_the_user_would_be_the_strangers(
    docs: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("HEADNOTE_CONFIG_FOLDER")
    monkeypatch.setenv(variable, ".")
    monkeypatch.chdir(write(docs, HOSTILE))
    folder = user_folder()
    assert folder is None or not folder.is_relative_to(docs)


# -- trusting


def test_trust_holds_for_this_file_as_it_is(docs: Path, users: Path, capsys: Captured) -> None:
    write(docs, HOSTILE)
    assert main(["trust", "docs"]) == 0
    shown = capsys.readouterr().out
    assert "docs/headnote.toml is trusted" in shown
    assert "openai:m" in shown
    assert "http://127.0.0.1:9/v1" in shown
    assert said(docs) == []
    assert load_index_settings({}, docs, {}).settings.embedder == "openai:m"
    copy = docs.parent / "copy"
    docs.rename(copy)
    assert said(copy) == ["index.embedder", "llm.url", "llm.model"]
    copy.rename(docs)
    write(docs, HOSTILE + "# changed\n")
    assert said(docs) == ["index.embedder", "llm.url", "llm.model"]
    write(docs, HOSTILE)
    assert said(docs) == []
    if os.name == "posix":
        (record,) = (users / "trusted").iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_of_a_project_file_only_our_table_is_trusted(docs: Path) -> None:
    file, ours = docs / "pyproject.toml", '[tool.headnote.llm]\nmodel = "m"\n'
    file.write_text(f'[project]\nversion = "1"\n{ours}', encoding="utf-8")
    trust_folder(docs)
    file.write_text(f'[project]\nversion = "2"\n{ours}', encoding="utf-8")
    assert said(docs) == []
    file.write_text(f'[project]\nversion = "2"\n{ours}url = "http://h/v1"\n', encoding="utf-8")
    assert said(docs) == ["llm.url", "llm.model"] or said(docs) == ["llm.model", "llm.url"]


def test_list_and_remove(docs: Path, capsys: Captured) -> None:
    assert main(["trust", "--list"]) == 0
    assert "nothing is trusted yet" in capsys.readouterr().out
    assert main(["trust", "docs"]) == 0
    assert "nothing in docs needs trust" in capsys.readouterr().out
    write(docs, HOSTILE)
    assert main(["trust", "docs", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["file"] == "docs/headnote.toml"
    assert record["settings"][0] == {"setting": "index.embedder", "value": "openai:m", "place": "docs/headnote.toml:2"}
    assert main(["trust", "--list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["trusted"]
    assert (listed["path"], listed["state"]) == (str(docs / "headnote.toml"), "trusted")
    assert listed["sha256"] == record["sha256"]
    write(docs, HOSTILE + "\n")
    assert main(["trust", "--list"]) == 0
    assert "changed since" in capsys.readouterr().out
    (docs / "headnote.toml").unlink()
    assert main(["trust", "--list"]) == 0
    assert "gone" in capsys.readouterr().out
    assert main(["trust", "docs", "--remove"]) == 0
    assert "removed" in capsys.readouterr().out
    assert records() == []
    assert main(["trust", "nowhere"]) == 2
    assert main(["trust", "docs", "--list"]) == 2


def test_a_folder_that_cannot_be_written_is_named(docs: Path, users: Path, capsys: Captured) -> None:
    users.write_text("a file, where a folder should be", encoding="utf-8")
    write(docs, HOSTILE)
    assert main(["trust", "docs"]) == 2
    error = capsys.readouterr().err
    assert "HEADNOTE_CONFIG_FOLDER" in error
    assert error.count("\n") == 1
    assert main(["search", "gauge", "docs"]) == 0


def test_two_at_once_break_nothing(tmp_path: Path) -> None:
    folders = [tmp_path / f"f{number}" for number in range(8)]
    for folder in folders:
        folder.mkdir()
        write(folder, HOSTILE)
    threads = [threading.Thread(target=trust_folder, args=(folder,)) for folder in folders * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [said(folder) for folder in folders] == [[]] * 8
    assert len(records()) == 8
    assert not list((tmp_path / "users/trusted").glob("*.new"))


def test_a_record_that_is_damaged_trusts_nothing(docs: Path, users: Path) -> None:
    trust_folder(write(docs, HOSTILE))
    (record,) = (users / "trusted").iterdir()
    for damaged in ("", "[" * 100_000, "[]", '{"path": 1}'):
        record.write_text(damaged, encoding="utf-8")
        assert said(docs) == ["index.embedder", "llm.url", "llm.model"]
        assert records() == []


# -- what is said about it


def test_every_command_says_it_in_one_line(docs: Path, capsys: Captured) -> None:
    write(docs, HOSTILE + '[roots.docs]\npath = "."\n[roots.out]\npath = ".."\n')
    commands = (
        *(["search", "gauge", "docs"], ["ask", "gauge", "docs"], ["status", "docs"], ["doctor", "docs"]),
        *(["config", "docs"], ["index", "docs"], ["index", "docs", "--dry-run"]),
        *(["links", "--check", "docs"], ["pack", "docs", "-o", "a.headnote"]),
    )
    for command in commands:
        main(command)
        shown = capsys.readouterr()
        notes = [line for line in shown.err.splitlines() if "headnote trust docs" in line]
        assert len(notes) == (1 if command[0] != "links" else 0), (command, shown.err)
    assert main(["chunk", "docs/guide.md"]) == 0
    assert capsys.readouterr().err == "", "none of it is about chunks"
    main(["links", "--check", "docs"])
    assert "outside the folder, and not read before headnote trust" in capsys.readouterr().err


def test_who_says_it_otherwise_hears_nothing(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    write(docs, '[index]\nembedder = "openai:m"\n')
    assert main(["index", "docs", "--embedder", "instant"]) == 0
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "instant")
    assert main(["search", "gauge", "docs"]) == 0
    assert "trust" not in capsys.readouterr().err


def test_every_surface_says_it(docs: Path, capsys: Captured) -> None:
    write(docs, HOSTILE)
    with pytest.warns(UntrustedSettings, match=r"not used: index.embedder .*headnote trust"):
        index = Index.open(docs)
    with index:
        assert [one.setting for one in index.status().withheld] == ["index.embedder", "llm.url", "llm.model"]
    main(["status", "docs", "--json"])
    assert json.loads(capsys.readouterr().out)["withheld"][0] == {
        "setting": "index.embedder",
        "place": "docs/headnote.toml:2",
    }
    main(["config", "docs"])
    assert "default; docs/headnote.toml:2 is not used: headnote trust docs" in capsys.readouterr().out
    main(["config", "docs", "--json"])
    record = json.loads(capsys.readouterr().out)
    assert record["llm"]["url"] == {"value": "", "origin": "default", "not_used": "docs/headnote.toml:4"}
    main(["doctor", "docs", "--json"])
    assert "trust" in {finding["what"] for finding in json.loads(capsys.readouterr().out)["findings"]}


# -- other folders


@pytest.fixture
def several(tmp_path: Path) -> Path:
    for name in ("home", "outside", "home/inside"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside/secret.md").write_text("# Secret\n\nThe gauge is in the safe.\n", encoding="utf-8")
    (tmp_path / "home/inside/a.md").write_text("# A\n\nThe gauge is on the wall.\n", encoding="utf-8")
    return write(tmp_path / "home", '[roots.in]\npath = "inside"\n[roots.out]\npath = "../outside"\n')


def test_a_root_outside_is_not_read(several: Path, capsys: Captured) -> None:
    assert main(["search", "gauge", "home"]) == 0
    assert "safe" not in capsys.readouterr().out
    assert main(["pack", "home", "-o", "a.headnote", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["documents"], [folder["name"] for folder in made["folders"]]) == (1, ["in"])
    trust_folder(several)
    assert main(["search", "gauge", "home"]) == 0
    assert "safe" in capsys.readouterr().out
    assert main(["pack", "home", "-o", "a.headnote", "--json"]) == 0
    shown = capsys.readouterr()
    folders = {folder["name"]: folder["folder"] for folder in json.loads(shown.out)["folders"]}
    assert folders == {"in": str(several / "inside"), "out": str(several.parent / "outside")}
    assert f"packing 1 document of {several.parent / 'outside'}" in shown.err


def test_what_was_read_with_trust_stays_without_it(several: Path, capsys: Captured) -> None:
    trust_folder(several)
    main(["index", "home"])
    with (several / "headnote.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    (several.parent / "outside/secret.md").write_text("# Secret\n\nNobody may read this gauge.\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["search", "gauge", "home"]) == 0
    shown = capsys.readouterr().out
    assert "safe" in shown
    assert "Nobody" not in shown
    trust_folder(several)
    assert main(["search", "gauge", "home"]) == 0
    assert "Nobody" in capsys.readouterr().out


def test_pack_lists_its_folder(docs: Path, capsys: Captured) -> None:
    assert main(["pack", "docs", "-o", "a.headnote", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["folders"] == [{"name": "", "folder": str(docs), "documents": 1}]
    assert shown.err == f"packing 1 document of {docs}\n"


def test_the_home_of_folders_that_the_user_names_is_trusted(several: Path, capsys: Captured) -> None:
    folders = [str(several / "inside"), str(several.parent / "outside")]
    assert main(["index", *folders, "--home", "made"]) == 0
    assert main(["search", "gauge", "--home", "made"]) == 0
    shown = capsys.readouterr()
    assert "safe" in shown.out
    assert "trust" not in shown.err


def test_a_sentence_about_a_folder_keeps_trust(docs: Path, capsys: Captured) -> None:
    write(docs, HOSTILE)
    main(["context", ".", "The handbook.", "--root", "docs"])
    assert said(docs) == ["index.embedder", "llm.url", "llm.model"]
    trust_folder(docs)
    main(["context", ".", "The new handbook.", "--root", "docs"])
    assert said(docs) == []
    capsys.readouterr()


# -- what an index keeps


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    with serve(float_embeddings) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        yield fake


def test_flags_of_the_user_are_kept_and_those_of_a_stranger_are_not(
    docs: Path, service: FakeService, capsys: Captured
) -> None:
    assert main(["index", "docs", "--embedder", "openai:m"]) == 0
    asked = len(service.requests)
    assert asked
    assert main(["search", "mount", "docs"]) == 0
    assert len(service.requests) == asked + 1
    assert "trust" not in capsys.readouterr().err
    # The same folder, as somebody else gets it.
    docs.rename(docs.parent / "theirs")
    assert main(["search", "mount", "theirs", "--adopt"]) == 0
    shown = capsys.readouterr()
    assert "guide.md" in shown.out
    assert "not used: index.embedder (kept in the index)" in shown.err
    assert len(service.requests) == asked + 1
    assert main(["trust", "theirs"]) == 0
    assert main(["search", "mount", "theirs"]) == 0
    assert len(service.requests) == asked + 2


def test_vectors_of_a_service_outlive_the_loss_of_trust(docs: Path, service: FakeService, capsys: Captured) -> None:
    write(docs, '[index]\nembedder = "openai:m"\n')
    trust_folder(docs)
    assert main(["index", "docs"]) == 0
    asked = len(service.requests)
    write(docs, '[index]\nembedder = "openai:m"\n# changed\n')
    (docs / "new.md").write_text("# New\n\nA second gauge.\n", encoding="utf-8")
    for command in (["search", "mount"], ["search", "second"], ["ask", "mount"]):
        assert main([*command, "docs"]) == 0
    assert main(["index", "docs"]) == 0
    assert len(service.requests) == asked
    with headnote.Index.open(docs, embedder="hashing:16", read_only=True, create=False) as index:
        assert index.check() == []
    trust_folder(docs)
    capsys.readouterr()
    assert main(["index", "docs"]) == 0
    texts = [text for payload in service.payloads[asked:] for text in payload["input"]]
    assert texts
    assert all("mount" not in text for text in texts), "the vectors of the old document are still there"


def ship(folder: Path, flags: dict[str, Any], ambient: dict[str, Any]) -> None:
    """An index in the folder that says it was made with these."""
    with Index.open(folder, embedder="none") as index:
        index.update()
        text = _text(
            *({name: SettingValue(value, "--flag") for name, value in layer.items()} for layer in (ambient, flags))
        )
        with index._store.writing(0.0) as writer:
            writer.set_manifest({**writer.manifest(), STORED_SETTINGS: text})


@pytest.mark.parametrize("name", ["openai:m", "sentence-transformers:/tmp/evil"])
def test_an_index_that_came_with_a_folder_names_no_service(docs: Path, service: FakeService, name: str) -> None:
    ship(docs, {"embedder": name}, {})
    assert main(["search", "gauge", "docs"]) == 0
    ship(docs, {}, {"embedder": name, "counter": "/etc/tokenizer.json"})
    assert main(["search", "gauge", "docs"]) == 0
    assert main(["index", "docs"]) == 0
    assert not service.requests

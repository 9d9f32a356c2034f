"""`headnote config`: every setting in force, and who said so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from headnote.chunking.settings import FIELD_NAMES
from headnote.cli.main import main
from headnote.config import INDEX_NAMES
from headnote.config.folder_settings import SEARCH
from headnote.config.server_settings import LLM, SERVER

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]

SETTINGS = """\
preset = "blocks"
max_tokens = 800

[index]
exclude = ["drafts/", "*.tmp.md"]
"""


@pytest.fixture
def configured(docs: Path) -> Path:
    (docs / "headnote.toml").write_text(SETTINGS, encoding="utf-8")
    return docs


def config_as_json(folder: Path, capsys: Captured) -> dict[str, Any]:
    assert main(["config", str(folder), "--json"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_every_setting_with_its_origin(configured: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("HEADNOTE_MERGE", "false")
    assert main(["config", str(configured)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "docs  file docs/headnote.toml"
    shown = {fields[0]: fields[1:] for line in lines if len(fields := re.split(r"  +", line.strip())) == 3}
    tables = (SEARCH, LLM, SERVER)
    assert set(shown) == {"preset", *FIELD_NAMES, *INDEX_NAMES, *(name for table in tables for name in table.checks)}
    assert shown["preset"] == ["blocks", "docs/headnote.toml:1"]
    assert shown["max_tokens"] == ["800", "docs/headnote.toml:2"]
    assert shown["merge"] == ["false", "HEADNOTE_MERGE"]
    assert shown["counter"] == ["estimate", "preset blocks"]
    assert shown["mdx"] == ["auto", "default"]
    assert shown["exclude"] == ["drafts/, *.tmp.md", "docs/headnote.toml:5"]
    assert shown["embedder"] == ["hashing:64", "HEADNOTE_EMBEDDER"]


def test_the_same_as_json(configured: Path, capsys: Captured) -> None:
    record = config_as_json(configured, capsys)
    assert (record["root"], record["file"]) == ("docs", "docs/headnote.toml")
    assert list(record["chunking"]) == ["preset", *FIELD_NAMES]
    assert record["chunking"]["max_tokens"] == {"value": 800, "origin": "docs/headnote.toml:2"}
    assert record["chunking"]["keep_whole"] == {"value": [], "origin": "default"}
    assert record["index"]["exclude"]["value"] == ["drafts/", "*.tmp.md"]


def test_what_a_preset_sets_besides_chunks(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    file = docs / "headnote.toml"
    recency = {}
    for said in ('preset = "blocks"\n', 'preset = "ragdocs"\n', 'preset = "ragdocs"\n[search]\nrecency = 0\n'):
        file.write_text(said, encoding="utf-8")
        search = config_as_json(docs, capsys)["search"]
        recency[said] = search["recency"]
        assert search["limit"] == {"value": 10, "origin": "default"}
    assert [one["value"] for one in recency.values()] == ["", "steps", "0"]
    assert [one["origin"] for one in recency.values()] == ["default", "preset ragdocs", "docs/headnote.toml:3"]
    monkeypatch.setenv("HEADNOTE_PRESET", "ragdocs")
    file.unlink()
    assert main(["config", str(docs)]) == 0
    assert re.search(r"^  recency +steps +preset ragdocs$", capsys.readouterr().out, re.MULTILINE)


def test_no_file_at_all(docs: Path, capsys: Captured) -> None:
    assert config_as_json(docs, capsys)["file"] is None
    assert main(["config", str(docs)]) == 0
    assert capsys.readouterr().out.startswith("docs  no settings file here or above\n")


def test_a_file_that_says_nothing_is_still_the_one_that_was_read(docs: Path, capsys: Captured) -> None:
    Path("headnote.toml").write_text("# later\n", encoding="utf-8")
    assert config_as_json(docs, capsys)["file"] == "headnote.toml"


def test_keys_are_never_shown(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDING_KEY", "secret-of-mine")
    monkeypatch.setenv("HEADNOTE_EMBEDDING_URL", "https://me:secret-of-mine@host.example/v1")
    for flags in ([], ["--json"]):
        assert main(["config", str(docs), *flags]) == 0
        captured = capsys.readouterr()
        assert "HEADNOTE_EMBEDDING_KEY" in captured.out
        assert "secret-of-mine" not in captured.out + captured.err
    assert (
        config_as_json(docs, capsys)["set"].items()
        >= {"HEADNOTE_EMBEDDING_URL": True, "HEADNOTE_EMBEDDING_KEY": True}.items()
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("max_token = 9\n", "docs/headnote.toml:1: unknown setting 'max_token' (did you mean max_tokens?)"),
        ("[index]\nembeder = 1\n", "docs/headnote.toml:2: unknown setting embeder (did you mean embedder?)"),
        ("[index\n", "docs/headnote.toml:1: is not valid TOML"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_bad_file_is_one_line(text: str, complaint: str, flags: list[str], docs: Path, capsys: Captured) -> None:
    (docs / "headnote.toml").write_text(text, encoding="utf-8")
    assert main(["config", str(docs), *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("nowhere", "nowhere: no such file or folder (check the path)\n"),
        ("docs/guide.md", "docs/guide.md: a file, not a folder (name the folder that contains it)\n"),
    ],
)
@pytest.mark.usefixtures("docs")
def test_a_folder_is_needed(path: str, complaint: str, capsys: Captured) -> None:
    assert main(["config", path]) == 2
    assert capsys.readouterr().err == f"error: {complaint}"


def test_keys_and_tokens_are_not_shown(docs: Path, capsys: Captured) -> None:
    secrets = "[llm]\nurl = 'https://host/v1?key=hidden'\nkey = 'sk-hidden'\n[server]\ntoken = 'hidden-hidden-hidden'\n"
    (docs / "headnote.toml").write_text(secrets, encoding="utf-8")
    assert main(["trust", str(docs)]) == 0
    assert "hidden" not in capsys.readouterr().out
    record = config_as_json(docs, capsys)
    assert main(["config", str(docs)]) == 0
    assert "hidden" not in capsys.readouterr().out + json.dumps(record)
    assert record["llm"]["key"] == {"value": "set", "origin": "docs/headnote.toml:3"}

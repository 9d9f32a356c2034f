"""Opening a document in an editor: what may be set, and who learns where the folder lies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from web_folder import ADDRESS

from headnote import SettingsError
from headnote.api import trust_folder
from headnote.api.keeper import Served
from headnote.cli.serve import _own_editor
from headnote.config.server_settings import EDITOR, EDITORS, editor_address, load_server_settings, template_of
from headnote.web.app import make_app
from headnote.web.security import Guard

pytest_plugins = ("web_fixtures",)

TOKEN = "a-token-of-many-letters"


def ask(served: Served, guard: Guard, client: str = "127.0.0.1", **options: Any) -> Any:
    app = make_app(replace(served, editor="vscode"), guard)
    browser = TestClient(app, options.pop("base", ADDRESS), client=(client, 5000), follow_redirects=False)
    response = browser.get("/api/editor", params={"path": "places/harbour.md"}, **options)
    assert response.status_code == 200, response.text
    return response.json()


# -- who gets it


def test_a_reader_on_this_machine_gets_the_address(served: Served, served_root: Path) -> None:
    answer = ask(served, Guard())
    assert answer == {"editor": "vscode", "address": f"vscode://file{served_root}/places/harbour.md:{{line}}"}
    assert ask(served, Guard(), base="http://localhost:8377") == answer


@pytest.mark.parametrize("client", ["192.168.1.7", "10.0.0.2", "2001:db8::1", "testclient"])
@pytest.mark.parametrize("token", ["", TOKEN])
def test_a_reader_elsewhere_does_not_learn_where_the_folder_is(served: Served, client: str, token: str) -> None:
    guard = Guard(loopback_only=False, token=token)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    assert ask(served, guard, client, headers=headers) == {"editor": None, "address": None}


def test_behind_a_proxy_only_the_token_tells_who_reads(served: Served) -> None:
    names = frozenset({"localhost", "notes.example"})
    public, guarded = Guard(names), Guard(names, token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert ask(served, public, base="http://notes.example") == {"editor": None, "address": None}
    assert ask(served, guarded, base="http://notes.example", headers=headers)["editor"] == "vscode"


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"])
def test_a_proxy_that_hides_its_name_gives_itself_away(served: Served, header: str) -> None:
    assert ask(served, Guard(), headers={header: "203.0.113.9"}) == {"editor": None, "address": None}
    known = {header: "203.0.113.9", "Authorization": f"Bearer {TOKEN}"}
    assert ask(served, Guard(token=TOKEN), headers=known)["editor"] == "vscode"


def test_without_an_editor_there_is_no_address(served: Served) -> None:
    for name in ("", "none"):
        browser = TestClient(make_app(replace(served, editor=name)), ADDRESS, client=("127.0.0.1", 5000))
        assert browser.get("/api/editor", params={"path": "moon.md"}).json() == {"editor": None, "address": None}


def test_only_documents_of_the_index_have_one(served: Served) -> None:
    browser = TestClient(make_app(replace(served, editor="vscode")), ADDRESS, client=("127.0.0.1", 5000))
    for path in ("../../etc/passwd", "nowhere.md", "places/gauge.png"):
        assert browser.get("/api/editor", params={"path": path}).status_code == 404


# -- what it is


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        ("vscode", "/home/me/my notes/a#1.md", "vscode://file/home/me/my%20notes/a%231.md:{line}"),
        ("cursor", "C:\\notes\\a.md", "cursor://file/C:/notes/a.md:{line}"),
        ("obsidian", "/home/me/a&b.md", "obsidian://open?path=%2Fhome%2Fme%2Fa%26b.md"),
        ("my-editor://{file}?at={line}", "/a b", "my-editor://%2Fa%20b?at={line}"),
    ],
)
def test_paths_are_encoded(name: str, file: str, expected: str) -> None:
    assert editor_address(template_of(EDITOR(name)), file) == expected


@given(st.sampled_from(sorted(EDITORS)), st.text(max_size=60))
def test_no_path_changes_the_kind_of_address(name: str, file: str) -> None:
    file = file.encode("utf-8", "replace").decode()
    address = editor_address(EDITORS[name], f"/{file}")
    assert address.startswith(EDITORS[name].partition("{")[0])
    assert address.isascii()
    assert not set(address) & set(" \"'<>\\\n\r\t`")


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert({path})",
        "JavaScript:alert({path})",
        "java\tscript:{path}",
        " javascript:{path}",
        "data:text/html,{path}",
        "vbscript:{path}",
        "file://{path}",
        "https://example.com/{path}",
        "http://127.0.0.1/{path}",
        "blob:{path}",
        "view-source:{path}",
        "editor://open",
        "editor://{path}{secret}",
        'editor://{path}"onclick="x',
        "editor://{path} x",
        "C:\\vim.exe {path}",
        "notepad",
        "editor://{path}" + "x" * 600,
        7,
        True,
    ],
)
def test_what_is_no_editor_is_refused(value: object) -> None:
    with pytest.raises(SettingsError):
        EDITOR(value)


# -- where it is set


def test_flag_variable_and_file_name_an_editor(tmp_path: Path) -> None:
    assert load_server_settings({}, tmp_path, {}).settings.editor == ""
    (tmp_path / "headnote.toml").write_text('[server]\neditor = "zed"\n')
    trust_folder(tmp_path)
    assert load_server_settings({}, tmp_path, {}).settings.editor == "zed"
    environment = {"HEADNOTE_EDITOR": "my://{path}"}
    assert load_server_settings({}, tmp_path, environment).settings.editor == "my://{path}"
    assert load_server_settings({"editor": "cursor"}, tmp_path, environment).settings.editor == "cursor"
    assert load_server_settings({"editor": "x-y:{file}"}, tmp_path, environment).settings.editor == "x-y:{file}"


def test_a_file_that_came_with_documents_names_no_program(tmp_path: Path) -> None:
    for program in ("search-ms:query={path}", "vscode"):
        (tmp_path / "headnote.toml").write_text(f'[server]\neditor = "{program}"\n')
        assert load_server_settings({}, tmp_path, {}).settings.editor == ""
    (tmp_path / "headnote.toml").write_text('[server]\neditor = "none"\n')
    assert load_server_settings({}, tmp_path, {}).origins["editor"].endswith("headnote.toml:2")


def test_a_vault_of_obsidian_opens_there(tmp_path: Path) -> None:
    assert _own_editor(tmp_path) == ""
    (tmp_path / ".obsidian").mkdir()
    assert _own_editor(tmp_path) == "obsidian"

"""An index of several folders over HTTP: where hits are from, pictures, editors, and what is not told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web_folder import client_of

from headnote import Index
from headnote.api import trust_folder
from headnote.api.keeper import KeeperState, Served
from headnote.web.endpoints import editor
from headnote.web.requests import PathRequest

PICTURE = b"\x89PNG\r\n\x1a\n"
PAGES = {
    "docs/refund.md": '# Refund\n\nPress *reverse*. ![p](img/p.png) <img src="/img/p.png"> [[Ana]]\n',
    "notes/Ana.md": '# Ana\n\nShe decides about a refund.\n\n<img src="../docs/img/p.png">\n',
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "docs/img").mkdir()
    (tmp_path / "docs/img/p.png").write_bytes(PICTURE)
    (tmp_path / "home").mkdir()
    roots = '[roots.handbook]\npath = "../docs"\n[roots.notes]\npath = "../notes"\n'
    (tmp_path / "home/headnote.toml").write_text(roots, encoding="utf-8")
    trust_folder(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def client(home: Path) -> Iterator[TestClient]:
    with Index.open(home, embedder="none") as index:
        index.update()
        yield client_of(Served(index, KeeperState))


def test_a_hit_names_its_folder_and_one_can_be_asked(client: TestClient) -> None:
    answer = client.get("/api/search", params={"q": "refund", "facets": "true"}).json()
    assert {hit["root"] for hit in answer["hits"]} == {"handbook", "notes"}
    assert {facet["value"] for facet in answer["facets"] if facet["kind"] == "folder"} == {"handbook/", "notes/"}
    only = client.get("/api/search", params={"q": "refund", "root": "notes"}).json()
    assert [hit["path"] for hit in only["hits"]] == ["notes/Ana.md"]
    wrong = client.get("/api/search", params={"q": "refund", "root": "note"})
    assert wrong.status_code == 400
    assert "did you mean notes" in wrong.text


def test_the_state_has_the_folders_and_not_where_they_are(client: TestClient, home: Path) -> None:
    state = client.get("/api/status").json()
    assert (state["root"], [root["name"] for root in state["roots"]]) == ("handbook, notes", ["handbook", "notes"])
    assert str(home.parent) not in client.get("/api/status").text


def test_pictures_and_links_lead_into_the_right_folder(client: TestClient) -> None:
    page = client.get("/api/document", params={"path": "handbook/refund.md"}).json()["html"]
    assert page.count('src="/files/handbook/img/p.png"') == 2
    assert 'data-document="notes/Ana.md"' in page
    assert client.get("/files/handbook/img/p.png").content == PICTURE
    assert client.get("/files/docs/img/p.png").status_code == 404
    # HTML has no stored link: what it writes stays inside its folder.
    assert "/files/handbook" not in client.get("/api/document", params={"path": "notes/Ana.md"}).json()["html"]


def test_an_editor_opens_the_file_of_the_folder(home: Path) -> None:
    with Index.open(home, embedder="none") as index:
        index.update()
        answer = editor(Served(index, KeeperState, "vscode"), PathRequest("handbook/refund.md"))
    assert answer.address == f"vscode://file{home.parent}/docs/refund.md:{{line}}"

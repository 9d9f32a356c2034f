"""The API as programs use it: every endpoint, and its errors."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from web_folder import client_of, json_of

import headnote
from headnote import Hit, Index
from headnote.api.keeper import KeeperState, Served
from headnote.errors import LockedIndex
from headnote.index.plan import FilesRead
from headnote.model import to_plain
from headnote.model.results import Progress
from headnote.web.endpoints import MAX_LEFT_OUT

pytest_plugins = ("web_fixtures",)


def error_of(response: Any, status: int) -> dict[str, str]:
    assert response.status_code == status, response.text
    body = response.json()
    assert set(body) == {"error"}
    error: dict[str, str] = body["error"]
    assert set(error) == {"code", "message", "remedy"}
    assert error["message"]
    return error


def test_a_hit_is_the_same_everywhere(client: TestClient, index: Index) -> None:
    sent, hit = json_of(client, "/api/search", q="tide")["hits"][0], index.search("tide")[0]
    assert list(sent) == [*Hit.__slots__, "line", "marks", "snippet"]
    assert {name: sent[name] for name in Hit.__slots__} == json.loads(json.dumps(to_plain(hit)))
    assert pickle.loads(pickle.dumps(hit)) == hit


def test_health(client: TestClient) -> None:
    assert json_of(client, "/api/health") == {"ok": True, "version": headnote.__version__, "ready": True}


def test_status_names_the_folder_and_not_where_it_lies(client: TestClient, served_root: Path) -> None:
    status = json_of(client, "/api/status")
    assert status["root"] == served_root.name
    assert str(served_root.parent) not in json.dumps(status)
    assert (status["documents"], status["pending"], status["problem"], status["busy"]) == (4, 0, "", False)
    assert status["settings"]["max_tokens"] == 512
    assert status["progress"] is None
    assert status["files_read"] is None


def test_status_says_what_sets_each_setting_and_where_the_file_differs(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    file = tmp_path / "headnote.toml"
    file.write_text("max_tokens = 300\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none", min_tokens=5) as made:
        made.update()
    with Index.open(tmp_path, read_only=True) as index:
        client = client_of(Served(index))
        status = json_of(client, "/api/status")
        assert status["origins"]["max_tokens"] == "headnote.toml:1"
        assert status["origins"]["min_tokens"] == "kept in the index (--min-tokens)"
        assert status["differing"] == []
        file.write_text("max_tokens = 400\nmin_tokens = 7\n", encoding="utf-8")
        status = json_of(client, "/api/status")
        assert status["settings"]["max_tokens"] == 300
        assert status["differing"] == [
            "headnote.toml:1 says max_tokens 400, not 300",
            "headnote.toml:2 says min_tokens 7, and --min-tokens 5 stays",
        ]


def test_status_shows_how_far_an_update_is(index: Index) -> None:
    state = KeeperState("it is locked", True, Progress("embed", 3, 9, 60.0))
    status = json_of(client_of(Served(index, lambda: state)), "/api/status")
    assert status["progress"] == {"stage": "vectors", "done": 3, "total": 9, "seconds_left": 60.0}
    assert status["busy"] is True
    assert status["problem"] == "it is locked"


def test_answers_say_that_the_folder_is_still_being_read(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    state = KeeperState(busy=True, files_read=FilesRead(1200, 6591))
    client = client_of(Served(index, lambda: state))
    read = {"done": 1200, "total": 6591}
    assert json_of(client, "/api/health")["ready"] is False
    assert json_of(client, "/api/status")["files_read"] == read
    for query in ("spring tides", "xyzzy"):
        assert json_of(client, "/api/search", q=query)["files_read"] == read
    assert (
        json.loads(client.post("/api/ask", json={"question": "spring tides"}).text.splitlines()[-1])["files_read"]
        == read
    )


def test_the_model_that_would_answer_is_named(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    assert json_of(client, "/api/status")["ask_model"] is None
    monkeypatch.setenv("HEADNOTE_CHAT_MODEL", "some-model")
    assert json_of(client, "/api/status")["ask_model"] == "some-model"


def test_search_gives_what_the_index_gives_and_marks_words(client: TestClient, index: Index) -> None:
    answer = json_of(client, "/api/search", q="spring tides", limit=2)
    expected = index.search("spring tides", 2)
    assert [hit["key"] for hit in answer["hits"]] == [hit.key for hit in expected]
    assert answer["query"] == "spring tides"
    first = answer["hits"][0]
    marked = {first["text"][start:end].lower() for start, end in first["marks"]}
    assert {"spring", "tides"} <= marked
    shown = first["snippet"]["lines"]
    assert {line["text"][start:end].lower() for line in shown for start, end in line["marks"]} <= marked
    assert all(line["text"] for line in shown)
    assert first["why"]["matched"]
    assert first["why"]["keyword_rank"] == 1
    assert first["start_line"] <= first["line"] == shown[0]["line"] <= first["end_line"]
    assert answer["note"] == ""


def test_a_search_without_hits_says_why(client: TestClient, index: Index) -> None:
    for request in ({"tag": "xyzzy"}, {"path": "nowhere/**"}, {"where": "a=b"}, {"mode": "keyword"}):
        answer = json_of(client, "/api/search", q="xyzzy", **request)
        assert answer["hits"] == []
        assert answer["note"].startswith(("no document ", "nothing relevant for 'xyzzy': "))
        assert answer["has_nearest"] is False
    assert answer["note"] == index.why_empty("xyzzy", mode="keyword")


def test_a_search_without_hits_says_whether_a_lower_score_has_some(client: TestClient) -> None:
    query = "xyzzy quux"
    answer = json_of(client, "/api/search", q=query)
    assert (answer["hits"], answer["has_nearest"]) == ([], True)
    assert json_of(client, "/api/search", q=query, min_score=0)["hits"]
    assert json_of(client, "/api/search", q="tides", min_score=0, tag="nowhere")["has_nearest"] is False


def test_search_gives_pages_and_facets_that_narrow(client: TestClient, index: Index) -> None:
    whole = json_of(client, "/api/search", q="tide", mode="keyword", facets="true")
    assert whole["total"] == index.search_page("tide", mode="keyword").total == len(whole["hits"])
    second = json_of(client, "/api/search", q="tide", mode="keyword", limit=1, offset=1)
    assert (second["total"], second["offset"], second["facets"]) == (whole["total"], 1, [])
    assert [hit["key"] for hit in second["hits"]] == [whole["hits"][1]["key"]]
    assert {(facet["kind"], facet["name"], facet["argument"]) for facet in whole["facets"]} >= {
        ("folder", "", "/places/"),
        ("tag", "", "water"),
        ("tag", "", "moon"),
    }
    for facet in whole["facets"]:
        parameter = {facet["parameter"]: facet["argument"]}
        narrowed = json_of(client, "/api/search", q="tide", mode="keyword", **parameter)
        assert narrowed["total"] == facet["total"] < whole["total"]
    past = json_of(client, "/api/search", q="tide", mode="keyword", offset=50)
    assert (past["hits"], past["total"], past["note"]) == ([], whole["total"], "")
    assert json_of(client, "/api/search", q="tide", mode="keyword", offset=1000)["total"] == whole["total"]
    error_of(client.get("/api/search", params={"q": "tide", "offset": 1001}), 400)


def test_search_corrects_and_completes_words_and_marks_what_it_found(client: TestClient) -> None:
    answer = json_of(client, "/api/search", q="sprnig tid", mode="keyword")
    assert (answer["query"], answer["answered"]) == ("sprnig tid", "spring tid")
    first = answer["hits"][0]
    assert [guess["is_correction"] for guess in first["why"]["guesses"]] == [True, False]
    marked = {first["text"][start:end].lower() for start, end in first["marks"]}
    assert "spring" in marked
    assert marked & {"tide", "tides"}


def test_search_takes_every_filter(client: TestClient) -> None:
    def paths(**parameters: Any) -> set[str]:
        hits = json_of(client, "/api/search", q="tide water wall", min_score=0, **parameters)["hits"]
        return {hit["path"] for hit in hits}

    assert paths(path=["places/**"]) == {"places/harbour.md"}
    assert paths(path=["places/**", "moon.md"]) == {"places/harbour.md", "moon.md"}
    assert paths(tag=["water", "moon"]) == {"tides.md"}
    assert paths(where=["status=draft"]) == {"tides.md"}
    assert paths(since="2999-01-01") == set()
    assert "tides.md" in paths(since="1y")
    each = [hit["path"] for hit in json_of(client, "/api/search", q="tide", min_score=0, per_document=1)["hits"]]
    assert len(each) == len(set(each)) > 1
    assert len(json_of(client, "/api/search", q="tide", min_score=0, budget=1)["hits"]) == 1
    assert json_of(client, "/api/search", q="tide", mode="keyword", recency_days=30)["hits"]
    new = json_of(client, "/api/search", q="tide", mode="keyword", recency="steps", min_score=0)["hits"]
    assert {hit["why"]["recency"] for hit in new} <= {1.0, 1.1, 1.2}
    drafts = json_of(client, "/api/search", q="tide", where=["status=draft"], min_score=0, fusion="rrf")["hits"]
    assert {hit["metadata"]["status"] for hit in drafts} == {"draft"}


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "999999y"])
def test_dates_at_the_ends_of_time_are_fine(client: TestClient, since: str) -> None:
    json_of(client, "/api/search", q="tide", since=since)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "`q`"),
        ({"q": ""}, "q"),
        ({"q": "a" * 10_001}, "10000"),
        ({"q": "a", "limit": 0}, "limit"),
        ({"q": "a", "limit": 51}, "limit"),
        ({"q": "a", "limit": "many"}, "limit"),
        ({"q": "a", "mode": "magic"}, "mode"),
        ({"q": "a", "where": "status"}, "where"),
        ({"q": "a", "where": ["a=1", "a=2"]}, "given twice"),
        ({"q": "a", "since": "tomorrow"}, "of another form - at `since`"),
        ({"q": "a", "since": "2026-02-30"}, "not a time"),
        ({"q": "a", "min_score": "nan"}, "min_score"),
        ({"q": "a", "recency_days": "inf"}, "recency_days"),
        ({"q": "a", "recency": "soon"}, "recency"),
        ({"q": "a", "recency": "steps", "recency_days": 3}, "both given"),
        ({"q": "a", "fusion": "sum"}, "fusion"),
        ({"q": "a", "budget": -1}, "budget"),
        ({"q": ["a", "b"]}, "given twice"),
        ({"q": "a", "limt": 3}, "limt"),
        ({"q": "a", "path": ["x"] * 51}, "path"),
    ],
)
def test_bad_searches_say_what_is_wrong(client: TestClient, parameters: dict[str, Any], message: str) -> None:
    error = error_of(client.get("/api/search", params=parameters), 400)
    assert error["code"] == "bad_request"
    assert message in error["message"]


def test_the_nearest_parameter_is_named(client: TestClient) -> None:
    assert "limit" in error_of(client.get("/api/search?q=a&limt=3"), 400)["remedy"]


def test_documents_outline_and_links(client: TestClient) -> None:
    documents = json_of(client, "/api/documents")["documents"]
    assert [one["path"] for one in documents] == ["alone.md", "moon.md", "places/harbour.md", "tides.md"]
    assert all(one["title"] and one["chunks"] and one["size"] and one["changed"] > 1e9 for one in documents)
    degrees = {node["path"]: (node["degree"], node["tags"]) for node in json_of(client, "/api/graph")["nodes"]}
    assert {one["path"]: (one["links"], one["tags"]) for one in documents} == degrees
    headings = json_of(client, "/api/outline", path="tides.md")["headings"]
    of_all = json_of(client, "/api/headings")["headings"]
    assert [text for text, *_ in of_all["tides.md"]] == [heading["text"] for heading in headings]
    assert [(one["level"], one["slug"], one["start_line"]) for one in headings] == [
        (1, "tides", 7),
        (2, "spring-tides", 11),
    ]
    assert headings[0]["tokens"] > headings[1]["tokens"] > 0
    links = json_of(client, "/api/links", path="moon.md")
    assert [(one["target"], one["resolved"], one["broken"]) for one in links["links"]] == [("gone.md", None, True)]
    assert [(one["path"], one["broken"]) for one in links["backlinks"]] == [("tides.md", False)]


def test_the_words_that_a_query_finds_in_a_document(client: TestClient) -> None:
    answer = json_of(client, "/api/found", path="tides.md", q="tide")
    assert answer["words"][0] == {"line": 7, "text": "Tides"}
    assert answer["total"] == len(answer["words"])
    assert json_of(client, "/api/found", path="alone.md", q="tide")["words"] == []
    assert error_of(client.get("/api/found", params={"path": "nowhere.md", "q": "tide"}), 404)["code"] == "not_found"
    error_of(client.get("/api/found", params={"path": "tides.md", "q": ""}), 400)


def test_a_preview_is_the_beginning_of_a_document_or_a_section(client: TestClient) -> None:
    preview = json_of(client, "/api/preview", path="tides.md")
    assert (preview["title"], preview["heading"]) == ("Tides", "")
    assert preview["lines"][0]["text"] == "The tide rises twice a day. See the harbour and the moon."
    section = json_of(client, "/api/preview", path="tides.md", fragment="spring-tides")
    assert section["heading"] == "Spring tides"
    assert section["lines"][0]["text"] == "Spring tides are higher; neap tides are lower."
    assert json_of(client, "/api/preview", path="tides.md", fragment="nowhere")["heading"] == ""
    text = json_of(client, "/api/read", path="tides.md")["text"].split("\n")
    assert text[preview["lines"][0]["line"] - 1].startswith("The tide rises")
    assert text[section["lines"][0]["line"] - 1].startswith("Spring tides are higher")
    error_of(client.get("/api/preview", params={"path": "nowhere.md"}), 404)


def test_reading_by_lines_heading_and_chunk(client: TestClient, index: Index) -> None:
    assert json_of(client, "/api/read", path="moon.md", start_line=1, end_line=1)["text"] == "# Moon\n"
    assert "neap" in json_of(client, "/api/read", path="tides.md", heading="spring tides")["text"]
    hit = index.search("spring tides", 1)[0]
    for name in (hit.key, hit.id):
        assert json_of(client, "/api/read", chunk=name) == {
            "path": hit.path,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "text": hit.text,
        }
    error_of(client.get("/api/read"), 400)
    error_of(client.get("/api/read?path=moon.md&start_line=3&end_line=1"), 400)
    assert "it has: Moon" in error_of(client.get("/api/read?path=moon.md&heading=Sun"), 404)["remedy"]
    error_of(client.get("/api/read?chunk=moon.md%23nothing-0"), 404)
    error_of(client.get("/api/read?chunk=nothing"), 404)


@pytest.mark.parametrize("endpoint", ["read", "outline", "document", "links"])
def test_a_wrong_path_gets_the_nearest_ones(client: TestClient, endpoint: str) -> None:
    for wrong, nearest in (("./Moon", "moon.md"), ("places/harbor.md", "places/harbour.md")):
        problem = error_of(client.get(f"/api/{endpoint}?path={wrong}"), 404)
        assert problem["remedy"] == f"nearest: {nearest}"


def test_a_document_with_all_that_is_known(client: TestClient, served_root: Path) -> None:
    view = json_of(client, "/api/document", path="tides.md")
    text = (served_root / "tides.md").read_text(encoding="utf-8")
    assert view["text"] == text
    assert view["lines"] == text.count("\n")
    assert (view["title"], view["tags"], view["metadata"]["status"]) == ("Tides", ["water", "moon"], "draft")
    assert view["chunks"][0]["index"] == 0
    assert "".join(text[one["start"] : one["end"]] for one in view["chunks"]).strip() in text
    assert [one["resolved"] for one in view["links"]] == ["places/harbour.md", "moon.md", "places/gauge.png"]
    assert not any(one["broken"] for one in view["links"])
    assert [one["path"] for one in view["backlinks"]] == ["places/harbour.md"]
    assert [one["text"] for one in view["headings"]] == ["Tides", "Spring tides"]
    assert '<h1 data-start-line="7" data-end-line="7" data-anchor="tides">Tides</h1>' in view["html"]


def test_the_graph(client: TestClient) -> None:
    graph = json_of(client, "/api/graph")
    paths = [node["path"] for node in graph["nodes"]]
    edges = {(paths[start], paths[end]) for start, end in graph["edges"]}
    harbour = "places/harbour.md"
    assert edges == {("tides.md", harbour), ("tides.md", "moon.md"), (harbour, "tides.md")}
    assert {node["path"]: node["degree"] for node in graph["nodes"]}["tides.md"] == 3
    assert graph["orphans"] == ["alone.md"]
    assert [path for path, spot in zip(paths, graph["spots"], strict=True) if spot is None] == ["alone.md"]
    assert [(link["path"], link["target"], link["broken"]) for link in graph["broken"]] == [
        ("moon.md", "gone.md", True)
    ]


def test_the_neighbourhood_of_a_document(client: TestClient) -> None:
    near = json_of(client, "/api/neighbourhood", path="moon.md")
    assert [(node["path"], node["distance"]) for node in near["nodes"]] == [("moon.md", 0), ("tides.md", 1)]
    assert (near["edges"], near["left_out"]) == ([[1, 0]], 0)
    wider = json_of(client, "/api/neighbourhood", path="moon.md", depth=2, limit=2)
    assert (len(wider["nodes"]), wider["left_out"]) == (2, 1)
    error_of(client.get("/api/neighbourhood", params={"path": "./moon"}), 404)
    error_of(client.get("/api/neighbourhood", params={"path": "moon.md", "depth": 3}), 400)


def test_presets_and_settings(client: TestClient) -> None:
    answer = json_of(client, "/api/presets")
    assert answer["presets"][0]["name"] == "default"
    settings = {one["name"]: one for one in answer["settings"]}
    assert settings["max_tokens"]["type"] == "integer"
    assert settings["merge"] | {"description": ""} == {
        "name": "merge",
        "type": "boolean",
        "choices": [],
        "default": True,
        "description": "",
    }
    assert "block" in settings["strategy"]["choices"]
    assert "cl100k" in settings["counter"]["choices"]
    assert all(one["description"] for one in answer["settings"])
    for preset in answer["presets"]:
        assert preset["settings"].keys() == settings.keys()


def chunk(client: TestClient, **body: Any) -> Any:
    response = client.post("/api/chunk", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_chunking_a_text_is_what_the_library_does(client: TestClient) -> None:
    text = "# A\n\n" + "One sentence of it. " * 60 + "\n\n## B\n\n```python\n" + "line = 1\n" * 60 + "```\n"
    answer = chunk(client, text=text, settings={"max_tokens": 80, "min_tokens": 10})
    expected = headnote.chunk(text, max_tokens=80, min_tokens=10)
    for name in answer["chunks"][0]:
        assert [one[name] for one in answer["chunks"]] == [getattr(one, name) for one in expected]
    assert answer["settings"]["max_tokens"] == 80
    blocks = headnote.parse(text)
    assert [(one["kind"], one["start"], one["end"]) for one in answer["blocks"]] == [
        (one.kind, one.start, one.end) for one in blocks
    ]
    assert [one["cut"] for one in answer["blocks"]] == [False, True, False, True]


def test_presets_mdx_and_the_empty_text(client: TestClient) -> None:
    assert chunk(client, text="", path="a.md")["chunks"] == []
    assert chunk(client, text="a", preset="mdvdb")["settings"]["strategy"] == "window"
    assert chunk(client, text="<A />\n", path="a.mdx")["blocks"][0]["kind"] == "mdx_jsx"
    assert chunk(client, text="<A />\n", path="a.md")["blocks"][0]["kind"] == "html"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "text"),
        ({"text": 3}, "text"),
        ({"text": "a", "preset": "nothing"}, "unknown preset"),
        ({"text": "a", "more": 1}, "more"),
        ({"text": "a", "settings": {"max_tokens": 0}}, "max_tokens"),
        ({"text": "a", "settings": {"max_tokens": -(10**30)}}, "max_tokens"),
        ({"text": "a", "settings": {"max_tokens": "large"}}, "max_tokens"),
        ({"text": "a", "settings": {"max_tokens": None}}, "max_tokens"),
        ({"text": "a", "settings": {"overlap_tokens": 512}}, "overlap_tokens"),
        ({"text": "a", "settings": {"preset": "mdvdb"}}, "unknown setting"),
        ({"text": "a", "settings": {"self": 1}}, "unknown setting"),
        ({"text": "a", "settings": {"strategy": ["block"]}}, "strategy"),
        ({"text": "a", "settings": {"counter": "/etc/passwd.json"}}, "counter"),
        ({"text": "a", "settings": {"Counter": "../tokenizer.json"}}, "counter"),
        ({"text": "a", "settings": {"counter": {"a": 1}}}, "counter"),
        ({"text": "word " * 300_000, "settings": {"max_tokens": 4}}, "too many chunks"),
        ({"text": "word " * 50_000, "settings": {"max_tokens": 512, "overlap_tokens": 511}}, "too many chunks"),
    ],
)
def test_absurd_settings_are_refused(client: TestClient, body: dict[str, Any], message: str) -> None:
    assert message in error_of(client.post("/api/chunk", json=body), 400)["message"]


@pytest.mark.parametrize("value", [10**18, 10**30])
def test_a_large_number_is_a_number(client: TestClient, value: int) -> None:
    settings = chunk(client, text="# A\n\nb\n", settings={"max_tokens": value})["settings"]
    assert int(settings["max_tokens"]) == pytest.approx(value)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"text": "\xff"}', b"[" * 100_000, b'{"text": "\\ud800"}']
)
def test_bodies_that_are_no_request(client: TestClient, body: bytes) -> None:
    error_of(client.post("/api/chunk", content=body, headers={"Content-Type": "application/json"}), 400)


def test_an_answer_comes_line_by_line(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    response = client.post("/api/ask", json={"question": "When are spring tides higher?"})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/x-ndjson")
    *texts, last = map(json.loads, response.text.splitlines())
    assert texts
    assert "".join(one["text"] for one in texts) == last["text"]
    assert last["type"] == "answer"
    assert last["complete"] is True
    assert last["model"] is None
    assert last["sources"][0]["path"] == "tides.md"
    assert {one["path"] for one in last["citations"]} <= {one["path"] for one in last["sources"]}


def test_a_model_that_cannot_be_asked_is_an_error_in_the_stream(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEADNOTE_CHAT_URL", "OPENAI_BASE_URL", "HEADNOTE_CHAT_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HEADNOTE_CHAT_MODEL", "some-model")
    [line] = client.post("/api/ask", json={"question": "tides?"}).text.splitlines()
    event = json.loads(line)
    assert event["type"] == "error"
    assert event["error"]["code"] == "model_failed"


@pytest.mark.parametrize("body", [{}, {"question": ""}, {"question": " \n"}, {"question": "a", "limit": 0}, {"q": "a"}])
def test_questions_that_are_none(client: TestClient, body: dict[str, Any]) -> None:
    error_of(client.post("/api/ask", json=body), 400)


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    for address in ("/nothing", "/api", "/api/nothing", "/static/nothing.js", "/static", "/.git/config"):
        error_of(client.get(address), 404)
    error_of(client.post("/api/search"), 405)
    error_of(client.delete("/api/health"), 405)


def test_an_index_that_cannot_be_used_says_so(index: Index) -> None:
    class Locked(Index):
        def graph(self, *, arranged: bool = False) -> Any:
            raise LockedIndex("another writer is at work", path="/secret/place", remedy="wait")

        def contents(self) -> Any:
            raise ZeroDivisionError

    locked = Locked(index.root, index._store, index.choice, index.models)
    client = client_of(Served(locked))
    error = error_of(client.get("/api/graph"), 503)
    assert error["code"] == "index_unavailable"
    assert "/secret" not in error["message"]
    surprise = error_of(client.get("/api/documents"), 500)
    assert "Zero" not in json.dumps(surprise)


def test_half_characters_and_huge_numbers_do_not_break_an_answer(tmp_path: Path) -> None:
    (tmp_path / "odd.md").write_bytes(
        b"---\nnumber: " + b"9" * 60 + b"\ninf: .inf\nday: 2026-01-01\n---\n\n# Odd\n\nA tide \xed\xa0\x80 here.\n"
    )
    (tmp_path / "utf16.md").write_bytes("# Sixteen\n\nA tide \ud800 there.\n".encode("utf-16-le", "surrogatepass"))
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        client = client_of(Served(index))
        view = json_of(client, "/api/document", path="odd.md")
        assert view["metadata"]["number"] == int("9" * 60)
        assert view["metadata"]["inf"] is None
        for document in json_of(client, "/api/documents")["documents"]:
            json_of(client, "/api/document", path=document["path"])
        json_of(client, "/api/search", q="tide", min_score=0)


@pytest.mark.filterwarnings("ignore::headnote.UnreadIndex")  # nobody has read the folder, and nobody does
def test_an_empty_folder_is_served(tmp_path: Path) -> None:
    with Index.open(tmp_path, embedder="none") as index:
        client = client_of(Served(index))
        assert json_of(client, "/api/search", q="anything")["hits"] == []
        assert json_of(client, "/api/graph") == {"nodes": [], "edges": [], "orphans": [], "broken": [], "spots": []}
        assert json_of(client, "/api/status")["updated"] is None


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    for name, text in {"a.md": "# A\n", "Cargo.toml": "", "target/out.md": "# Out\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        client = client_of(Served(opened, KeeperState))
        status = json_of(client, "/api/status")
        [left_out] = status["left_out"]
        assert (left_out["path"], left_out["reason"][:22]) == ("target", "taken for build output")
        assert status["left_out_count"] == 1
        answer = client.get("/api/document", params={"path": "target/out.md"})
        assert answer.status_code == 404
        assert "exists, and is left out" in answer.text


def test_more_is_left_out_than_is_named(tmp_path: Path) -> None:
    for number in range(MAX_LEFT_OUT + 3):
        (tmp_path / f"{number}.md").write_bytes(b"# T\n" if number < 1 else b"\0\1\2" * 20)
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        status = json_of(client_of(Served(index)), "/api/status")
    assert (len(status["left_out"]), status["left_out_count"]) == (MAX_LEFT_OUT, MAX_LEFT_OUT + 2)


@pytest.mark.parametrize("endpoint", ["document", "read", "outline", "links", "neighbourhood", "related"])
def test_a_name_means_its_document(client: TestClient, endpoint: str) -> None:
    by_path = json_of(client, f"/api/{endpoint}", path="places/harbour.md")
    assert json_of(client, f"/api/{endpoint}", path="Harbour") == by_path

"""The MCP server as an agent meets it: the SDK's own client, in memory, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote-md[mcp]"')

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import INVALID_PARAMS

from headnote import Index
from headnote.api.keeper import Served
from headnote.mcp_server.server import make_server
from headnote.tokens import count_tokens

Session = Callable[[Client], Awaitable[None]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", folder, ignore=shutil.ignore_patterns(".headnote"))
    return folder


@pytest.fixture(scope="module")
def index(root: Path) -> Iterator[Index]:
    with Index.open(root, embedder="instant") as opened:
        opened.update()
        yield opened


def talk(index: Index, session: Session) -> None:
    async def run() -> None:
        async with Client(make_server(lambda: Served(index))) as client:
            await session(client)

    asyncio.run(run())


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return "\n".join(part.text for part in result.content if part.type == "text")


async def error_of(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_every_tool_is_there_and_described(index: Index) -> None:
    async def session(client: Client) -> None:
        tools = (await client.list_tools()).tools
        names = {"search", "grep", "ask", "outline", "read", "multi_read", "links", "lint", "related", "status"}
        assert {tool.name for tool in tools} == names
        for tool in tools:
            assert tool.description
            assert len(tool.description) < 200

    talk(index, session)


def test_search_names_places_and_keeps_its_budget(index: Index) -> None:
    async def session(client: Client) -> None:
        large = await text_of(client, "search", query="calibrate the gauge", limit=10)
        assert "calibration.md:" in large
        small = await text_of(client, "search", query="calibrate the gauge", limit=10, budget=400)
        assert count_tokens(small) < count_tokens(large)
        assert "more passages; raise the budget" in small
        only = await text_of(client, "search", query="gauge", path=["*.mdx"])
        assert "gauge-widget.mdx" in only
        assert "calibration.md" not in only
        assert re.search(r"gauge-widget\.mdx:6-\d+\nsection: The gauge widget\n", only), "above all headings: the title"
        reply = await text_of(client, "search", query="gauge", path=["nowhere/**"])
        assert re.search(r"^==\w+== No passages\nno document matches path 'nowhere/\*\*'\n==", reply, re.MULTILINE)

    talk(index, session)


def test_nobody_is_told_to_set_what_the_tool_has_not(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.search.engine.RELEVANT", 9.0)
    assert "minimum score" in index.why_empty("gauge")

    async def session(client: Client) -> None:
        reply = await text_of(client, "search", query="gauge")
        assert "nothing relevant for 'gauge'" in reply
        assert "minimum score" not in reply

    talk(index, session)


def test_the_search_settings_of_the_folder_count_for_agents(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.md").write_text(
            f"# Tide {number}\n\nThe tide turns {number} times.\n\n## More\n\nTides.\n"
        )

    def found(settings: str, **arguments: Any) -> int:
        (tmp_path / "headnote.toml").write_text(settings)
        counts = []

        async def session(client: Client) -> None:
            counts.append((await text_of(client, "search", query="tide turns", **arguments)).count("source: "))

        with Index.open(tmp_path, embedder="none") as index:
            index.update()
            talk(index, session)
        return counts[0]

    assert found("") == 5
    assert found("[search]\nlimit = 7\n") == 7
    assert found("[search]\nlimit = 7\n", limit=2) == 2
    assert found("[search]\nmode = 'semantic'\n") == 0, "there are no vectors"
    assert found("[search]\nmode = 'semantic'\n", mode="keyword") == 5
    assert found("[search]\nlimit = 10\nper_document = 1\nbudget = 40\n") == found("[search]\nbudget = 40\n") < 5


def test_a_hit_says_in_a_line_what_its_document_is_about(tmp_path: Path) -> None:
    fields = "tags: [tide]\naliases: [Ebb, Low Water]\nstatus: draft\ndate: 2026-03-01\nteam: {name: x}\n"
    fields += f"summary: {'long ' * 30}\n"
    links = "[[b#Moon]] and [c](c.md)"
    (tmp_path / "a.md").write_text(f"---\ntitle: T\n{fields}---\nThe tide turns twice a day: {links}.\n")
    many = " ".join(f"[{number}](https://example.org/{number}{'x' * 50})" for number in range(5))
    (tmp_path / "b.md").write_text(f"# Moon\n\nThe moon pulls {many} [far](https://example.org/{'y' * 500}).\n")
    (tmp_path / "c.md").write_text("# Sun\n\nThe sun shines.\n")

    async def session(client: Client) -> None:
        lines = (await text_of(client, "search", query="tide turns")).splitlines()
        assert "about: tags=tide; aliases=Ebb,Low Water; status=draft; date=2026-03-01" in lines
        assert "links: b.md#moon, c.md" in lines
        assert "links:" not in await text_of(client, "search", query="sun shines", path=["c.md"])
        [many] = re.findall("^links: (.*)", await text_of(client, "search", query="moon", path=["b.md"]), re.MULTILINE)
        assert re.sub("x{50}", "…", many) == "https://example.org/0…, https://example.org/1…, 4 more"
        result = await client.call_tool("search", {"query": "tide turns", "structured": True})
        hit = result.structured_content["hits"][0]
        assert hit["metadata"]["team"] == {"name": "x"}
        assert (hit["aliases"], hit["links"]) == (["Ebb", "Low Water"], ["b.md#moon", "c.md"])

    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        talk(opened, session)


def test_reading_several_documents_within_a_budget(index: Index) -> None:
    async def session(client: Client) -> None:
        whole = await text_of(
            client, "multi_read", paths=["calibration.md#the-two-point-method", "index.md:1-3"], budget=4000
        )
        assert "\nsource: calibration.md:" in whole
        assert "\nsource: index.md:1-3\n" in whole
        assert "left out" not in whole
        small = await text_of(client, "multi_read", paths=["*.md"], budget=400)
        assert count_tokens(small) <= 400
        places = re.findall(r"^([\w-]+\.md:\d+-\d+) \([\d,]+ tokens\)$", small, re.MULTILINE)
        assert places
        assert f"source: {places[-1]}" in await text_of(client, "multi_read", paths=[places[-1]], budget=20_000)
        result = await client.call_tool("multi_read", {"paths": ["*.md", "gone.md"], "budget": 400, "structured": True})
        data = result.structured_content
        assert data["passages"][0]["start_line"] == 1
        assert [one["place"] for one in data["left_out"]][:1] == places[:1] or data["left_out"]
        assert "gone.md" in (await text_of(client, "multi_read", paths=["index.md", "gone.md"]))
        assert "no document matches" in await error_of(client, "multi_read", paths=["gone/**"])

    talk(index, session)


def test_reading_by_lines_and_by_heading(index: Index) -> None:
    async def session(client: Client) -> None:
        assert "calibration.md" in await text_of(client, "outline")
        outline = await text_of(client, "outline", path="calibration.md")
        assert "The two-point method" in outline
        lines = await text_of(client, "read", path="calibration.md", start_line=1, end_line=3)
        assert "\nsource: calibration.md:1-3\n\n" in lines
        section = await text_of(client, "read", path="calibration.md", heading="the two-point method")
        assert "## The two-point method" in section
        assert await text_of(client, "read", path="calibration.md:1-3") == lines
        assert await text_of(client, "read", path="calibration.md#the-two-point-method") == section
        cut = await text_of(client, "read", path="calibration.md", budget=100)
        assert "read on with start_line=" in cut
        assert "linked from" in await text_of(client, "links", path="calibration.md")
        assert "documents" in await text_of(client, "status")
        assert "embedder: --embedder" in await text_of(client, "status")

    talk(index, session)


def test_search_says_that_a_word_was_misspelt(index: Index) -> None:
    async def session(client: Client) -> None:
        text = await text_of(client, "search", query="calibrtion of the gauge", mode="keyword")
        assert "results for: calibration of the gauge" in text
        assert "results for" not in await text_of(client, "search", query="calibration of the gauge")

    talk(index, session)


def test_a_chunk_is_read_as_search_names_it(index: Index) -> None:
    async def session(client: Client) -> None:
        hit = index.search("calibrate the gauge", 1)[0]
        reply = await text_of(client, "search", query="calibrate the gauge", limit=1)
        tail = reply.partition("chunk ")[2].partition("\n")[0]
        assert hit.path + tail == hit.key
        read = await text_of(client, "read", path=hit.path, chunk=tail)
        assert f"\nsource: {hit.path}:{hit.start_line}-" in read
        assert hit.text.strip() in read
        assert await text_of(client, "read", chunk=hit.key) == read
        assert await text_of(client, "read", chunk=hit.id) == read
        assert "no such chunk" in await error_of(client, "read", path=hit.path, chunk="#0123-0")

    talk(index, session)


def test_filters_by_time_and_mode(index: Index) -> None:
    async def session(client: Client) -> None:
        for mode in ("hybrid", "semantic", "keyword"):
            assert ".md:" in await text_of(client, "search", query="calibrate the gauge", mode=mode, since="1y")
        reply = await text_of(client, "search", query="gauge", since="2999-01-01")
        assert "no document has changed since " in reply
        assert "not a time" in await error_of(client, "search", query="gauge", since="tomorrow")
        assert await error_of(client, "search", query="gauge", mode="magic")

    talk(index, session)


def test_asking_without_a_model(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)

    async def session(client: Client) -> None:
        answer = await text_of(client, "ask", question="calibrate with the two-point method")
        assert "calibration.md:" in answer
        assert "no model was asked" in answer
        only = await text_of(client, "ask", question="the gauge widget", path=["*.mdx"])
        assert "gauge-widget.mdx:" in only
        assert "calibration.md:" not in only
        assert "the question is empty" in await error_of(client, "ask", question=" ")

    talk(index, session)


def test_asking_a_model_that_is_not_there(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADNOTE_CHAT_URL", "OPENAI_BASE_URL", "HEADNOTE_CHAT_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HEADNOTE_CHAT_MODEL", "some-model")

    async def session(client: Client) -> None:
        assert "KEY" in await error_of(client, "ask", question="How often must a gauge be calibrated?")

    talk(index, session)


def test_no_answer_is_longer_than_its_budget(tmp_path: Path) -> None:
    """Not even where one line, one passage or one name is longer."""
    words = " ".join(f"word{number}" for number in range(20_000))
    (tmp_path / "long.md").write_text(f"# Long\n\n{words}\n\n## {words[:5000]}\n\n[{words[:900]}](gone.md)\n")
    for number in range(300):
        (tmp_path / f"{'a-rather-long-name-' * 8}{number}.md").write_text(
            f"# Word {number}\n\nword1 word2 [x](long.md)\n"
        )
    with Index.open(tmp_path, embedder="none", max_tokens=4096) as long:
        long.update()

        async def session(client: Client) -> None:
            arguments = {"query": "word1 word2", "limit": 50, "where": None}
            for budget in (100, 1000):
                for answer in (
                    await text_of(client, "search", budget=budget, **arguments),
                    await text_of(client, "read", path="long.md", budget=budget),
                    await text_of(client, "read", path="long.md", start_line=3, budget=budget),
                    await text_of(client, "outline", budget=budget),
                    await text_of(client, "outline", path="long.md", budget=budget),
                    await text_of(client, "links", path="long.md", budget=budget),
                    await text_of(client, "ask", question="word1 word2?", budget=budget),
                ):
                    assert count_tokens(answer) <= budget, answer

        talk(long, session)


def test_a_small_budget_is_spent_on_the_text(tmp_path: Path) -> None:
    facts = "".join(f"field_{number}: a_value_of_some_length_{number}\n" for number in range(9))
    links = " ".join(f"[{number}](/docs/reference/generated/page-{number}#anchor)" for number in range(9))
    heading = "## Rolling back to a previous revision of a deployment\n\n"
    (tmp_path / "a.md").write_text(f"---\n{facts}---\n# A\n\n{heading}Undo the rollout. {links}\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()

        async def session(client: Client) -> None:
            answer = await text_of(client, "search", query="undo the rollout", budget=150)
            assert "source: a.md:" in answer
            assert "Undo the rollout." in answer
            assert count_tokens(answer) <= 150
            assert "about: field_0" in await text_of(client, "search", query="undo the rollout", budget=1000)

        talk(index, session)


def test_bad_arguments_are_reported_in_one_line(index: Index) -> None:
    async def session(client: Client) -> None:
        assert "not in the index" in await error_of(client, "read", path="../../etc/passwd")
        assert "not in the index" in await error_of(client, "outline", path="nowhere.md")
        assert "it has:" in await error_of(client, "read", path="calibration.md", heading="nothing of the kind")
        assert "limit: Input should be greater" in await error_of(client, "search", query="a", limit=0)
        assert "query: String should have at most" in await error_of(client, "search", query="a" * 10_001)
        assert "query: this argument is missing" in await error_of(client, "search")
        assert "budget: Input should be greater" in await error_of(client, "search", query="a", budget=1)
        assert await error_of(client, "links", path="nowhere.md")
        assert await error_of(client, "ask", question="a", limit=99)
        assert "not in the index" in await error_of(client, "read")
        assert "are not a range" in await error_of(client, "read", path="calibration.md", start_line=9, end_line=3)

    talk(index, session)


def test_a_wrong_path_gets_the_nearest_ones(index: Index) -> None:
    async def session(client: Client) -> None:
        for tool in ("read", "outline", "links"):
            complaint = await error_of(client, tool, path="calibratoin.md")
            assert "calibratoin.md: not in the index (nearest: calibration.md" in complaint
            far = await error_of(client, tool, path="qqqq/xxxx.zzz")
            assert re.search(r"\n==\w+== error; call outline without a path for the list of documents\n", far)
            assert "qqqq/xxxx.zzz: not in the index\n" in far
            assert "headnote status" not in far, "an agent has no command line"
        with pytest.raises(MCPError, match=r"nearest: calibration\.md"):
            await client.read_resource("headnote://document/calibratoin.md")

    talk(index, session)


def test_a_path_is_found_as_agents_write_it(index: Index) -> None:
    root = index.root

    async def session(client: Client) -> None:
        for written in ("./calibration.md", "Calibration", "handbook/calibration.md", f"{root}/calibration.md"):
            for tool in ("read", "outline", "links"):
                assert "\nsource: calibration.md" in await text_of(client, tool, path=written)
            chunk = index.search("calibrate the gauge", 1, path="calibration.md")[0].key.partition("#")[2]
            assert "\nsource: calibration.md" in await text_of(client, "read", path=written, chunk=f"#{chunk}")
        for written in ("Calibration", "handbook/calibration.md"):
            contents = (await client.read_resource(f"headnote://document/{written}")).contents
            assert "two-point" in "".join(getattr(part, "text", "") for part in contents)

    talk(index, session)


def test_unknown_arguments_and_wrong_types_are_refused(index: Index) -> None:
    async def session(client: Client) -> None:
        assert await error_of(client, "search", query="a", lmit=3) == (
            "search: unknown argument lmit (did you mean limit?)"
        )
        assert "unknown argument xyzzy (known: path, budget" in await error_of(client, "outline", xyzzy=1)
        for wrong in (
            {"limit": "3"},
            {"limit": True},
            {"limit": 2.5},
            {"path": 7},
            {"where": ["a"]},
            {"query": 7},
        ):
            (name,) = wrong
            complaint = await error_of(client, "search", **{"query": "gauge", **wrong})
            assert complaint.startswith(f"search: {name}: Input should be"), complaint
            assert "\n" not in complaint

    talk(index, session)


def test_reading_past_the_end_says_where_the_end_is(index: Index) -> None:
    lines = index.read("calibration.md").end_line

    async def session(client: Client) -> None:
        complaint = await error_of(client, "read", path="calibration.md", start_line=lines + 1)
        assert f"line {lines + 1} is past the end (the document has {lines} lines)" in complaint
        assert f":{lines}-{lines}\n" in await text_of(client, "read", path="calibration.md", start_line=lines)

    talk(index, session)


def test_a_lone_surrogate_gets_an_answer(index: Index) -> None:
    async def session(client: Client) -> None:
        for tool, argument in (("search", "query"), ("read", "path"), ("outline", "path"), ("ask", "question")):
            complaint = await error_of(client, tool, **{argument: "a\ud800b"})
            assert "surrogate" in complaint or "not in the index" in complaint
            assert complaint.encode()

    talk(index, session)


def test_a_document_is_a_resource(index: Index) -> None:
    async def session(client: Client) -> None:
        result = await client.read_resource("headnote://document/calibration.md")
        assert "two-point" in "".join(getattr(part, "text", "") for part in result.contents)

    talk(index, session)


def test_a_resource_that_is_not_there_is_an_error_in_words(index: Index, caplog: pytest.LogCaptureFixture) -> None:
    async def session(client: Client) -> None:
        with pytest.raises(MCPError, match=r"nowhere\.md: not in the index") as caught:
            await client.read_resource("headnote://document/nowhere.md")
        assert caught.value.error.code == INVALID_PARAMS

    talk(index, session)
    assert "Traceback" not in caplog.text


def test_data_is_given_to_those_who_ask_for_it(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Structured content repeats the text, so it comes on request only."""
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)

    async def session(client: Client) -> None:
        async def data_of(tool: str, **arguments: Any) -> dict[str, Any]:
            plain = await client.call_tool(tool, arguments)
            assert plain.structured_content is None
            result = await client.call_tool(tool, {**arguments, "structured": True})
            assert result.content == plain.content
            data: dict[str, Any] = result.structured_content
            return data

        hits = (await data_of("search", query="calibrate the gauge", limit=3))["hits"]
        assert [(hit["path"], hit["text"]) for hit in hits] == [
            (hit.path, hit.text.strip()) for hit in index.search("calibrate the gauge", 3)
        ]
        few = await data_of("search", query="calibrate the gauge", limit=10, budget=300)
        assert len(few["hits"]) + few["more"] == len(index.search("calibrate the gauge", 10))
        passage = await data_of("read", path="calibration.md", start_line=1, end_line=3)
        assert passage == asdict(index.read("calibration.md", 1, 3))
        outline = await data_of("outline", path="calibration.md")
        assert [row["text"] for row in outline["headings"]] == [
            entry.heading.text for entry in index.outline("calibration.md")
        ]
        assert (await data_of("outline"))["documents"] == index.documents()
        links = await data_of("links", path="calibration.md")
        assert [row["line"] for row in links["links"]] == [link.line for link in index.links("calibration.md")]
        assert [row["path"] for row in links["backlinks"]] == [row.path for row in index.backlinks("calibration.md")]
        answer = await data_of("ask", question="calibrate with the two-point method")
        assert answer["citations"]
        assert answer["text"]
        assert (await data_of("status"))["documents"] == index.status().documents

    talk(index, session)


async def found(client: Client) -> None:
    """What is in the folder is found, as soon as it is read."""
    deadline = time.monotonic() + 60
    while "calibration.md" not in (text := await text_of(client, "search", query="calibrate the gauge")):
        assert "ask again" in text
        assert time.monotonic() < deadline, "the folder was never read"


def command(root: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "headnote", "mcp", str(root), "--embedder", "hashing:64", *more]


def test_a_lone_surrogate_over_stdio_gets_an_answer(root: Path) -> None:
    """Escaped in JSON it is no Unicode: the SDK would drop the message, and its sender wait forever."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("initialize", hello),
        ("tools/call", {"name": "search", "arguments": {"query": "\ud800 gauge"}}),
        ("tools/call", {"name": "read", "arguments": {"path": "\\\udfff\ud83d\ude00.md"}}),
        ("resources/read", {"uri": "headnote://document/\udc80.md"}),
    ]
    with subprocess.Popen(command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        answers = []
        for number, (method, parameters) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        server.wait(60)
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3]
    assert "calibration.md" in str(answers[1]["result"])
    assert (
        "\\\N{REPLACEMENT CHARACTER}\N{GRINNING FACE}.md: not in the index"
        in answers[2]["result"]["content"][0]["text"]
    )
    assert "not in the index" in answers[3]["error"]["message"]


def test_over_stdio_with_two_clients_and_fresh_files(root: Path) -> None:
    """Each client starts a server of its own on the same index, and sees a file that is written meanwhile."""

    async def one(word: str) -> None:
        program, *arguments = command(root)
        server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            await found(client)
            await asyncio.to_thread((root / f"{word}.md").write_text, f"# {word}\n\nThe {word} is new here.\n")
            await seen(client, word)

    async def seen(client: Client, word: str) -> None:
        deadline = time.monotonic() + 60
        while f"{word}.md:" not in await text_of(client, "search", query=f"{word} new"):
            assert time.monotonic() < deadline, "the new file was never found"
            await asyncio.sleep(0.2)

    async def both() -> None:
        await asyncio.gather(one("aardvark"), one("buttercup"))

    asyncio.run(both())


@contextmanager
def http_server(root: Path, port: int, *more: str) -> Iterator[None]:
    server = subprocess.Popen(command(root, "--http", "--port", str(port), *more), stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the server does not listen"
                time.sleep(0.2)
        yield
    finally:
        server.kill()
        server.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_two_clients_over_http(root: Path) -> None:
    async def one(port: int) -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            for _ in range(5):
                await found(client)
                assert "calibration.md" in await text_of(client, "outline")

    async def both(port: int) -> None:
        await asyncio.gather(one(port), one(port))

    port = free_port()
    with http_server(root, port):
        asyncio.run(both(port))


def test_a_client_goes_on_after_the_server_was_killed_and_started_again(root: Path) -> None:
    """The same client over HTTP, which reports when there is no server."""
    port = free_port()

    async def session() -> None:
        running = http_server(root, port)
        await asyncio.to_thread(running.__enter__)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await found(client)
            await asyncio.to_thread(running.__exit__, None, None, None)
            again = http_server(root, port)
            await asyncio.to_thread(again.__enter__)
            try:
                await found(client)
            finally:
                await asyncio.to_thread(again.__exit__, None, None, None)

    asyncio.run(session())


def test_over_stdio_again_after_a_kill(root: Path) -> None:
    """A server that dies takes its session along; the next one answers from the same index."""

    async def session() -> None:
        for _ in range(2):
            program, *arguments = command(root)
            server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
            async with Client(stdio_client(server)) as client:
                await found(client)
            # Killed in the middle of its work, as an editor may do.
            victim = subprocess.Popen(command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            (root / "killed.md").write_text("# Killed\n\n" + "The killer whale. " * 2000, encoding="utf-8")
            victim.kill()
            victim.communicate()

    asyncio.run(session())


def status_over_http(port: int, headers: Mapping[str, str]) -> int:
    """What a request for the list of tools gets."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    connection.request("POST", "/mcp", body=json.dumps(message), headers=sent)
    status = connection.getresponse().status
    connection.close()
    return status


def test_other_sites_get_nothing_over_http(root: Path) -> None:
    port = free_port()
    with http_server(root, port):
        assert status_over_http(port, {}) == 200
        assert status_over_http(port, {"Host": "evil.example"}) == 421
        assert status_over_http(port, {"Origin": "https://evil.example"}) == 403


def test_behind_a_tunnel_the_server_answers_to_the_name_it_was_given(root: Path) -> None:
    port = free_port()
    with http_server(root, port, "--connector", "--allow-host", "Docs.Example"):
        for host in ("docs.example", "docs.example:8443", f"127.0.0.1:{port}"):
            assert status_over_http(port, {"Host": host}) == 200, host
        assert status_over_http(port, {"Host": "docs.example", "Origin": "https://docs.example"}) == 200
        assert status_over_http(port, {"Host": "docs.example", "Origin": "http://docs.example"}) == 403
        assert status_over_http(port, {"Host": "evil.example"}) == 421


def test_what_is_no_name_of_a_host_is_refused(root: Path) -> None:
    wrong = command(root, "--http", "--allow-host", "https://docs.example/")
    ended = subprocess.run(wrong, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ended.returncode == 2
    assert "give the name alone, such as docs.example" in ended.stderr


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    for name, text in {"a.md": "# A\n", "setup.py": "", "dist/out.md": "# Out\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()

        async def session(client: Client) -> None:
            status = await text_of(client, "status")
            assert re.search(
                r"^==\w+== left out of the index, 1 in all\ndist: taken for build output", status, re.MULTILINE
            )
            result = await client.call_tool("status", {"structured": True})
            assert [one["path"] for one in (result.structured_content or {})["left_out"]] == ["dist"]
            assert "left out of the index: dist" in await text_of(client, "search", query="zzzquux")
            assert "exists, and is left out (dist: taken" in await error_of(client, "read", path="dist/out.md")

        talk(opened, session)


def test_a_string_will_do_for_a_list_and_a_name_for_a_path(index: Index) -> None:
    async def session(client: Client) -> None:
        for glob in ("*.mdx", ["*.mdx"]):
            only = await text_of(client, "search", query="gauge", path=glob)
            assert "gauge-widget.mdx" in only
            assert "calibration.md" not in only
        assert "gauge-widget.mdx" in await text_of(client, "ask", question="gauge", path="*.mdx")
        for tool, argument in (("links", "path"), ("outline", "path"), ("read", "path"), ("multi_read", "paths")):
            assert "calibration.md" in await text_of(client, tool, **{argument: "Calibration"})
        assert "not in the index" in await error_of(client, "related", path="gone for good")

    talk(index, session)

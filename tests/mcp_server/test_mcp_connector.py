"""Connectors of chat programs: search and fetch in JSON; prompts and resources, which clients show to people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.server import MCPServer

from headnote import Index
from headnote.api.keeper import Served
from headnote.mcp_server.connector import MAX_FETCHED, make_connector
from headnote.mcp_server.server import make_server
from headnote.tokens import count_tokens

LONG = "# Long\n\n" + "".join(
    f"## Part {number}\n\nWords of part {number}, some of them.\n\n" for number in range(2_000)
)
PAGES = {
    "guide/tide gauge.md": "---\ntitle: Tide gauges\nsince: 2026-03-01\n---\n\n## Radio\n\nIt is silent at night.\n",
    "long.md": LONG,
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("connector")
    for name, text in PAGES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with Index.open(folder) as opened:
        opened.update()
        yield opened


def talk(server: MCPServer, session: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(server) as client:
            await session(client)

    asyncio.run(run())


async def reply(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    [content] = result.content
    assert content.type == "text"
    data: dict[str, Any] = json.loads(content.text)
    assert data == result.structured_content
    return data


def test_fetch_takes_the_ids_of_search(index: Index) -> None:
    async def session(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "fetch"]
        found = await reply(client, "search", query="why is the radio silent")
        [first, *_] = found["results"]
        assert first.keys() == {"id", "title", "url"}
        assert first["title"] == "Tide gauges – Radio"
        assert first["url"] == "headnote://document/guide/tide%20gauge.md#L6-L8"
        fetched = await reply(client, "fetch", id=first["id"])
        assert fetched["text"] == PAGES["guide/tide gauge.md"]
        assert (fetched["id"], fetched["title"]) == (first["id"], "Tide gauges")
        assert fetched["metadata"]["since"] == "2026-03-01"
        assert (await reply(client, "search", query="qwertyuiopzxcv"))["results"] == []

    talk(make_connector(lambda: Served(index)), session)


def test_of_a_long_document_the_part_around_the_passage_is_fetched(index: Index) -> None:
    async def session(client: Client) -> None:
        found = await reply(client, "search", query="words of part 1234")
        [result] = [one for one in found["results"] if "1234" in index.chunk(one["id"]).text][:1]
        fetched = await reply(client, "fetch", id=result["id"])
        assert "Words of part 1234," in fetched["text"]
        assert count_tokens(fetched["text"]) < MAX_FETCHED < count_tokens(LONG)
        wrong = await client.call_tool("fetch", {"id": "nowhere.md#0-0"})
        assert wrong.is_error

    talk(make_connector(lambda: Served(index)), session)


@pytest.mark.parametrize("make", [make_server, make_connector])
def test_documents_are_resources(index: Index, make: Callable[..., MCPServer]) -> None:
    async def session(client: Client) -> None:
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["headnote://documents"]
        [listed] = (await client.read_resource("headnote://documents")).contents
        assert listed.text.split("\n") == [*PAGES, ""]  # type: ignore[union-attr]
        [page] = (await client.read_resource("headnote://document/guide/tide%20gauge.md")).contents
        assert page.text == PAGES["guide/tide gauge.md"]  # type: ignore[union-attr]

    talk(make(lambda: Served(index)), session)


def test_prompts_name_tools_that_exist(index: Index) -> None:
    async def session(client: Client) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["answer", "overview"]
        for prompt in prompts:
            [argument] = prompt.arguments or []
            [message] = (await client.get_prompt(prompt.name, {argument.name: "tide gauges"})).messages
            text: str = message.content.text  # type: ignore[union-attr]
            assert "tide gauges" in text
            assert set(text.split("`")[1::2]) - {"queries"} <= tools

    talk(make_server(lambda: Served(index)), session)

"""Connectors of chat programs: search and fetch in JSON; prompts and resources, which clients show to people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
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
    "guide/buoy.md": f"# Buoys\n\n{'Red. ' * 500}\n\n## Care\n\n{'Rub. ' * 500}\n\n### Paint\n\n{'Red paint. ' * 99}\n",
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
        assert first["url"] == "headnote://document/guide/tide%20gauge.md"
        [page] = (await client.read_resource(first["url"])).contents
        assert page.text == PAGES["guide/tide gauge.md"]  # type: ignore[union-attr]
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
        # All that a model reads counts, and of what has no room, as much is left out as must be.
        assert 0.99 * MAX_FETCHED < count_tokens(json.dumps(fetched)) <= MAX_FETCHED < count_tokens(LONG)
        wrong = await client.call_tool("fetch", {"id": "nowhere.md#0-0"})
        assert wrong.is_error

    talk(make_connector(lambda: Served(index)), session)


def test_a_document_is_one_result_and_its_title_says_nothing_twice(index: Index) -> None:
    async def session(client: Client) -> None:
        results = (await reply(client, "search", query="words of some part"))["results"]
        assert [one["url"] for one in results if "long" in one["url"]] == ["headnote://document/long.md"]
        [first, *_] = (await reply(client, "search", query="which colour is the paint"))["results"]
        assert first["title"] == "Buoys – Care > Paint"

    talk(make_connector(lambda: Served(index)), session)


@pytest.mark.parametrize("page", [f"# Signs\n\n{'one word and another ' * 9_000}\n", "# Signs\n\n" + '"\\' * 20_000])
def test_of_a_passage_that_is_too_long_itself_the_beginning_is_fetched(tmp_path: Path, page: str) -> None:
    front = "".join(f"field{number}: {'much said of it ' * 20}\n" for number in range(200))
    (tmp_path / "page.md").write_text(f"---\n{front}---\n{page}", encoding="utf-8")

    async def session(client: Client) -> None:
        [first] = (await reply(client, "search", query="signs"))["results"]
        fetched = await reply(client, "fetch", id=first["id"])
        assert page.startswith(fetched["text"]) or fetched["text"] in page
        assert 0.99 * MAX_FETCHED < count_tokens(json.dumps(fetched, ensure_ascii=False)) <= MAX_FETCHED
        assert fetched["metadata"] == {}

    with Index.open(tmp_path, embedder="none", strategy="none") as opened:
        opened.update()
        talk(make_connector(lambda: Served(opened)), session)


SITES = {
    "mkdocs": (
        "mkdocs.yml",
        "site_url: https://docs.example/tool/\n",
        "docs/a b.md",
        "https://docs.example/tool/a%20b/",
    ),
    "mkdocs with files": (
        "mkdocs.yml",
        "site_url: https://docs.example/\nuse_directory_urls: false\n",
        "docs/a.md",
        "headnote://document/docs/a.md",
    ),
    "mkdocs without": ("mkdocs.yml", "site_name: x\n", "docs/a.md", "headnote://document/docs/a.md"),
    "hugo": (
        "hugo.toml",
        'baseURL = "https://h.example"\n[languages.en]\n',
        "content/en/x/_index.md",
        "https://h.example/x/",
    ),
    "hugo below its language": (
        "hugo.toml",
        'baseURL = "https://h.example/"\ndefaultContentLanguageInSubdir = true\n[languages.en]\n',
        "content/en/a.md",
        "https://h.example/en/a/",
    ),
    "another language": (
        "hugo.toml",
        'baseURL = "https://h.example/"\n[languages.en]\n[languages.ja]\n',
        "content/ja/a.md",
        "https://h.example/ja/a/",
    ),
    "perhaps a language": (
        "hugo.toml",
        'baseURL = "https://h.example/"\n',
        "content/en/a.md",
        "headnote://document/content/en/a.md",
    ),
    "docusaurus": (
        "docusaurus.config.js",
        'export default { url: "https://d.example", baseUrl: "/p/" }',
        "docs/01-intro.md",
        "https://d.example/p/docs/intro",
    ),
    "a version of docusaurus": (
        "docusaurus.config.js",
        'export default { url: "https://d.example", baseUrl: "/p/" }',
        "versioned_docs/version-1.0/intro.md",
        "headnote://document/versioned_docs/version-1.0/intro.md",
    ),
    "astro": (
        "astro.config.mjs",
        'export default { site: "https://a.example" }',
        "src/content/docs/index.mdx",
        "https://a.example/",
    ),
    "a collection of astro": (
        "astro.config.mjs",
        'export default { site: "https://a.example" }',
        "src/content/blog/a.md",
        "headnote://document/src/content/blog/a.md",
    ),
}


@pytest.mark.parametrize("case", SITES)
def test_the_address_of_a_result_is_that_of_its_page_where_the_site_tells_it(tmp_path: Path, case: str) -> None:
    configuration, text, path, address = SITES[case]
    for name, content in {configuration: text, path: "# Tide gauges\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")

    async def session(client: Client) -> None:
        [first] = (await reply(client, "search", query="tide gauges"))["results"]
        assert first["url"] == address
        assert (await reply(client, "fetch", id=first["id"]))["url"] == address

    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        assert opened.web_address(path) == ("" if address.startswith("headnote:") else address)
        talk(make_connector(lambda: Served(opened)), session)


@pytest.mark.parametrize("make", [make_server, make_connector])
def test_documents_are_resources(index: Index, make: Callable[..., MCPServer]) -> None:
    async def session(client: Client) -> None:
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["headnote://documents"]
        [listed] = (await client.read_resource("headnote://documents")).contents
        assert listed.text.split("\n") == [*sorted(PAGES), ""]  # type: ignore[union-attr]
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

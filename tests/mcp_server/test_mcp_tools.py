"""The MCP server as an agent meets it: the SDK's own client, in memory, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote[mcp]"')

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from headnote import Index
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
    with Index.open(root, embedder="hashing:64") as opened:
        opened.update()
        yield opened


def talk(index: Index, session: Session) -> None:
    async def run() -> None:
        async with Client(make_server(index)) as client:
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
        assert {tool.name for tool in tools} >= {"search", "outline", "read", "links", "status"}
        for tool in tools:
            assert tool.description
            assert len(tool.description) < 200

    talk(index, session)


def test_search_names_places_and_keeps_its_budget(index: Index) -> None:
    async def session(client: Client) -> None:
        found = await text_of(client, "search", query="calibrate the gauge", limit=10)
        assert "calibration.md:" in found
        small = await text_of(client, "search", query="calibrate the gauge", limit=10, budget=400)
        assert count_tokens(small) < count_tokens(found)
        assert "more; raise the budget" in small
        only = await text_of(client, "search", query="gauge", path=["*.mdx"])
        assert "gauge-widget.mdx" in only
        assert "calibration.md" not in only
        assert "Nothing relevant" in await text_of(client, "search", query="gauge", path=["nowhere/**"])

    talk(index, session)


def test_reading_by_lines_and_by_heading(index: Index) -> None:
    async def session(client: Client) -> None:
        assert "calibration.md" in await text_of(client, "outline")
        outline = await text_of(client, "outline", path="calibration.md")
        assert "The two-point method" in outline
        lines = await text_of(client, "read", path="calibration.md", start_line=1, end_line=3)
        assert lines.startswith("calibration.md:1-3")
        section = await text_of(client, "read", path="calibration.md", heading="the two-point method")
        assert "## The two-point method" in section
        cut = await text_of(client, "read", path="calibration.md", budget=100)
        assert "read on with start_line=" in cut
        assert "linked from" in await text_of(client, "links", path="calibration.md")
        assert "documents" in await text_of(client, "status")

    talk(index, session)


def test_bad_arguments_are_told_in_one_line(index: Index) -> None:
    async def session(client: Client) -> None:
        assert "not in the index" in await error_of(client, "read", path="../../etc/passwd")
        assert "not in the index" in await error_of(client, "outline", path="nowhere.md")
        assert "it has:" in await error_of(client, "read", path="calibration.md", heading="nothing of the kind")
        assert await error_of(client, "search", query="a", limit=0)
        assert await error_of(client, "read", path="calibration.md", start_line=9, end_line=3)

    talk(index, session)


def test_a_document_is_a_resource(index: Index) -> None:
    async def session(client: Client) -> None:
        result = await client.read_resource("headnote://document/calibration.md")
        assert "two-point" in "".join(getattr(part, "text", "") for part in result.contents)

    talk(index, session)


def command(root: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "headnote", "mcp", str(root), "--embedder", "hashing:64", *more]


def test_over_stdio_with_two_clients_and_fresh_files(root: Path) -> None:
    """Each client starts a server of its own on the same index, and sees a file that is written meanwhile."""

    async def one(word: str) -> None:
        program, *arguments = command(root)
        server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            assert "calibration.md" in await text_of(client, "search", query="calibrate the gauge")
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


def test_over_http_and_again_after_a_kill(root: Path) -> None:
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(command(root, "--http", "--port", str(port)), stderr=subprocess.DEVNULL)
        try:
            asyncio.run(ask_over_http(port))
        finally:
            server.kill()
            server.wait()


async def ask_over_http(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            assert time.monotonic() < deadline, "the server does not listen"
            await asyncio.sleep(0.2)
    async with Client(f"http://127.0.0.1:{port}/mcp") as client:
        assert "calibration.md" in await text_of(client, "search", query="calibrate the gauge")

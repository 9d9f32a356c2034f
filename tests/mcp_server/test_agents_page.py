"""The lines for clients in docs/agents.md and in the README start the server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote-md[mcp]"')

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from headnote import FilesRead
from headnote.api.keeper import KeeperState, Served
from headnote.mcp_server.server import make_server

CLIENTS = ("Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex")
FOLDER = "/path/to/docs"


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """(client, language, text) of every block below a client."""
    for client, section in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL):
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            if client in (*CLIENTS, "For coding agents"):
                yield client, language, text


def commands_in(language: str, text: str) -> Iterator[list[str]]:
    """What the clients start."""
    if language == "bash":
        for words in map(shlex.split, text.splitlines()):
            if "--" in words:  # `headnote install` has tests of its own
                yield words[words.index("--") + 1 :]
        return
    ((_, servers),) = (json.loads(text) if language == "json" else tomllib.loads(text)).items()
    (server,) = servers.values()
    yield [server["command"], *server["args"]]


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "docs/agents.md"])
def test_every_tool_is_named(name: str, repository: Path) -> None:
    def nobody_asks() -> Served:
        raise AssertionError("tools are listed without an index")

    [sentence] = re.findall(r"the tools ((?:`\w+`(?:,\s|\sand\s)?)+)", (repository / name).read_text(encoding="utf-8"))
    tools = asyncio.run(make_server(nobody_asks).list_tools())
    assert sorted(re.findall(r"\w+(?=`)", sentence)) == sorted(tool.name for tool in tools)


def test_every_client_has_its_lines(page: str) -> None:
    assert {client for client, _, _ in blocks(page)} == set(CLIENTS)


def test_the_lines_start_the_server(page: str, repository: Path, tmp_path: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    assert len(list(blocks(readme))) == 4
    (tmp_path / "tide.md").write_text("# Tide\n\nIt turns twice a day.\n", encoding="utf-8")
    commands = {tuple(one) for _, language, text in blocks(page + readme) for one in commands_in(language, text)}

    async def session(program: str, package: str, *arguments: str) -> None:
        assert (program, package) == ("uvx", "headnote-md[search,mcp]")
        assert FOLDER in arguments
        own = [str(tmp_path) if word == FOLDER else word for word in arguments]
        server = StdioServerParameters(command=sys.executable, args=["-m", "headnote", *own], env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            deadline = time.monotonic() + 60
            while "tide.md:" not in (reply := str(await client.call_tool("search", {"query": "tide"}))):
                assert "ask again" in reply
                assert time.monotonic() < deadline, reply

    for command in commands:
        asyncio.run(session(*command))


def test_the_words_of_the_page_are_those_of_the_server(page: str) -> None:
    assert KeeperState(busy=True, files_read=FilesRead(1200, 6591)).note in page

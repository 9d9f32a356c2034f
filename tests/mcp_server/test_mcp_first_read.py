"""What an agent is told while the folder is read for the first time, or cannot be read at all."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote-md[mcp]"')

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from headnote import FilesRead, HeadnoteError, Index
from headnote.api.keeper import KeeperState, Served
from headnote.mcp_server.server import make_server
from headnote.tokens import count_tokens

NOTE = "1,200 of 6,591 files read; results may be incomplete; ask again"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tide.md").write_text("# Tide\n\nThe tide turns twice a day. [Moon](moon.md)\n", encoding="utf-8")
    (folder / "moon.md").write_text("# Moon\n\nIt pulls.\n", encoding="utf-8")
    return folder


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    result = await client.call_tool(tool, {**arguments, "structured": True})
    text = "\n".join(part.text for part in result.content if part.type == "text")
    assert not result.is_error, text
    return text, result.structured_content


async def error_of(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return "\n".join(part.text for part in result.content if part.type == "text")


@asynccontextmanager
async def stdio(root: Path, *options: str) -> AsyncIterator[Client]:
    arguments = ["-m", "headnote", "mcp", str(root), "--embedder", "hashing:64", *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        yield client


def test_replies_say_how_far_the_folder_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line with the mark of the reply, which no document can write, and as data."""
    monkeypatch.delenv("HEADNOTE_CHAT_MODEL", raising=False)
    state = KeeperState(busy=True, files_read=FilesRead(1200, 6591))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": "tide turns"}),
        ("ask", {"question": "When does the tide turn?"}),
        ("outline", {}),
        ("links", {"path": "tide.md"}),
    ]

    async def session(index: Index) -> None:
        async with Client(make_server(lambda: Served(index, lambda: state))) as client:
            for tool, arguments in calls:
                text, data = await call(client, tool, **arguments)
                assert re.match(rf"(==\w+==) .*\n\1 {NOTE}\n", text), text
                assert data["files_read"] == {"done": 1200, "total": 6591}
                short, _ = await call(client, tool, **arguments, budget=100)
                assert count_tokens(short) <= 100
            text, data = await call(client, "search", query="tide", path=["nowhere/**"])
            assert re.search(rf"^==\w+== Nothing found yet: {NOTE}\n==\w+== end$", text, re.MULTILINE), text
            assert data["hits"] == []
            assert data["files_read"] == {"done": 1200, "total": 6591}
            text, data = await call(client, "status")
            assert re.match(rf"(==\w+==) .*\n\1 {NOTE}\n\1 2 documents, .*\n(?s:.*)\1 end$", text), text
            assert data["files_read"] == {"done": 1200, "total": 6591}
            assert f"; {NOTE}\nnew.md: not in the index" in await error_of(client, "read", path="new.md")
            assert NOTE not in (await call(client, "read", path="moon.md"))[0], "a document is read or is not"

    with Index.open(root, embedder="none") as index:
        index.update()
        asyncio.run(session(index))


def test_an_empty_index_is_not_called_empty_while_it_is_read(root: Path) -> None:
    state = KeeperState(busy=True, files_read=FilesRead(0, 0))
    nothing = "indexing has not started; results may be incomplete; ask again"
    stuck = KeeperState("docs: cannot be written (check the disk)", files_read=FilesRead(0, 0))

    async def session(index: Index) -> None:
        async with Client(make_server(lambda: Served(index, lambda: state))) as client:
            text, _ = await call(client, "outline")
            assert re.search(rf"^==\w+== No documents yet: {nothing}\n==\w+== end$", text, re.MULTILINE), text
        async with Client(make_server(lambda: Served(index, lambda: stuck))) as client:
            text, _ = await call(client, "outline")
            assert f"No documents yet: {nothing}\n{stuck.problem}\n==" in text
            text, data = await call(client, "status")
            assert f" {nothing}\n" in text
            assert f" problem\n{stuck.problem}\n==" in text
            assert data["problem"] == stuck.problem

    with Index.open(root, embedder="none") as index:
        asyncio.run(session(index))


def test_the_server_answers_before_anything_is_read(root: Path) -> None:
    """Another writer keeps it from reading; then it reads by itself."""

    async def session(index: Index) -> None:
        with index._store.writing():
            client = await running.enter()
            assert "search" in {tool.name for tool in (await client.list_tools()).tools}
            text, data = await call(client, "search", query="tide")
            assert "== Nothing found yet: " in text
            assert data["files_read"]["done"] == 0
        deadline = time.monotonic() + 60
        while "tide.md:" not in text:
            assert time.monotonic() < deadline, text
            await asyncio.sleep(0.1)
            text, data = await call(client, "search", query="tide")
        while "files_read" in data:
            assert time.monotonic() < deadline, data
            _, data = await call(client, "search", query="tide")

    class Running:
        """Entered inside the lock and left outside of it."""

        def __init__(self) -> None:
            self.context = stdio(root)

        async def enter(self) -> Client:
            return await self.context.__aenter__()

    async def run() -> None:
        with Index.open(root, embedder="hashing:64") as index:
            await session(index)
        await running.context.__aexit__(None, None, None)

    running = Running()
    asyncio.run(run())


def test_a_folder_that_is_missing_is_an_error_in_words_and_may_come_later(root: Path) -> None:
    async def session() -> None:
        late = root / "late"
        async with stdio(late) as client:
            for tool, arguments in (("search", {"query": "tide"}), ("status", {}), ("outline", {})):
                assert "late: no such file or folder (check the path)" in await error_of(client, tool, **arguments)
            late.mkdir()
            await asyncio.to_thread((late / "a.md").write_text, "# Tide\n")
            deadline = time.monotonic() + 60
            while (await client.call_tool("search", {"query": "tide"})).is_error:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.2)

    asyncio.run(session())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--store", "postgresql://127.0.0.1:1/nothing"], "postgresql"),
        (["--read-only"], "no index here"),
        (["--embedder", "hasching"], "hasching"),
    ],
)
def test_what_keeps_the_server_from_starting_is_told_to_the_agent(
    root: Path, options: list[str], complaint: str
) -> None:
    async def session() -> None:
        async with stdio(root, *options) as client:
            assert complaint in await error_of(client, "search", query="tide")

    asyncio.run(session())


def test_an_index_that_is_damaged_is_told_to_the_agent(root: Path) -> None:
    (root / ".headnote").mkdir()
    (root / ".headnote" / "index.db").write_bytes(b"no database" * 1000)

    async def session() -> None:
        async with stdio(root) as client:
            assert "headnote doctor" in await error_of(client, "search", query="tide")

    asyncio.run(session())


def test_what_keeps_the_server_from_starting_is_in_the_log_once(root: Path) -> None:
    command = [sys.executable, "-m", "headnote", "mcp", str(root / "nowhere")]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 0
    assert result.stderr.endswith("nowhere: no such file or folder (check the path)\n")
    assert result.stderr.count("\n") == 1


def test_over_http_what_keeps_the_server_from_starting_ends_it(root: Path) -> None:
    command = [sys.executable, "-m", "headnote", "mcp", str(root / "nowhere"), "--http", "--port", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 2
    assert "nowhere: no such file or folder (check the path)" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_sigterm_while_it_reads_in_processes_leaves_nothing_in_the_log(tmp_path: Path) -> None:
    long = "".join(f"## Part {part}\n\nA text about the tides.\n\n" for part in range(300))
    for number in range(2000):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\n{long}", encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-m", "headnote", "mcp", str(tmp_path), "--embedder", "hashing:64"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until_read(tmp_path)
        server.terminate()
        _, errors = server.communicate(timeout=60)
        assert (server.returncode, errors) == (-signal.SIGTERM, b"")
    finally:
        server.kill()
        server.communicate()


def until_read(root: Path) -> None:
    """Return once some of the files, but not all of them, can be searched."""
    for _ in range(600):
        if (root / ".headnote").exists():
            with suppress(HeadnoteError), Index.open(root, read_only=True) as index:
                if index.files_read and index.files_read.done:
                    return
        time.sleep(0.1)
    pytest.fail("no file was read within a minute")


def test_a_home_folder_that_nobody_named_is_not_read(root: Path) -> None:
    """Every tool says so: few people see why a server has ended."""
    environment = {**os.environ, "HOME": str(root), "USERPROFILE": str(root)}
    server = StdioServerParameters(command=sys.executable, args=["-m", "headnote", "mcp"], env=environment, cwd=root)

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            for tool, arguments in (("status", {}), ("search", {"query": "tide"})):
                error = await error_of(client, tool, **arguments)
                assert "the current one is your home folder: nothing was read" in error
                assert "headnote mcp ." in error

    asyncio.run(session())
    assert not (root / ".headnote").exists()

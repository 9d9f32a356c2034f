"""What an agent waits for while its server reads a folder for the first time.

    python bench/agents.py FOLDER [--embedder NAME] [--pause SECONDS] [--vectors] [--json FILE]

Starts `headnote mcp` on a folder without an index, through a real client over stdio. Then it searches and pings until
the whole folder is read (and the vectors are made, with --vectors), and prints how long each took.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from report import Figure, add_json_option, machine, show_setting, versions, write_figures

QUERIES = (
    "meeting about the budget",
    "how to plant tomatoes",
    "project deadline",
    "recipe with beans",
    "train to Oslo",
)


async def timed(work: Awaitable[Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = await work
    return time.perf_counter() - began, result


class Calls:
    """How long calls took: searches and pings by turns."""

    def __init__(self, when: str) -> None:
        self.when = when
        self.seconds: dict[str, list[float]] = {"search": [], "ping": []}

    def show(self) -> list[Figure]:
        figures = []
        for name, seconds in self.seconds.items():
            ordered = sorted(seconds)
            at = {part: ordered[min(len(ordered) * part // 100, len(ordered) - 1)] for part in (50, 95)}
            spread = f"median {at[50]:.3f} s  p95 {at[95]:.3f} s  longest {ordered[-1]:.3f} s"
            print(f"{name:8} {len(ordered):5} calls  {spread}")
            figures += [Figure(f"{name}, {self.when}", f"p{part}", "s", value) for part, value in at.items()]
        return figures


async def measure(folder: Path, embedder: str, pause: float, with_vectors: bool) -> list[Figure]:
    arguments = ["-m", "headnote", "mcp", str(folder), *(["--embedder", embedder] if embedder else [])]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    began = time.perf_counter()
    calls = Calls("while files are read")
    first_hit = complete = 0.0
    figures: list[Figure] = []
    async with Client(stdio_client(server), mode="legacy") as client:
        print(f"initialize answered after {time.perf_counter() - began:.2f} s")
        for number in range(100_000):
            query = {"query": QUERIES[number % len(QUERIES)], "structured": True}
            seconds, result = await timed(client.call_tool("search", query))
            calls.seconds["search"].append(seconds)
            data = result.structured_content
            if number == 0:
                print(f"first search: {seconds:.2f} s, {result.content[0].text[:120]!r}")
            if data["hits"] and not first_hit:
                first_hit = time.perf_counter() - began
                print(f"first hit after {first_hit:.1f} s: {data.get('files_read')}")
            calls.seconds["ping"].append((await timed(client.send_ping()))[0])
            if not data.get("files_read") and not complete:
                complete = time.perf_counter() - began
                print(f"all files read after {complete:.1f} s")
                figures += calls.show()
                calls = Calls("while vectors are made")
                if not with_vectors:
                    break
            if complete:
                status = (await client.call_tool("status", {"structured": True})).structured_content
                if calls.seconds["search"] and (not status["pending"] or time.perf_counter() - began > complete + 60):
                    figures += calls.show()
                    print(f"{status['pending']} to go")
                    break
            await asyncio.sleep(pause)
        leaving = time.perf_counter()
    print(f"ended {time.perf_counter() - leaving:.2f} s after the client left")
    return [Figure("first hit", "time", "s", first_hit), Figure("all files read", "time", "s", complete), *figures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="")
    parser.add_argument("--pause", type=float, default=0.1)
    parser.add_argument("--vectors", action="store_true", help="also for a minute while vectors are made")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md", "mcp"])
    show_setting(setting, packages)
    shutil.rmtree(options.folder / ".headnote", ignore_errors=True)
    figures = asyncio.run(measure(options.folder, options.embedder, options.pause, options.vectors))
    write_figures(options.json, figures, setting, packages)


if __name__ == "__main__":
    main()

"""What an agent waits for while its server reads a folder for the first time.

    python bench/agents.py FOLDER [--embedder NAME] [--pause SECONDS]

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


def summary(name: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    at = [ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in (0.5, 0.95)]
    return f"{name:8} {len(ordered):5} calls  median {at[0]:.3f} s  p95 {at[1]:.3f} s  longest {ordered[-1]:.3f} s"


async def measure(folder: Path, embedder: str, pause: float, with_vectors: bool) -> None:
    arguments = ["-m", "headnote", "mcp", str(folder), *(["--embedder", embedder] if embedder else [])]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    began = time.perf_counter()
    searches: list[float] = []
    pings: list[float] = []
    first_hit = complete = 0.0
    async with Client(stdio_client(server), mode="legacy") as client:
        print(f"initialize answered after {time.perf_counter() - began:.2f} s")
        for number in range(100_000):
            query = {"query": QUERIES[number % len(QUERIES)], "structured": True}
            seconds, result = await timed(client.call_tool("search", query))
            searches.append(seconds)
            data = result.structured_content
            if number == 0:
                print(f"first search: {seconds:.2f} s, {result.content[0].text[:120]!r}")
            if data["hits"] and not first_hit:
                first_hit = time.perf_counter() - began
                print(f"first hit after {first_hit:.1f} s: {data.get('files_read')}")
            pings.append((await timed(client.send_ping()))[0])
            if not data.get("files_read") and not complete:
                complete = time.perf_counter() - began
                print(f"all files read after {complete:.1f} s")
                print(summary("search", searches), summary("ping", pings), sep="\n")
                searches, pings = [], []
                if not with_vectors:
                    break
            if complete:
                status = (await client.call_tool("status", {"structured": True})).structured_content
                if searches and (not status["pending"] or time.perf_counter() - began > complete + 60):
                    print(summary("search", searches), summary("ping", pings), f"{status['pending']} to go", sep="\n")
                    break
            await asyncio.sleep(pause)
        leaving = time.perf_counter()
    print(f"ended {time.perf_counter() - leaving:.2f} s after the client left")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="")
    parser.add_argument("--pause", type=float, default=0.1)
    parser.add_argument("--vectors", action="store_true", help="also for a minute while vectors are made")
    options = parser.parse_args()
    shutil.rmtree(options.folder / ".headnote", ignore_errors=True)
    asyncio.run(measure(options.folder, options.embedder, options.pause, options.vectors))


if __name__ == "__main__":
    main()

"""How many searches does `headnote serve` answer while files change, and how long does each take?

    python bench/serve.py [--connections N] [--seconds N] [--corpus NAME] [--embedder NAME] [--mode MODE] [--json FILE]

Needs `pip install -e ".[search,deep,server]" ./models/minilm`. Documents lie at HEADNOTE_SHARED, or beside the working
copy in `shared`; they are copied, because the benchmark writes into them. Connections stay open and ask one question
after the other; a few times a second a file changes, and the server updates its index meanwhile. Client and server
share the machine. Ends with 1 if any request fails.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from serving import fetch, served, until_fresh

SEED = 7
CHANGES_A_SECOND = 4
DISTRIBUTIONS = ["headnote-md", "starlette", "uvicorn", "apsw", "onnxruntime"]


class Outcome(NamedTuple):
    """What became of all requests."""

    times: list[float]
    """Seconds of each that was answered, sorted."""
    errors: Counter[str]
    changes: int
    """Files that were written meanwhile."""
    generations: int
    """Updates of the index meanwhile."""


def main() -> int:
    options = read_options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    shared = Path(os.environ.get("HEADNOTE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / options.corpus
        shutil.copytree(shared / "corpora" / options.corpus, root, ignore=shutil.ignore_patterns(".headnote", ".git"))
        with served(root, "--embedder", options.embedder) as address:
            status = until_fresh(address)
            queries = titles(address, options.mode)
            outcome = asyncio.run(load(address, root, queries, options.connections, options.seconds))
    show(table(outcome, status, options))
    write_figures(options.json, as_figures(outcome, options), setting, packages)
    return 1 if outcome.errors else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--corpus", default="fastapi-en")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--mode", default="hybrid")
    add_json_option(parser)
    return parser.parse_args()


def titles(address: str, mode: str) -> list[str]:
    """Requests that ask for what the documents are about, in a fixed order."""
    titles = [document["title"] for document in fetch(f"{address}api/documents")["documents"]]
    random.Random(SEED).shuffle(titles)
    return [f"/api/search?q={quote(title)}&mode={mode}" for title in titles if title.strip()]


async def load(address: str, root: Path, queries: list[str], connections: int, seconds: float) -> Outcome:
    before = (await asyncio.to_thread(fetch, f"{address}api/status"))["generation"]
    end = time.monotonic() + seconds
    times: list[float] = []
    errors: Counter[str] = Counter()
    place = urlsplit(address)
    requests = [ask(place, queries[number:] + queries[:number], end, times, errors) for number in range(connections)]
    changes, _ = await asyncio.gather(change(root, end), asyncio.gather(*requests))
    after = (await asyncio.to_thread(fetch, f"{address}api/status"))["generation"]
    return Outcome(sorted(times), errors, changes, after - before)


async def ask(place: Any, queries: list[str], end: float, times: list[float], errors: Counter[str]) -> None:
    """One connection: a question, its answer, the next one."""
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    at = 0
    while time.monotonic() < end:
        began = time.perf_counter()
        try:
            writer.write(f"GET {queries[at % len(queries)]} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
            body = await reader.readexactly(length)
            if not head.startswith(b"http/1.1 200") or not body.endswith(b"}"):
                errors[head.split(b"\r\n")[0].decode()] += 1
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            errors[type(error).__name__] += 1
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
        else:
            times.append(time.perf_counter() - began)
        at += 1
    writer.close()


async def change(root: Path, end: float) -> int:
    """Writes into files, one after the other, and adds and removes some."""
    files = sorted(root.rglob("*.md"))
    chance = random.Random(SEED)
    changes = 0
    while time.monotonic() < end:
        file = chance.choice(files)
        text = await asyncio.to_thread(file.read_text, "utf-8")
        await asyncio.to_thread(file.write_text, f"{text}\n\nChange {changes} of this page.\n", "utf-8")
        changes += 1
        await asyncio.sleep(1 / CHANGES_A_SECOND)
    return changes


def figures(outcome: Outcome, seconds: float) -> dict[str, Any]:
    return {
        "requests": len(outcome.times),
        "errors": sum(outcome.errors.values()),
        "per_second": len(outcome.times) / seconds,
        **{f"p{part}_ms": percentile(outcome.times, part) * 1000 for part in (50, 95, 99)},
        "changes": outcome.changes,
        "updates": outcome.generations,
    }


def as_figures(outcome: Outcome, options: argparse.Namespace) -> Iterator[Figure]:
    case = f"{options.corpus}, {options.mode}, {options.connections} connections"
    result = figures(outcome, options.seconds)
    yield Figure(case, "requests", "1/s", result["per_second"], "higher")
    yield Figure(case, "errors", "", result["errors"])
    for part in (50, 95, 99):
        yield Figure(case, f"p{part}", "ms", result[f"p{part}_ms"])


def percentile(times: list[float], part: int) -> float:
    return times[min(len(times) - 1, len(times) * part // 100)] if times else 0.0


def table(outcome: Outcome, status: Any, options: argparse.Namespace) -> Table:
    result = figures(outcome, options.seconds)
    row = [
        *(f"{options.connections} connections", f"{result['requests']:,}", f"{result['errors']:,}"),
        *(f"{result[name]:.0f}" for name in ("per_second", "p50_ms", "p95_ms", "p99_ms")),
    ]
    notes = [
        f"{options.corpus}: {status['documents']:,} documents, {status['chunks']:,} chunks",
        f"mode {options.mode}, model {status['model']}",
        f"{result['changes']} files were written meanwhile, and the index was updated {result['updates']} times",
        *(f"{count} × {name}" for name, count in outcome.errors.most_common()),
    ]
    columns = ["", "requests", "errors", "requests/s", "p50 ms", "p95 ms", "p99 ms"]
    return Table(f"Searches over HTTP for {options.seconds:g} s while files change", columns, [row], notes)


if __name__ == "__main__":
    sys.exit(main())

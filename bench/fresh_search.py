"""What a process that has just started pays for searches, with the instant model. `search.py` runs it.

    python bench/fresh_search.py ROOT < QUERIES

QUERIES are lines. A first search of something else loads the model and the vectors; then each query is asked twice. The
output is JSON: seconds of processor time, and how the memory of the process grew.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import headnote

LIMIT = 10
LOADING = "a question about something else"


def main() -> int:
    queries = [line for line in sys.stdin.read().splitlines() if line.strip()]
    before = memory()
    with headnote.Index.open(sys.argv[1], embedder="instant") as index:
        load = seconds_of(index, LOADING)
        loaded = memory()
        once, again = ([seconds_of(index, query) for query in queries] for _ in range(2))
        after = memory()
        chunks = index.status().chunks
    grown = {f"loaded {name}": loaded[name] - before[name] for name in before}
    grown |= {f"after {name}": after[name] - before[name] for name in before}
    print(json.dumps({"chunks": chunks, "load": load, "once": once, "again": again, "memory": grown}))
    return 0


def seconds_of(index: headnote.Index, query: str) -> float:
    began = time.process_time()
    index.search(query, LIMIT)
    return time.process_time() - began


def memory() -> dict[str, int]:
    """Bytes of its own, and of files that it shares with other processes. Empty where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return {name: int(fields[field].split()[0]) * 1024 for name, field in (("own", "RssAnon"), ("shared", "RssFile"))}


if __name__ == "__main__":
    sys.exit(main())

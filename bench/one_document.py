"""Chunk one file in a process of its own, and say how long it took and how much memory it needed.

    python bench/one_document.py NAME UNIT LIMIT FILE ROUNDS

Used by bench/chunk.py: memory has a high-water mark per process, so each measurement needs a fresh one.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import sys
import time
from pathlib import Path

from splitters import BY_CHARACTERS, BY_TOKENS

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def main() -> None:
    name, unit, limit, file, rounds = sys.argv[1:]
    split = {"characters": BY_CHARACTERS, "tokens": BY_TOKENS}[unit][name](int(limit))
    # Tables that are loaded once, whatever the document, are no cost of the document.
    split("# Warm\n\nup.\n" * 1000)
    gc.collect()
    _forget_peak()
    before = peak_bytes()
    text = Path(file).read_bytes().decode()
    text_bytes = sys.getsizeof(text)
    # Reading holds bytes and text for a moment, which is not the chunker's doing.
    _forget_peak()
    times = []
    peak = 0
    for _ in range(int(rounds)):
        # Processor time: these runs are not interleaved, so a busy machine would bend the curve.
        start = time.process_time()
        chunks = split(text)
        times.append(time.process_time() - start)
        peak = peak or peak_bytes() - before
        count = len(chunks)
        del chunks
        gc.collect()
    print(json.dumps({"seconds": min(times), "bytes": peak, "chunks": count, "text_bytes": text_bytes}))


def peak_bytes() -> int:
    # On Linux the figure of getrusage survives exec, so it begins with what the parent had; VmHWM does not.
    if _STATUS.exists():
        peak = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text(encoding="ascii", errors="replace"))
        if peak:
            return int(peak[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _forget_peak() -> None:
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:
        # Where it cannot be reset the figure is too high, never too low.
        return


if __name__ == "__main__":
    main()

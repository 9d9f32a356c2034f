"""How the time to scan grows with the input, for the worst input of every rule.

    python bench/growth.py [--size CHARACTERS] [--rounds N] [--json FILE] [NAME…]

Each text is scanned at one, two and four times the size; CPU time counts. The last column is the exponent of the growth
from the smallest to the largest: 1.0 is linear, 2.0 is quadratic. NAME restricts it to inputs whose name contains it.
One input is not scanned: its words are looked up, which a compiled build does in a table of its own.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import sys
import time
from collections.abc import Callable, Sized
from itertools import islice, product
from pathlib import Path

from headnote import parse
from headnote.words.memory import word_memory
from report import Figure, add_json_option, machine, show_setting, versions, write_figures

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "markdown"))
from worst import ALL, Worst

SUSPICIOUS = 1.4
_ALTERNATIVES = 16
_PARTS = 3
_LETTERS = [chr(code) for code in range(0x21, 0x7F)]


def colliding_words(size: int) -> str:
    """Different words that a hash without a key, of eight bytes at a time, gives one number: at each of three places,
    any of sixteen pairs of these leads from one state to another. The table of words once had this hash."""
    drawn = random.Random(1)
    state = 0xCBF29CE484222325
    places: list[list[str]] = []
    for _ in range(_PARTS):
        pairs: list[str] = []
        target = drawn.getrandbits(64)
        while len(pairs) < _ALTERNATIVES:
            first = "".join(drawn.choices(_LETTERS, k=8))
            second = (target ^ _mixed(state, first)).to_bytes(8, "little")
            if all(0x21 <= byte < 0x7F for byte in second):
                pairs.append(first + second.decode())
        state = _mixed(state, pairs[0])
        places.append(pairs)
    words = map("".join, product(*places))
    return " ".join(islice(words, size // (16 * _PARTS + 1)))


def _mixed(state: int, text: str) -> int:
    for at in range(0, len(text), 8):
        eight = int.from_bytes(text[at : at + 8].encode(), "little")
        state = (state ^ eight) * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF
        state ^= state >> 29
    return state


WORDS = Worst("words that collide in a table without a key", colliding_words)


def main() -> int:
    parser = argparse.ArgumentParser(description="Time to scan the worst inputs at one, two and four times the size.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only inputs whose name contains it")
    parser.add_argument("--size", type=int, default=50_000, help="characters of the smallest text (default 50000)")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md"])
    show_setting(setting, packages)
    cases = [case for case in (*ALL, WORDS) if not options.names or any(name in label(case) for name in options.names)]
    sizes = [options.size, 2 * options.size, 4 * options.size]
    print(
        f"{'input':44} {'found':>8} " + " ".join(f"{size // 1000:>7}k ms" for size in sizes) + f" {'MB/s':>7} exponent"
    )
    suspicious = 0
    figures: list[Figure] = []
    for case in cases:
        times, found = measure(case, sizes, options.rounds)
        exponent = math.log2(times[2] / times[0]) / 2
        suspicious += exponent > SUSPICIOUS
        figures.append(Figure(label(case), "exponent of time", "", exponent))
        figures.append(Figure(label(case), "speed", "MB/s", sizes[2] / times[2] / 1e6, "higher"))
        row = " ".join(f"{1000 * seconds:>10.2f}" for seconds in times)
        speed = sizes[2] / times[2] / 1e6
        mark = "  <-- more than linear" if exponent > SUSPICIOUS else ""
        print(f"{label(case):44} {found:>8} {row} {speed:>7.1f} {exponent:>8.2f}{mark}", flush=True)
    print(f"{len(cases)} inputs, {suspicious} of them grow faster than size^{SUSPICIOUS}")
    write_figures(options.json, figures, setting, packages)
    return 1 if suspicious else 0


def label(case: Worst) -> str:
    return f"mdx {case.name}" if case.mdx else case.name


def work(case: Worst) -> Callable[[str], Sized]:
    """What is timed: it finds the blocks of a text, or the words."""
    if case is WORDS:
        return lambda text: word_memory(str.upper, len(text)).of_words(text)
    return lambda text: parse(text, mdx=case.mdx)


def measure(case: Worst, sizes: list[int], rounds: int) -> tuple[list[float], int]:
    """Best time for each size, and how much is found in the largest text."""
    times = []
    found = 0
    for size in sizes:
        text = case.build(size)
        best = math.inf
        for _ in range(rounds):
            gc.collect()
            start = time.process_time()
            found = len(work(case)(text))
            best = min(best, time.process_time() - start)
            if best > 1:
                break
        times.append(best)
    return times, found


if __name__ == "__main__":
    sys.exit(main())

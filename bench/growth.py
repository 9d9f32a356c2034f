"""How the time to scan grows with the input, for the worst input of every rule.

    python bench/growth.py [--size CHARACTERS] [--rounds N] [--json FILE] [NAME…]

Each text is scanned at one, two and four times the size; CPU time counts. The last column is the exponent of the growth
from the smallest to the largest: 1.0 is linear, 2.0 is quadratic. NAME restricts it to inputs whose name contains it.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from pathlib import Path

from headnote import parse
from report import Figure, add_json_option, machine, show_setting, versions, write_figures

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "markdown"))
from worst import ALL, Worst

SUSPICIOUS = 1.4


def main() -> int:
    parser = argparse.ArgumentParser(description="Time to scan the worst inputs at one, two and four times the size.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only inputs whose name contains it")
    parser.add_argument("--size", type=int, default=50_000, help="characters of the smallest text (default 50000)")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md"])
    show_setting(setting, packages)
    cases = [case for case in ALL if not options.names or any(name in label(case) for name in options.names)]
    sizes = [options.size, 2 * options.size, 4 * options.size]
    print(
        f"{'input':44} {'blocks':>8} " + " ".join(f"{size // 1000:>7}k ms" for size in sizes) + f" {'MB/s':>7} exponent"
    )
    suspicious = 0
    figures: list[Figure] = []
    for case in cases:
        times, blocks = measure(case, sizes, options.rounds)
        exponent = math.log2(times[2] / times[0]) / 2
        suspicious += exponent > SUSPICIOUS
        figures.append(Figure(label(case), "exponent of time", "", exponent))
        figures.append(Figure(label(case), "speed", "MB/s", sizes[2] / times[2] / 1e6, "higher"))
        row = " ".join(f"{1000 * seconds:>10.2f}" for seconds in times)
        speed = sizes[2] / times[2] / 1e6
        mark = "  <-- more than linear" if exponent > SUSPICIOUS else ""
        print(f"{label(case):44} {blocks:>8} {row} {speed:>7.1f} {exponent:>8.2f}{mark}", flush=True)
    print(f"{len(cases)} inputs, {suspicious} of them grow faster than size^{SUSPICIOUS}")
    write_figures(options.json, figures, setting, packages)
    return 1 if suspicious else 0


def label(case: Worst) -> str:
    return f"mdx {case.name}" if case.mdx else case.name


def measure(case: Worst, sizes: list[int], rounds: int) -> tuple[list[float], int]:
    """Best time for each size, and the number of blocks in the largest text."""
    times = []
    blocks = 0
    for size in sizes:
        text = case.build(size)
        best = math.inf
        for _ in range(rounds):
            gc.collect()
            start = time.process_time()
            blocks = len(parse(text, mdx=case.mdx))
            best = min(best, time.process_time() - start)
            if best > 1:
                break
        times.append(best)
    return times, blocks


if __name__ == "__main__":
    sys.exit(main())

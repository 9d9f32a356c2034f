"""The compiled build beside plain Python: is the output the same, and how much faster is it?

    python bench/compiled.py COMPILED [--pure FOLDER] [--rounds N] [--corpus NAME] [--only same|speed] [--json FILE]

COMPILED is a folder with the package: where the compiled wheel was installed, by `pip install --no-deps --target`, for
example. Ends with 1 if a chunk, block, heading, link or tag of any document of the corpora differs. Times are of
the CPU, the median of interleaved rounds, each of a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import REPOSITORY, shared_folder

DISTRIBUTIONS = ["headnote-md", "semantic-text-splitter", "toktok-rs"]
TIMED = ["kubernetes-en", "rust-book", "react.dev"]
PEER = "semantic-text-splitter, "


def main() -> int:
    parser = argparse.ArgumentParser(description="The compiled build beside plain Python.")
    parser.add_argument("compiled", type=Path, metavar="COMPILED", help="folder with the compiled package")
    parser.add_argument("--pure", type=Path, default=REPOSITORY / "src", help="folder with the other (default src)")
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many (default 5)")
    parser.add_argument("--corpus", action="append", help="only this one; repeatable")
    parser.add_argument("--only", choices=["same", "speed"], help="one of the two tables")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    builds = {"pure": options.pure, "compiled": options.compiled}
    differences = [] if options.only == "speed" else compare(builds, options.corpus)
    figures = [] if options.only == "same" else measure(builds, options.corpus or TIMED, options.rounds)
    write_figures(options.json, figures, setting, packages)
    return 1 if differences else 0


def run(kind: str, build: str, folder: Path, corpora: list[str]) -> dict[str, Any]:
    worker = Path(__file__).with_name("one_build.py")
    environment = {**os.environ, "PYTHONPATH": str(folder.resolve())}
    command = [sys.executable, str(worker), kind, *corpora]
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout)
    if answer["compiled"] != (build == "compiled"):
        sys.exit(f"{folder} is {'compiled' if answer['compiled'] else 'plain Python'}, but should be {build}")
    result: dict[str, Any] = answer["result"]
    return result


def compare(builds: dict[str, Path], corpora: list[str] | None) -> list[str]:
    """What differs between the two builds, over all corpora."""
    names = corpora or sorted(folder.name for folder in (shared_folder() / "corpora").iterdir())
    pure, compiled = (run("digests", build, folder, names) for build, folder in builds.items())
    differences = [name for name in pure if pure[name] != compiled[name]]
    ways = sorted({name.partition(": ")[2] for name in pure})
    rows = [[way, str(sum(name.endswith(f": {way}") for name in differences))] for way in ways]
    notes = [f"{len(names)} corpora: {', '.join(names)}.", *(f"DIFFERS: {name}" for name in differences)]
    show(Table("Corpora where the two builds differ", ["", "corpora"], rows, notes))
    return differences


def measure(builds: dict[str, Path], corpora: list[str], rounds: int) -> list[Figure]:
    times: dict[str, list[dict[str, float]]] = {build: [] for build in builds}
    for _ in range(rounds):
        for build, folder in builds.items():
            times[build].append(run("seconds", build, folder, corpora))
    cases = [case for case in times["pure"][0] if not case.startswith(PEER)]
    rows = []
    for case in cases:
        ratios = [old[case] / new[case] for old, new in zip(times["pure"], times["compiled"], strict=True)]
        beside = [new[PEER + case] / new[case] for new in times["compiled"] if PEER + case in new]
        rows.append([case, f"{statistics.median(ratios):.2f}", f"{statistics.median(beside):.2f}" if beside else ""])
    notes = [f"{', '.join(corpora)}; CPU time, the median of {rounds} interleaved rounds."]
    show(Table("How many times as fast compiled code is", ["", "× pure", "× semantic"], rows, notes))
    return [
        Figure(case, f"{build} core time", "s", statistics.median(one[case] for one in times[build]))
        for build in builds
        for case in cases
    ]


if __name__ == "__main__":
    sys.exit(main())

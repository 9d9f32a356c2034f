"""Is one commit slower than another? The same benchmarks on both, by turns on this machine, as ratios.

    python bench/compare.py OLD [NEW] [--bench "NAME OPTIONS"]... [--metric NAME]... [--rounds N]
                            [--tolerance PERCENT] [--prepare COMMAND] [--json FILE]

NEW is the last commit if it is not named. Both are checked out in a temporary folder, which goes away at the end and
after Ctrl-C. The benchmarks are those of NEW, with `--json`; each measures the package of OLD, of NEW, of OLD, ... A
figure is worse if the median of its ratios is worse by more than the tolerance, and by more than the rounds of one
commit differ among themselves. Then it ends with 1.
"""

from __future__ import annotations

import argparse
import compileall
import json
import math
import os
import shlex
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from processes import run_anyway
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures

REPOSITORY = Path(__file__).resolve().parents[1]
SMALL_RUNS = (
    "tokens --rounds 1",
    "index --corpus rust-book --rounds 1 --only chunks --only keyword --only again",
    "size --corpus none --notes 600 --rounds 1 --deep-files 0",
)
"""What is compared if nobody says what: from text to tokens, to chunks, to an index and to hits. None needs a peer."""
INTERRUPTED = 130


class Side(NamedTuple):
    """One of the two commits, checked out."""

    name: str
    commit: str
    root: Path


class Key(NamedTuple):
    """What tells one figure from the others."""

    bench: str
    case: str
    metric: str
    unit: str
    better: str


class Ratio(NamedTuple):
    """A figure of both commits, round by round."""

    key: Key
    old: list[float]
    new: list[float]

    @property
    def rounds(self) -> list[float]:
        """New divided by old."""
        return [_divided(after, before) for before, after in zip(self.old, self.new, strict=True)]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """How far rounds lie apart where nothing differs but the moment: those of one commit."""
        return max(_divided(max(side), min(side)) for side in (self.old, self.new)) - 1

    def verdict(self, tolerance: float) -> str:
        beyond = max(tolerance, self.spread)
        # More of what should be more is as good as less of what should be less.
        cost = self.median if self.key.better == "lower" else _divided(1.0, self.median)
        if cost - 1 > beyond:
            return "WORSE"
        return "better" if _divided(1.0, cost) - 1 > beyond else "same"


def main() -> int:
    options = _options()
    setting, packages = machine(), versions(["headnote-md"])
    # Which commits are measured is said below; the one that is installed is not.
    del setting["commit"]
    show_setting(setting, packages)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(INTERRUPTED))
    try:
        with _checked_out(options.old, options.new) as sides:
            _prepare(sides, options.prepare)
            print("".join(f"\n  {side.name}: {_title(side.commit)}" for side in sides))
            ratios = compare(sides, options.bench or SMALL_RUNS, options.rounds)
    except KeyboardInterrupt:
        print("stopped; the commits that were checked out are removed", file=sys.stderr)
        return INTERRUPTED
    if options.metric:
        ratios = [one for one in ratios if one.key.metric in options.metric]
    tolerance = options.tolerance / 100
    show(table(ratios, options.rounds, tolerance))
    details = {side.name: side.commit for side in sides} | {"ratios": [as_data(one, tolerance) for one in ratios]}
    write_figures(options.json, as_figures(ratios), setting, packages, **details)
    return 1 if any(one.verdict(tolerance) == "WORSE" for one in ratios) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="a commit, as git names it")
    parser.add_argument("new", nargs="?", default="HEAD", help="another (default: the last one)")
    small = "; ".join(SMALL_RUNS)
    parser.add_argument("--bench", action="append", help=f"a benchmark with its options; repeatable (default: {small})")
    parser.add_argument("--metric", action="append", help="only figures with this name; repeatable (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="so many times on each commit (default 5)")
    parser.add_argument("--tolerance", type=float, default=10.0, metavar="PERCENT", help="default 10")
    parser.add_argument("--prepare", metavar="COMMAND", help="run in each folder first, to compile it for example")
    add_json_option(parser)
    return parser.parse_args()


# -- both commits


@contextmanager
def _checked_out(*names: str) -> Iterator[list[Side]]:
    commits = [_git("rev-parse", "--verify", f"{name}^{{commit}}") for name in names]
    with TemporaryDirectory(prefix="headnote-compare-") as folder:
        sides = [Side(side, commit, Path(folder) / side) for side, commit in zip(("old", "new"), commits, strict=True)]
        try:
            for side in sides:
                _git("worktree", "add", "--quiet", "--detach", str(side.root), side.commit)
            yield sides
        finally:
            # Another Ctrl-C must not leave anything behind.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for side in sides:
                if side.root.exists():
                    _git("worktree", "remove", "--force", str(side.root))


def _prepare(sides: Sequence[Side], command: str | None) -> None:
    for side in sides:
        if command and subprocess.run(shlex.split(command), cwd=side.root, check=False).returncode:
            sys.exit(f"{command} failed on the {side.name} commit")
        # Nobody pays for the first import.
        compileall.compile_dir(side.root / "src", quiet=2)


def _title(commit: str) -> str:
    return _git("log", "-1", "--format=%h %s", commit)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


# -- measuring


def compare(sides: Sequence[Side], benches: Sequence[str], rounds: int) -> list[Ratio]:
    old, new = sides
    ratios: list[Ratio] = []
    for bench in benches:
        measured: dict[Side, list[dict[Key, float]]] = {old: [], new: []}
        for number in range(1, rounds + 1):
            for side in sides:
                _progress(f"{bench}: round {number} of {rounds}, {side.name}")
                measured[side].append(_figures(bench, side, new.root / "bench"))
        ratios += _ratios(measured[old], measured[new])
    _progress("")
    return ratios


def _figures(bench: str, side: Side, benches: Path) -> dict[Key, float]:
    """One run: its figures, and what the whole of it took."""
    name, *options = shlex.split(bench)
    places = filter(None, [str(side.root / "src"), os.environ.get("PYTHONPATH")])
    shared = os.environ.get("HEADNOTE_SHARED", str(REPOSITORY.parent / "shared"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "HEADNOTE_SHARED": shared}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, str(benches / f"{name}.py"), *options, "--json", str(file)]
        done = run_anyway(command, side.root, environment)
        # A benchmark may end with 1 because a promise is broken: its figures are there all the same.
        if not file.exists():
            sys.exit(f"{bench} does not run on the {side.name} commit")
        written = json.loads(file.read_text(encoding="utf-8"))
    if not side.commit.startswith(measured := written["machine"]["commit"]):
        sys.exit(f"{bench} measured {measured} instead of {side.commit}: another headnote is in the way")
    whole = [*spent("whole run", done.seconds, done.cores), Figure("whole run", "memory", "MB", done.memory / 1e6)]
    records = [*written["records"], *({"bench": name, **one._asdict()} for one in whole)]
    return {Key(**{field: record[field] for field in Key._fields}): record["value"] for record in records}


def _ratios(old: Sequence[dict[Key, float]], new: Sequence[dict[Key, float]]) -> Iterator[Ratio]:
    """One for each figure that every run of both has."""
    for key in old[0]:
        if all(key in figures for figures in [*old, *new]):
            yield Ratio(key, [figures[key] for figures in old], [figures[key] for figures in new])


def _divided(value: float, by: float) -> float:
    if value == by:
        return 1.0
    return value / by if by else float("inf")


def _progress(message: str) -> None:
    """One line that is written over, and only where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{message}", end="", file=sys.stderr, flush=True)


# -- saying it


def table(ratios: Sequence[Ratio], rounds: int, tolerance: float) -> Table:
    rows = [
        [
            f"{one.key.bench}: {one.key.case}, {one.key.metric}" + f", {one.key.unit}" * bool(one.key.unit),
            f"{statistics.median(one.old):.4g}",
            f"{statistics.median(one.new):.4g}",
            f"{one.median:.2f}",
            f"{min(one.rounds):.2f} to {max(one.rounds):.2f}",
            one.verdict(tolerance),
        ]
        for one in ratios
    ]
    notes = [
        f"Rounds: {rounds}, old and new by turns. new/old: the median of the ratios, then the least and the greatest.",
        f"WORSE and better: by more than {tolerance:.0%}, and by more than the rounds of one commit lie apart.",
    ]
    return Table("Old and new", ["", "old", "new", "new/old", "rounds", ""], rows, notes)


def as_figures(ratios: Sequence[Ratio]) -> Iterator[Figure]:
    for one in ratios:
        better: Any = one.key.better
        yield Figure(f"{one.key.bench}: {one.key.case}", f"{one.key.metric}, new/old", "×", one.median, better)


def as_data(one: Ratio, tolerance: float) -> dict[str, Any]:
    """The figures of all rounds, and the ratio unless it is endless, which JSON cannot say."""
    ratio = one.median if math.isfinite(one.median) else None
    return {**one.key._asdict(), "old": one.old, "new": one.new, "ratio": ratio, "verdict": one.verdict(tolerance)}


if __name__ == "__main__":
    sys.exit(main())

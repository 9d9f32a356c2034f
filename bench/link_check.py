"""Checking the links of a folder beside the usual checkers: how long it takes, and what each of them finds.

    python bench/link_check.py PEERS [--corpus NAME]... [--rounds N] [--most N]

PEERS is a folder in which npm has installed remark-cli, remark-validate-links, remark-frontmatter, remark-gfm and
markdown-link-check; nothing is downloaded here. No address on the web is opened by any of them. Each runs in a process
of its own, in turn, on a copy of the same folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from processes import Run, run_anyway
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures
from shared_corpora import MEGABYTE, SEED, shared_folder

CORPORA = ["fastapi-en"]
SHOWN = 5
"""Findings of each side that are printed, so that they can be looked up."""
OURS = "headnote links --check"
REMARK = "remark-validate-links"
LINK_CHECK = "markdown-link-check"
PACKAGES = ("remark-cli", REMARK, "remark-frontmatter", "remark-gfm", LINK_CHECK)
OFFLINE = {"ignorePatterns": [{"pattern": "^(https?|ftp|mailto):"}, {"pattern": "^//"}]}
"""What keeps markdown-link-check from the web."""


class Broken(NamedTuple):
    """A finding in terms that two checkers share: one names the line, the other the target as written."""

    path: str
    line: int | None
    target: str

    @property
    def shown(self) -> str:
        return f"{self.path}{f':{self.line}' if self.line else ''}  {self.target}"


class Checker(NamedTuple):
    """A command, and how to read what it prints."""

    command: list[str]
    findings: Callable[[str, Path], list[Broken]]
    names_lines: bool = True
    """Whether it says where a link stands; else its findings are told apart by their targets."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Checking links, beside other checkers.")
    parser.add_argument("peers", type=Path, help="folder with node_modules, in which npm has installed them")
    parser.add_argument("--corpus", action="append", help=f"name of a corpus; repeatable (default {CORPORA[0]})")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many counts (default 3)")
    parser.add_argument("--most", type=int, default=SHOWN, help=f"findings to show of each side (default {SHOWN})")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md"]) | _installed(options.peers)
    show_setting(setting, packages)
    figures: list[Figure] = []
    for corpus in options.corpus or CORPORA:
        with TemporaryDirectory() as scratch:
            folder = Path(shutil.copytree(shared_folder() / "corpora" / corpus, Path(scratch).resolve() / corpus))
            commands = checkers(folder, options.peers.resolve(), Path(scratch))
            runs, found = measured(folder, commands, options.rounds)
        show(times(corpus, runs, found, options.rounds))
        for peer in (REMARK, LINK_CHECK):
            show_differences(peer, found, commands[peer].names_lines, options.most)
        figures += _figures(corpus, runs)
    write_figures(options.json, figures, setting, packages)
    return 0


def _installed(peers: Path) -> dict[str, str]:
    """Name of a package → its version. Ends the program if one is missing."""
    files = {name: peers / "node_modules" / name / "package.json" for name in PACKAGES}
    missing = [name for name, file in files.items() if not file.is_file()]
    if missing:
        sys.exit(f"{peers} lacks {', '.join(missing)}: run npm install {' '.join(missing)} there")
    return {name: json.loads(file.read_text(encoding="utf-8"))["version"] for name, file in files.items()}


# -- the commands


def checkers(folder: Path, peers: Path, scratch: Path) -> dict[str, Checker]:
    config = scratch / "offline.json"
    config.write_text(json.dumps(OFFLINE), encoding="utf-8")
    programs = peers / "node_modules"
    ours = [sys.executable, "-m", "headnote", "links", "--check", str(folder), "--format", "json"]
    remark = ["node", str(programs / "remark-cli" / "cli.js"), "--no-config", "--no-color", "--no-stdout", "--quiet"]
    for plugin in ("remark-frontmatter", "remark-gfm", f"{REMARK}=repository:false"):
        remark += ["--use", plugin]
    link_check = ["node", str(programs / LINK_CHECK / LINK_CHECK), "--quiet", "--config", str(config)]
    return {
        OURS: Checker(ours, _ours),
        REMARK: Checker(_in(peers, [*remark, str(folder)]), _of_remark),
        LINK_CHECK: Checker(_in(folder, [*link_check, "."]), _of_link_check, names_lines=False),
    }


def _in(folder: Path, command: list[str]) -> list[str]:
    """A command in a folder, with all that it prints. remark looks for plugins in the folder where it starts."""
    return ["sh", "-c", 'cd "$1" && shift && exec "$@" 2>&1', "sh", str(folder), *command]


def measured(
    folder: Path, commands: dict[str, Checker], rounds: int
) -> tuple[dict[str, list[Run]], dict[str, list[Broken]]]:
    """All of them in turn, so that load affects all alike; and what each found."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, checker in commands.items():
            runs[name].append(run_anyway(checker.command, environment={**os.environ, "NO_COLOR": "1"}))
    return runs, {name: checker.findings(runs[name][-1].output, folder) for name, checker in commands.items()}


# -- what they print


def _ours(output: str, _: Path) -> list[Broken]:
    findings = json.loads(output)["findings"]
    return [
        Broken(one["path"], one["line"], one["target"]) for one in findings if one["kind"] in ("page", "anchor", "file")
    ]


_REMARK_FINDING = re.compile(r"\s*(\d+):\d+(?:-\d+:\d+)?\s+warning\s+(Cannot find .*?)\s{2,}")


def _of_remark(output: str, folder: Path) -> list[Broken]:
    """A line with the path of a document, then its findings."""
    found, path = [], ""
    for line in output.splitlines():
        match = _REMARK_FINDING.match(line)
        if match:
            found.append(Broken(path, int(match[1]), match[2]))
        elif line.strip() and not line[0].isspace() and f"{folder.name}/" in line:
            path = line.strip().partition(f"{folder.name}/")[2]
    return found


_LINK_CHECK_FILE = re.compile(r"\s*ERROR: \d+ dead links? found in (.*?) !")
_LINK_CHECK_FINDING = re.compile(r"\s*\[✖\] (.*?) → Status: ")


def _of_link_check(output: str, _: Path) -> list[Broken]:
    """It names the document once, and then each target; not where the link stands."""
    found, path = [], ""
    for line in output.splitlines():
        if named := _LINK_CHECK_FILE.match(line):
            path = named[1].removeprefix("./")
        elif path and (match := _LINK_CHECK_FINDING.match(line)):
            found.append(Broken(path, None, match[1]))
    return found


# -- tables


def times(corpus: str, runs: dict[str, list[Run]], found: dict[str, list[Broken]], rounds: int) -> Table:
    ours = runs[OURS]
    rows = [
        [
            name,
            f"{_median(some, 'seconds'):.2f}",
            f"{_median(some, 'cores'):.2f}",
            f"{_median(some, 'seconds') / _median(ours, 'seconds'):.1f}",
            f"{_median(some, 'cores') / _median(ours, 'cores'):.1f}",
            f"{_median(some, 'memory') / MEGABYTE:.0f}",
            f"{len(found[name]):,}",
        ]
        for name, some in runs.items()
    ]
    columns = ["", "seconds", "core seconds", "times ours", "in core seconds", "peak MB", "broken links"]
    return Table(f"Checking the links of {corpus}", columns, rows, [f"Median of {rounds} rounds, in turn."])


def _median(runs: Iterable[Run], field: str) -> float:
    return float(statistics.median(getattr(one, field) for one in runs))


def show_differences(peer: str, found: dict[str, list[Broken]], by_line: bool, most: int) -> None:
    """What one of two finds and the other does not, with a few of either."""
    ours, theirs = (
        {(one.path, one.line if by_line else one.target): one for one in found[name]} for name in (OURS, peer)
    )
    print(f"\nBeside {peer}: {len(ours.keys() & theirs):,} found by both, told apart by {_TOLD_BY[by_line]}")
    for title, some, other in (("here only", ours, theirs), (f"by {peer} only", theirs, ours)):
        alone = sorted((one for key, one in some.items() if key not in other), key=lambda one: one.shown)
        print(f"  {title}: {len(alone):,}")
        for one in random.Random(SEED).sample(alone, min(most, len(alone))):
            print(f"    {one.shown}")


_TOLD_BY = {True: "document and line", False: "document and target"}


def _figures(corpus: str, runs: dict[str, list[Run]]) -> list[Figure]:
    figures: list[Figure] = []
    for name, some in runs.items():
        figures += spent(f"{corpus}, {name}", _median(some, "seconds"), _median(some, "cores"))
        if name != OURS:
            ratio = _median(some, "cores") / _median(runs[OURS], "cores")
            figures.append(Figure(f"{corpus}, {name}", "core time beside ours", "times", ratio, "higher"))
    return figures


if __name__ == "__main__":
    sys.exit(main())

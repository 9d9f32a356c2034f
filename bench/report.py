"""The output of the benchmarks: plain tables for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

Better = Literal["lower", "higher"]


class Table(NamedTuple):
    """One result: a heading, columns, rows, and what a reader must know to judge them."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str]


class Figure(NamedTuple):
    """One thing that was measured, as programs read it: what tells two runs apart, never a fact about the documents."""

    case: str
    """What it was measured on, for example a corpus or a step."""
    metric: str
    unit: str
    value: float
    better: Better = "lower"


def spent(case: str, seconds: float, cores: float) -> list[Figure]:
    """The time of a piece of work, by the clock and of all cores together: a busy machine changes the latter less."""
    return [Figure(case, "time", "s", seconds), Figure(case, "core time", "s", cores)]


def show(table: Table) -> None:
    """The table as plain text, first column to the left and the others to the right."""
    lines = [table.columns, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.columns))]
    print(f"\n{table.title}\n")
    for number, line in enumerate(lines):
        cells = [f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join([f"{line[0]:<{widths[0]}}", *cells]).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    if table.notes:
        print()
    for note in table.notes:
        print(f"  {note}")
    sys.stdout.flush()


def machine() -> dict[str, str]:
    """What the figures depend on and a reader elsewhere cannot see."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": _commit(),
        "load": " ".join(f"{number:.1f}" for number in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown",
    }


def _commit() -> str:
    """That of the package that is measured, which need not be the one beside this file."""
    found = find_spec("headnote")
    if not (found and found.origin):
        return "unknown"
    git = ["git", "-C", str(Path(found.origin).parent), "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        match = None
    return match[1] if match else platform.processor() or "unknown processor"


def where(setting: dict[str, str]) -> str:
    """The machine in a sentence."""
    load = f"load average {float(setting['load'].split()[0]):.0f} from other programs"
    return ", ".join([*(setting[name] for name in ("processor", "system", "python")), load])


def as_markdown(table: Table) -> str:
    lines = [table.columns, ["---", *["---:"] * (len(table.columns) - 1)], *table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def put_into_page(page: Path, parts: dict[str, str]) -> None:
    """Title → what is to stand between the marks with this title."""
    text = page.read_text(encoding="utf-8")
    for title, content in parts.items():
        begin, end = f"<!-- {title} -->\n", f"<!-- end of {title} -->"
        before, found, rest = text.partition(begin)
        _, found_end, after = rest.partition(end)
        assert found, f"{page} has no place for {title}"
        assert found_end, f"the place for {title} in {page} does not end"
        text = f"{before}{begin}\n{content}\n\n{end}{after}"
    page.write_text(text, encoding="utf-8")


def versions(distributions: Iterable[str]) -> dict[str, str]:
    return {name: _version(name) for name in distributions}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def command_line() -> str:
    """How to run this benchmark again, from the root of the working copy."""
    return " ".join(["python", f"bench/{Path(sys.argv[0]).name}", *sys.argv[1:]])


def show_setting(setting: dict[str, str], packages: dict[str, str]) -> None:
    print(command_line())
    for name, value in setting.items():
        print(f"  {name}: {value}")
    print("  versions: " + ", ".join(f"{name} {number}" for name, number in packages.items()))


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")


def write_figures(
    file: Path | None, figures: Iterable[Figure], setting: dict[str, str], packages: dict[str, str], **details: Any
) -> None:
    """One record for each figure, in the same form for every benchmark; `details` are this one's own."""
    if file is None:
        return
    bench = Path(sys.argv[0]).stem
    records = [{"bench": bench, **one._asdict()} for one in figures if math.isfinite(one.value)]
    content = {"command": command_line(), "machine": setting, "versions": packages, "records": records, **details}
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

"""The output of the benchmarks: plain tables for people, JSON for programs."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple


class Table(NamedTuple):
    """One result: a heading, columns, rows, and what a reader must know to judge them."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str]


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
    }


def _processor() -> str:
    try:
        match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        match = None
    return match[1] if match else platform.processor() or "unknown processor"


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


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

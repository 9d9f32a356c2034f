"""What a command costs that another process could answer: alone, and handed over to one that has everything loaded.

    python bench/one_command.py [--notes N] [--rounds N] [--json FILE]

The folder is that of `notes.py`, with an index that is up to date. Each command is counted whole, from the start of
Python to its end, with what the other process does for it. `compare.py` runs it on two commits; a commit that hands
nothing over has no figures for that.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from notes import COUNT, MEGABYTES, write_notes
from processes import core_seconds, run
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures

QUERY = "water pump pressure"
HEADNOTE = [sys.executable, "-m", "headnote"]


def main() -> int:
    options = _options()
    setting, packages = machine(), versions(["headnote-md"])
    show_setting(setting, packages)
    with TemporaryDirectory() as scratch:
        root = Path(scratch) / "notes"
        write_notes(root, options.notes, MEGABYTES * options.notes / COUNT)
        subprocess.run([*HEADNOTE, "index", str(root)], check=True, capture_output=True)
        # Of a Python that writes no bytecode, every start compiles the package.
        subprocess.run([sys.executable, "-m", "compileall", "-q", _package()], check=True)
        commands = _commands(root)
        figures = [Figure(name, "core time", "s", _alone(line, options.rounds)) for name, line in commands.items()]
        modules = run([sys.executable, "-c", _COUNTED.format(commands["search"])]).output
        figures.append(Figure("search", "modules", "", float(modules.splitlines()[-1])))
        if find_spec("headnote.cli.handover"):
            figures += _handed_over(root, commands, options.rounds)
    show(_table(figures))
    write_figures(options.json, figures, setting, packages)
    return 0


_COUNTED = """
import io, sys
from contextlib import redirect_stdout
from headnote.cli.main import main
with redirect_stdout(io.StringIO()):
    main({0!r})
print(len(sys.modules))
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a command costs.")
    parser.add_argument("--notes", type=int, default=COUNT, help=f"generated notes (default {COUNT})")
    parser.add_argument("--rounds", type=int, default=7, help="the median of so many (default 7)")
    add_json_option(parser)
    return parser.parse_args()


def _package() -> str:
    found = find_spec("headnote")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent)


def _commands(root: Path) -> dict[str, Sequence[str]]:
    document = str(next(root.rglob("*.md")).relative_to(root))
    return {
        "search": ["search", QUERY, str(root)],
        "related": ["related", document, "--root", str(root)],
        "status": ["status", str(root)],
    }


def _alone(line: Sequence[str], rounds: int) -> float:
    return median(run([*HEADNOTE, *line]).cores for _ in range(rounds))


def _handed_over(root: Path, commands: dict[str, Sequence[str]], rounds: int) -> list[Figure]:
    """The same while a process answers: what the command takes itself, and its share of what the process takes."""
    from headnote.cli.handover import answering
    from headnote.cli.standby import LOOK_AGAIN

    subprocess.run([*HEADNOTE, "index", str(root), "--background"], check=True, capture_output=True)
    while (found := answering(str(root))) is None:
        time.sleep(0.1)
    figures = []
    for name, line in commands.items():
        time.sleep(LOOK_AGAIN + 1)  # until it has counted those before
        before = core_seconds(found[0])
        own = median(run([*HEADNOTE, *line]).cores for _ in range(rounds))
        time.sleep(LOOK_AGAIN + 1)
        figures.append(Figure(f"{name}, handed over", "core time of the command", "s", own))
        share = (core_seconds(found[0]) - before) / rounds
        figures.append(Figure(f"{name}, handed over", "core time", "s", own + share))
    subprocess.run([*HEADNOTE, "index", str(root), "--stop"], check=True)
    return figures


def _table(figures: Sequence[Figure]) -> Table:
    rows = [[one.case, one.metric, f"{one.value:.3f}" if one.unit else f"{one.value:.0f}"] for one in figures]
    return Table("What a command costs", ["", "", "s"], rows, ["Of all cores together, from the start of Python."])


if __name__ == "__main__":
    sys.exit(main())

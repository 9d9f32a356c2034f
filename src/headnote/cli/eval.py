"""`headnote eval`: how well a folder is searched, measured with questions whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headnote.cli import options
from headnote.cli.command import Argument, Command
from headnote.cli.terminal import Line, Span, counted, write_json, write_lines
from headnote.errors import SettingsError

if TYPE_CHECKING:
    from headnote.evaluate.report import Comparison


@click.command("eval", cls=Command)
@click.argument(
    "questions",
    cls=Argument,
    type=options.PATH,
    about='JSON lines: {"question": "…", "gold": {"path": "…", "heading": "…"}}.',
)
@options.root
@click.option("--mode", metavar="MODE", multiple=True, help="hybrid, semantic or keyword; may be repeated.")
@click.option(
    "--preset",
    metavar="NAME",
    multiple=True,
    help="Cut the folder in this way, in an index that is gone afterwards; may be repeated.",
)
@click.option("--limit", "-k", type=click.IntRange(min=1), default=10, metavar="N", help="Passages that are looked at.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw it: a .svg file, or .png with matplotlib.",
)
@options.place
@options.as_json
def eval_command(
    questions: Path,
    root: Path,
    mode: tuple[str, ...],
    preset: tuple[str, ...],
    limit: int,
    plot: Path | None,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure how well a folder is searched.

    Asks every question in every mode and compares what is found with what should be. Without --preset it asks the
    index of the folder, and brings it up to date first.
    """
    from headnote.cli.eval_run import Wanted, compare
    from headnote.evaluate.plot_file import check_plot, write_plot
    from headnote.evaluate.report import record

    if plot is not None:
        check_plot(plot)
    comparison = compare(questions, root, Wanted(_modes(mode), tuple(dict.fromkeys(preset)), limit, place))
    if plot is not None:
        write_plot(comparison, plot)
    if as_json:
        write_json({"root": str(root), **record(comparison)})
    else:
        write_lines(_lines(comparison))


def _modes(given: tuple[str, ...]) -> tuple[str, ...]:
    from headnote.search.query import MODES

    for mode in given:
        if mode not in MODES:
            raise SettingsError(f"unknown mode {mode!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return tuple(dict.fromkeys(given))


def _lines(comparison: Comparison) -> list[Line]:
    from headnote.evaluate.report import table, verdicts

    rows = table(comparison)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: list[Line] = []
    for number, row in enumerate(rows):
        cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
        name = f"{row[0]:<{widths[0]}}"
        lines.append([Span("  ".join([name, *cells]).rstrip(), "bold" if number == 0 else "")])
    lines.append([])
    lines.append([Span(f"{counted(comparison.questions, 'question')}, 95% bootstrap intervals", "dim")])
    lines += [[Span(line, "dim")] for line in verdicts(comparison)]
    return lines

"""`headnote eval`: measure search quality with questions whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headnote.cli import options
from headnote.cli.command import Argument, Command
from headnote.cli.eval_runs import Request, run_all
from headnote.cli.formatting import counted
from headnote.cli.terminal import Line, Span, write_json, write_lines
from headnote.errors import SettingsError
from headnote.evaluate.plot import check_plot, write_plot
from headnote.evaluate.report import Comparison, record, table, verdicts
from headnote.search.query import MODES


@click.command(
    "eval",
    cls=Command,
    examples=[
        ("how well are these questions answered?", "headnote eval questions.jsonl docs"),
        ("compare two presets", "headnote eval questions.jsonl docs --preset default --preset mdvdb"),
        ("are vectors worth it?", "headnote eval questions.jsonl docs --mode keyword --mode hybrid"),
    ],
)
@click.argument(
    "questions",
    cls=Argument,
    type=options.PATH,
    about='JSON lines: {"question": "…", "gold": {"path": "…", "heading": "…"}}.',
)
@options.root
@click.option("--mode", metavar="MODE", multiple=True, help="hybrid, semantic or keyword; repeatable.")
@click.option(
    "--preset",
    metavar="NAME",
    multiple=True,
    help="Chunk the folder with this preset, in a temporary index; repeatable.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    multiple=True,
    help="Make vectors with this embedder, in a temporary index; repeatable.",
)
@click.option("--limit", "-k", type=click.IntRange(min=1), default=10, metavar="N", help="Passages per question.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the results to an .svg file, or to .png with matplotlib.",
)
@options.place
@options.as_json
def eval_command(
    questions: Path,
    root: Path,
    mode: tuple[str, ...],
    preset: tuple[str, ...],
    embedder: tuple[str, ...],
    limit: int,
    plot: Path | None,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure search quality with questions and known answers.

    Runs every question in every mode and compares the passages with the expected ones. Without --preset and --embedder
    it uses the index of the folder, after bringing it up to date.
    """
    if plot is not None:
        check_plot(plot)
    request = Request(
        modes=_modes(mode),
        presets=tuple(dict.fromkeys(preset)),
        embedders=tuple(dict.fromkeys(embedder)),
        limit=limit,
        place=place,
    )
    comparison = run_all(questions, root, request)
    if plot is not None:
        write_plot(comparison, plot)
    if as_json:
        write_json({"root": str(root), **record(comparison)})
    else:
        write_lines(_lines(comparison))


def _modes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in MODES:
            raise SettingsError(f"unknown mode {name!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return tuple(dict.fromkeys(names))


def _lines(comparison: Comparison) -> list[Line]:
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

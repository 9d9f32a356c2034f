"""`headnote eval`: measure search quality with questions whose answers are known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from headnote.cli import options, values
from headnote.cli.command import Argument, Command
from headnote.cli.eval_runs import Request, run_all
from headnote.cli.eval_view import comparison_lines, failure_lines
from headnote.cli.first_read import ask_before_first_read
from headnote.cli.terminal import window_width, write_json, write_lines
from headnote.errors import SettingsError
from headnote.evaluate.plot import check_plot, write_plot
from headnote.evaluate.report import record
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
    shell_complete=values.question_files,
    about='JSON lines: {"question": "…", "gold": {"path": "…", "heading": "…"}}.',
)
@options.root
@click.option(
    "--mode",
    metavar="MODE",
    shell_complete=values.words(*MODES),
    multiple=True,
    help="hybrid, semantic or keyword; repeatable.",
)
@click.option(
    "--preset",
    metavar="NAME",
    shell_complete=values.presets,
    multiple=True,
    help="Chunk the folder with this preset, in a temporary index; repeatable.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    shell_complete=values.embedders,
    multiple=True,
    help="Make vectors with this embedder, in a temporary index; repeatable.",
)
@click.option("--limit", "-k", type=click.IntRange(min=1), default=10, metavar="N", help="Passages per question.")
@click.option(
    "--failures",
    default="10",
    metavar="N|all",
    shell_complete=values.words("all"),
    help="How many of the questions that failed to show.",
)
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
    failures: str,
    plot: Path | None,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure search quality with questions and known answers.

    Runs every question in every mode and compares the passages with the expected ones. Without --preset and --embedder
    it uses the index of the folder, after bringing it up to date.
    """
    shown = _number_of(failures)
    if plot is not None:
        check_plot(plot)
    request = Request(
        modes=_modes(mode),
        presets=tuple(dict.fromkeys(preset)),
        embedders=tuple(dict.fromkeys(embedder)),
        limit=limit,
        place=place,
    )
    ask_before_first_read(root, place)
    comparison = run_all(questions, root, request)
    if plot is not None:
        write_plot(comparison, plot)
    if as_json:
        write_json({"root": str(root), **record(comparison)})
    else:
        width = window_width()
        write_lines(comparison_lines(comparison, width))
        write_lines(failure_lines(comparison, root, shown, width))


def _number_of(failures: str) -> int:
    if failures == "all":
        return sys.maxsize
    if not failures.isdecimal():
        raise SettingsError(f"{failures!r} is no number of questions", path="--failures", remedy="use a number, or all")
    return int(failures)


def _modes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in MODES:
            raise SettingsError(f"unknown mode {name!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return tuple(dict.fromkeys(names))

"""`headnote eval`: measure search quality with questions whose answers are known."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

import click

from headnote.api import check_folder, settings_of_index
from headnote.api.evaluation import EvalRequest, Evaluation
from headnote.chunking.presets import find_preset
from headnote.cli import choices, options
from headnote.cli.access import IndexCommand, NamedIndex, ask_before_first_read, note_differences, path_from_here
from headnote.cli.command import Argument
from headnote.cli.formatting import counted
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.terminal import (
    StyledLine,
    StyledText,
    folded,
    window_width,
    write_json,
    write_lines,
    write_message,
    write_note,
)
from headnote.errors import SettingsError
from headnote.extra.evaluate.measuring import DEPTH, LocatedQuestion, Measurement
from headnote.extra.evaluate.questions import Question, load_questions
from headnote.extra.evaluate.report import Comparison, FailedQuestion, check_plot, record, table, verdicts, write_plot
from headnote.model import Hit
from headnote.model.results import Progress, Watcher
from headnote.search.query import MODES

# -- The runs, as people see them.


def compare(file: Path, root: Path, request: EvalRequest) -> Comparison:
    """Measure every variant in every mode. Mistakes in questions, folder or flags come before any vector is made."""
    questions = load_questions(file)
    check_folder(root)
    for preset in request.presets:
        find_preset(preset)
    choice = settings_of_index(root, request.place["store"], request.place["schema"])
    note_differences(choice)
    if sys.stderr.isatty():
        write_message(_start(len(questions), request))
    evaluation = Evaluation(root, request, choice)
    if evaluation.problem:
        write_note(evaluation.problem, only_on_a_terminal=bool(request.modes))
    return _measure_all(evaluation, questions, request.limit)


def _start(questions: int, request: EvalRequest) -> str:
    """The first words, before models and stored vectors are loaded, which takes its time."""
    names = [*request.presets, *request.embedders] or ["the index of the folder"]
    return f"{counted(questions, 'question')} for {', '.join(names)}; loading models and vectors"


class Watch:
    """Says what is being done, for which variant, and how long it still takes."""

    def __init__(self, bars: UpdateBars, which: str) -> None:
        self._bars, self._which = bars, which

    def updating(self, name: str) -> Watcher:
        self._bars.name = f"{self._which}{name}".strip()
        return self._bars

    def asking(self, title: str) -> Callable[[int, int], None]:
        self._bars.name = f"{self._which}{title}".strip()
        started = time.monotonic()

        def watch(done: int, total: int) -> None:
            each = (time.monotonic() - started) / done
            self._bars(Progress("ask", done, total, each * (total - done)))

        return watch


def _measure_all(evaluation: Evaluation, questions: list[Question], limit: int) -> Comparison:
    asked: list[LocatedQuestion] = []
    results: list[Measurement] = []
    variants = evaluation.variants()
    with UpdateBars(at_once=True) as bars:
        try:
            for number, variant in enumerate(variants, 1):
                which = f"{number} of {len(variants)} " if len(variants) > 1 else ""
                asked, measured = evaluation.measure(variant, questions, Watch(bars, which))
                results += measured
        except KeyboardInterrupt:
            bars.finish()
            kept = "the folder and its index are as they were" if evaluation.are_temporary else "what was made is kept"
            write_message(f"interrupted: {len(results)} of {sum(len(one.modes) for one in variants)} measured; {kept}")
            raise
    return Comparison(limit, results, asked)


# -- What `headnote eval` shows: the table of metrics, and the questions that failed.


GAP = "  "
CELL = 4
"""Columns for a rank."""
MIN_COLUMNS = 30
"""Columns for a question, however many ways are compared."""
NONE, NO_BREAK = "–", "\xa0"
NO_LIMIT = 10_000
"""Columns where nobody sees a window."""


def comparison_lines(comparison: Comparison, width: int | None) -> Iterator[StyledLine]:
    """The table, in blocks of columns that fit, and which differences are more than chance."""
    rows = table(comparison)
    for number, block in enumerate(_blocks(rows, width or NO_LIMIT)):
        if number:
            yield []
        yield from _table_lines(block)
    yield []
    yield [StyledText(f"{counted(comparison.questions, 'question')}, 95% bootstrap intervals", "dim")]
    for verdict in verdicts(comparison):
        yield from ([StyledText(text, "dim")] for text in _wrapped(verdict, "", "  ", width))


def _blocks(rows: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """The same rows with as many columns as fit, each block with the names in front."""
    widths = _widths(rows)
    start = 1
    while start < len(widths):
        end = start + 1
        while end < len(widths) and sum(widths[start : end + 1]) + len(GAP) * (end + 1 - start) + widths[0] <= width:
            end += 1
        yield [[row[0], *row[start:end]] for row in rows]
        start = end


def _table_lines(rows: list[list[str]]) -> Iterator[StyledLine]:
    widths = _widths(rows)
    for number, (name, *cells) in enumerate(rows):
        aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        yield [StyledText(GAP.join([f"{name:<{widths[0]}}", *aligned]).rstrip(), "bold" if number == 0 else "")]


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


# Failures


def failure_lines(comparison: Comparison, root: Path, shown: int, width: int | None) -> Iterator[StyledLine]:
    """A table of the first failures: the rank of the answer in each way, then the question, and what came instead."""
    failures = comparison.failures
    if not failures or not shown:
        return
    limit, questions = comparison.limit, counted(comparison.questions, "question")
    ways = _letters([one.name for one in comparison.measurements])
    yield []
    yield [StyledText(f"{len(failures):,} of {questions} failed: the answer is not among the first {limit}", "bold")]
    yield from _legend(ways, max(limit, DEPTH), width)
    for failure in failures[:shown]:
        yield from _failure(failure, root, ways, width)
    if len(failures) > shown:
        yield [StyledText(f"{len(failures) - shown:,} more: --failures all shows them, --json has everything", "dim")]


def _letters(ways: Sequence[str]) -> dict[str, str]:
    """A short name for each way; a single one needs none."""
    letters = ascii_uppercase + ascii_lowercase
    return {way: letters[number % len(letters)] if len(ways) > 1 else "" for number, way in enumerate(ways)}


def _legend(ways: Mapping[str, str], depth: int, width: int | None) -> Iterator[StyledLine]:
    about = f"rank of the answer, {NONE} if it is not among {depth}"
    named = ", ".join(f"{letter} {way}".replace(" ", NO_BREAK) for way, letter in ways.items() if letter)
    for row in _wrapped(f"{about}, in {named}" if named else about, "", "  ", width):
        yield [StyledText(row.replace(NO_BREAK, " "), "dim")]
    yield []
    if named:
        yield [StyledText("".join(f"{letter:>{CELL}}" for letter in ways.values()), "bold")]


def _failure(failure: FailedQuestion, root: Path, ways: Mapping[str, str], width: int | None) -> Iterator[StyledLine]:
    margin = CELL * len(ways) + len(GAP)
    room = None if width is None else max(width - margin, MIN_COLUMNS)
    ranks = [StyledText(f"{one.rank or NONE:>{CELL}}", "red" if one.failed else "green") for one in failure.outcomes]
    first, *others = folded([StyledText(failure.asked.question.text, "bold")], room, "")
    yield [*ranks, StyledText(GAP), *first]
    yield from ([StyledText(" " * margin), *row] for row in others)
    facts = [*_expected(failure, root), *_instead(failure, root, ways)]
    names = max(len(name) for name, _ in facts)
    for name, text in facts:
        label = f"{name:<{names}}{GAP}"
        rows = folded([StyledText(label + text, "dim")], room, " " * len(label))
        yield from ([StyledText(" " * margin), *row] for row in rows)
    yield []


def _expected(failure: FailedQuestion, root: Path) -> Iterator[tuple[str, str]]:
    question, _, lines = failure.asked
    for gold, line in zip(question.gold, lines, strict=True):
        yield "expected", f"{path_from_here(root, gold.path)}:{line}{GAP}{gold.heading}"


def _instead(failure: FailedQuestion, root: Path, ways: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each place that came first where the answer did not come, with the letters of the ways in which it did."""
    letters: dict[str, str] = {}
    for outcome in failure.outcomes:
        if outcome.failed:
            place = _place(outcome.first, root) if outcome.first else "nothing"
            letters[place] = letters.get(place, "") + ways[outcome.way]
    for place, found_in in letters.items():
        yield f"first {found_in}".rstrip(), place


def _place(hit: Hit, root: Path) -> str:
    return f"{path_from_here(root, hit.path)}:{hit.start_line}{GAP}{hit.breadcrumb or hit.title}"


def _wrapped(text: str, first: str, others: str, width: int | None) -> Sequence[str]:
    return textwrap.wrap(
        text,
        width or NO_LIMIT,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


# -- `headnote eval`


@click.command(
    "eval",
    cls=IndexCommand,
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
    shell_complete=choices.question_files,
    about='JSON lines: {"question": "…", "gold": {"path": "…", "heading": "…"}}.',
)
@options.root
@click.option(
    "--mode",
    metavar="MODE",
    shell_complete=choices.words(*MODES),
    multiple=True,
    help="hybrid, semantic or keyword; repeatable.",
)
@click.option(
    "--preset",
    metavar="NAME",
    shell_complete=choices.presets,
    multiple=True,
    help="Chunk the folder with this preset, in a temporary index; repeatable.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    shell_complete=choices.embedders,
    multiple=True,
    help="Make vectors with this embedder, in a temporary index; repeatable.",
)
@click.option("--limit", "-k", type=click.IntRange(min=1), default=10, metavar="N", help="Passages per question.")
@click.option(
    "--failures",
    default="10",
    metavar="N|all",
    shell_complete=choices.words("all"),
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
    named: NamedIndex,
    questions: Path,
    mode: tuple[str, ...],
    preset: tuple[str, ...],
    embedder: tuple[str, ...],
    limit: int,
    failures: str,
    plot: Path | None,
) -> None:
    """Measure search quality with questions and known answers.

    Runs every question in every mode and compares the passages with the expected ones. Without --preset and --embedder
    it uses the index of the folder, after bringing it up to date.
    """
    shown = _number_of(failures)
    if plot is not None:
        check_plot(plot)
    request = EvalRequest(
        modes=_modes(mode),
        presets=tuple(dict.fromkeys(preset)),
        embedders=tuple(dict.fromkeys(embedder)),
        limit=limit,
        place=named.place,
    )
    root = named.root
    ask_before_first_read(root, named.place)
    comparison = compare(questions, root, request)
    if plot is not None:
        write_plot(comparison, plot)
    if named.as_json:
        write_json({"root": str(root), **record(comparison)})
    else:
        width = window_width()
        write_lines(comparison_lines(comparison, width))
        write_lines(failure_lines(comparison, root, shown, width))


def _number_of(failures: str) -> int:
    if failures == "all":
        return sys.maxsize
    if not failures.isdecimal():
        raise SettingsError(
            f"{failures!r} is not a number of questions", path="--failures", remedy="use a number, or all"
        )
    return int(failures)


def _modes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in MODES:
            raise SettingsError(f"unknown mode {name!r}", path="--mode", remedy=f"use {', '.join(MODES)}")
    return tuple(dict.fromkeys(names))

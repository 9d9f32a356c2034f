"""Results as a table, as data, or as a plot: means with intervals, the ways of searching side by side.

SVG is written here; PNG is drawn by matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import SettingsError
from headnote.extra.evaluate.measuring import BUDGET, DEPTH, Answered, LocatedQuestion, Measurement
from headnote.extra.evaluate.metrics import ROUNDS, Interval, difference, interval
from headnote.extras import install, load
from headnote.model import Hit

# -- Which questions failed, where their answer came instead, and what came first. Pure functions.


class WayOutcome(NamedTuple):
    """What one way of searching answered."""

    way: str
    rank: int | None
    """Rank of the first right passage; None if it is not among those that were looked at."""
    first: Hit | None
    """What came first; None if nothing was found."""
    failed: bool


class FailedQuestion(NamedTuple):
    """A question whose answer is not among the first passages, in at least one way."""

    asked: LocatedQuestion
    outcomes: tuple[WayOutcome, ...]
    """One for each way, also for those that did not fail."""

    @property
    def failed_ways(self) -> int:
        return sum(outcome.failed for outcome in self.outcomes)


def failures(asked: Sequence[LocatedQuestion], measurements: Sequence[Measurement], limit: int) -> list[FailedQuestion]:
    """The questions that failed in most ways first, otherwise in their own order."""
    rows = zip(asked, *(measurement.answers for measurement in measurements), strict=True)
    names = [measurement.name for measurement in measurements]
    all_failures = [
        FailedQuestion(
            question, tuple(_outcome(name, answer, limit) for name, answer in zip(names, answers, strict=True))
        )
        for question, *answers in rows
    ]
    return sorted((one for one in all_failures if one.failed_ways), key=lambda one: -one.failed_ways)


def _outcome(name: str, answer: Answered, limit: int) -> WayOutcome:
    return WayOutcome(name, answer.rank, answer.first, answer.rank is None or answer.rank > limit)


def failure_record(failure: FailedQuestion) -> dict[str, Any]:
    """A failure as JSON data."""
    question, _, lines = failure.asked
    expected = [
        {"path": gold.path, "line": line, "heading": gold.heading or None}
        for gold, line in zip(question.gold, lines, strict=True)
    ]
    ways = [
        {
            "name": outcome.way,
            "rank": outcome.rank,
            "failed": outcome.failed,
            "first": _place(outcome.first) if outcome.first else None,
        }
        for outcome in failure.outcomes
    ]
    place = {"file": question.place.file, "line": question.place.line}
    return {"question": question.text, **place, "expected": expected, "ways": ways}


def _place(hit: Hit) -> dict[str, Any]:
    return {"path": hit.path, "line": hit.start_line, "breadcrumb": hit.breadcrumb or hit.title}


# -- Results as a table or as data


DECISIVE = ("mrr", "recall_within")
"""Metrics that decide which way is best: how early the answer comes, and how much of it, whatever the chunk size."""


class Comparison(NamedTuple):
    """Several ways of searching, measured on the same questions."""

    limit: int
    measurements: Sequence[Measurement]
    asked: Sequence[LocatedQuestion] = ()
    """The questions, if each failure is to be shown."""

    @property
    def questions(self) -> int:
        return len(self.measurements[0].scores)

    @property
    def failures(self) -> list[FailedQuestion]:
        return failures(self.asked, self.measurements, self.limit) if self.asked else []


def labels(limit: int) -> dict[str, str]:
    """The column title of each metric, in order."""
    return {
        "hit": f"hit@{limit}",
        "mrr": "MRR",
        "ndcg": "nDCG",
        "found": "gold found",
        "recall": "recall",
        "precision": "precision",
        "iou": "IoU",
        "recall_within": f"recall in {BUDGET}",
        "tokens_to_first": "tokens to first",
    }


def summary(measurement: Measurement) -> dict[str, Interval]:
    """The interval of each metric."""
    return {metric: interval(measurement.of(metric)) for metric in measurement.scores[0]}


def table(comparison: Comparison) -> list[list[str]]:
    """A header and a row per way, with each mean and half the width of its interval."""
    titles = labels(comparison.limit)
    rows = [["", *titles.values(), "no hit"]]
    for measurement in comparison.measurements:
        intervals = summary(measurement)
        cells = [_cell(intervals[metric], metric) for metric in titles]
        rows.append([measurement.name, *cells, f"{sum(measurement.of('silent')):.0f}"])
    return rows


def _cell(value: Interval, metric: str) -> str:
    half = (value.high - value.low) / 2
    if metric == "tokens_to_first":
        return f"{value.mean:.0f} ±{half:.0f}"
    return f"{value.mean:.3f} ±{half:.3f}".replace("±0.", "±.")


def verdicts(comparison: Comparison) -> list[str]:
    """For each decisive metric, the best way and which of the others are worse by more than chance."""
    if len(comparison.measurements) < 2:
        return []
    lines = []
    for metric in DECISIVE:
        best = max(comparison.measurements, key=lambda measurement: sum(measurement.of(metric)))
        worse: list[str] = []
        equal: list[str] = []
        for other in comparison.measurements:
            if other is not best:
                gap = difference(best.of(metric), other.of(metric))
                (worse if gap.is_above_zero else equal).append(f"{other.name} (−{gap.mean:.3f})")
        clauses = [f"{labels(comparison.limit)[metric]}: best is {best.name}"]
        clauses += [f"worse: {', '.join(worse)}"] if worse else []
        clauses += [f"no difference beyond chance: {', '.join(equal)}"] if equal else []
        lines.append("; ".join(clauses))
    return lines


def record(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON data, with the differences of each way from the first."""
    first = comparison.measurements[0]
    return {
        "questions": comparison.questions,
        "limit": comparison.limit,
        "characters": BUDGET,
        "bootstrap_rounds": ROUNDS,
        "ways": [
            {
                "name": measurement.name,
                "metrics": {name: value._asdict() for name, value in summary(measurement).items()},
            }
            for measurement in comparison.measurements
        ],
        "differences": [
            {
                "from": first.name,
                "to": other.name,
                "metrics": {name: difference(other.of(name), first.of(name))._asdict() for name in other.scores[0]},
            }
            for other in comparison.measurements[1:]
        ],
        "depth": max(comparison.limit, DEPTH),
        "failures": [failure_record(failure) for failure in comparison.failures],
    }


# -- The comparison as a plot: a panel per metric, with a dot and its interval per way of searching.

METRICS = ("hit", "mrr", "recall", "recall_within")
"""All of them range from 0 to 1."""
COLOURS = ("#2f6f9f", "#b5532a", "#3f7d4e", "#7a4f9a", "#8a6d1f", "#4a4a4a")

# Pixels of the SVG.
_ROW, _TOP, _BOTTOM, _PANEL, _GAP, _LETTER = 24, 56, 36, 190, 26, 7.2
# Inches of the PNG.
_ROW_HEIGHT, _PANEL_WIDTH = 0.35, 2.6
_REMEDY = f"{install('plot')}, or name a file that ends in .svg"


def check_plot(file: Path) -> None:
    """Refuse a file that could not be written, before any question is asked."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise SettingsError("neither .svg nor .png", path=str(file), remedy="name a file that ends in .svg")
    if not file.parent.is_dir():
        raise SettingsError("no folder for the plot", path=str(file), remedy="name a folder that exists")
    if file.suffix.lower() == ".png":
        _load_matplotlib()


def write_plot(comparison: Comparison, file: Path) -> None:
    """Write SVG or PNG, by the suffix of the file."""
    if file.suffix.lower() == ".svg":
        file.write_text(svg(comparison), encoding="utf-8", newline="\n")
    else:
        _write_png(comparison, file)


class _Panel(NamedTuple):
    """One metric of all ways."""

    title: str
    dots: list[tuple[str, Interval]]


def _panels(comparison: Comparison) -> list[_Panel]:
    intervals = [(measurement.name, summary(measurement)) for measurement in comparison.measurements]
    titles = labels(comparison.limit)
    return [_Panel(titles[metric], [(name, by_metric[metric]) for name, by_metric in intervals]) for metric in METRICS]


def _title(comparison: Comparison) -> str:
    return f"{comparison.questions} questions, mean and 95% interval"


def svg(comparison: Comparison) -> str:
    panels = _panels(comparison)
    names = [name for name, _ in panels[0].dots]
    left = 24 + round(_LETTER * max(map(len, names)))
    width = left + len(panels) * (_PANEL + _GAP)
    height = _TOP + _ROW * len(names) + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        '<g font-family="system-ui, sans-serif" font-size="13" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(12, 20, _title(comparison), "start"),
    ]
    parts += [_text(left - 12, _middle(row) + 4, name, "end") for row, name in enumerate(names)]
    for number, panel in enumerate(panels):
        parts += _svg_panel(panel, left + number * (_PANEL + _GAP))
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _svg_panel(panel: _Panel, x: int) -> list[str]:
    bottom = _TOP + _ROW * len(panel.dots)
    parts = [_text(x + _PANEL / 2, _TOP - 12, panel.title, "middle")]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        at = x + tick * _PANEL
        parts.append(_line(at, _TOP, at, bottom, "#ddd", 1))
        parts.append(_text(at, bottom + 18, f"{tick:g}", "middle"))
    for row, (name, spread) in enumerate(panel.dots):
        y, colour = _middle(row), COLOURS[row % len(COLOURS)]
        parts.append(_line(x + spread.low * _PANEL, y, x + spread.high * _PANEL, y, colour, 2))
        parts.append(
            f'<circle cx="{x + spread.mean * _PANEL:.1f}" cy="{y}" r="4" fill="{colour}">'
            f"<title>{escape(name)}: {spread.mean:.3f} ({spread.low:.3f} to {spread.high:.3f})</title></circle>"
        )
    return parts


def _middle(row: int) -> int:
    return _TOP + _ROW * row + _ROW // 2


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _load_matplotlib() -> Any:
    return load("matplotlib", "a plot as PNG", _REMEDY)


def _write_png(comparison: Comparison, file: Path) -> None:
    matplotlib = _load_matplotlib()
    # Figure, not pyplot: it needs no screen and leaves global state alone.
    figure_module = load("matplotlib.figure", "a plot as PNG", _REMEDY)
    panels = _panels(comparison)
    names = [name for name, _ in panels[0].dots]
    size = (1.5 + _PANEL_WIDTH * len(panels), 1.2 + _ROW_HEIGHT * len(names))
    with matplotlib.rc_context():
        figure = figure_module.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(panels), sharey=True)
        for axis, panel in zip(axes, panels, strict=True):
            _draw_dots(axis, panel.dots)
            axis.set_title(panel.title, fontsize=10)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        figure.suptitle(_title(comparison), fontsize=11)
        figure.savefig(file, format="png", dpi=144)


def _draw_dots(axis: Any, dots: list[tuple[str, Interval]]) -> None:
    for row, (_, spread) in enumerate(dots):
        colour = COLOURS[row % len(COLOURS)]
        axis.hlines(row, spread.low, spread.high, color=colour)
        axis.plot([spread.mean], [row], "o", color=colour)
    axis.set_xlim(0, 1)
    axis.grid(axis="x", color="#dddddd")

"""The comparison as a plot: a panel per metric, with a dot and its interval per way of searching.

SVG is written here; PNG is drawn by matplotlib.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import SettingsError
from headnote.extra.evaluate.metrics import Interval
from headnote.extra.evaluate.report import Comparison, labels, summary
from headnote.extras import install, load

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
    for row, (name, interval) in enumerate(panel.dots):
        y, colour = _middle(row), COLOURS[row % len(COLOURS)]
        parts.append(_line(x + interval.low * _PANEL, y, x + interval.high * _PANEL, y, colour, 2))
        parts.append(
            f'<circle cx="{x + interval.mean * _PANEL:.1f}" cy="{y}" r="4" fill="{colour}">'
            f"<title>{escape(name)}: {interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})</title></circle>"
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
    for row, (_, interval) in enumerate(dots):
        colour = COLOURS[row % len(COLOURS)]
        axis.hlines(row, interval.low, interval.high, color=colour)
        axis.plot([interval.mean], [row], "o", color=colour)
    axis.set_xlim(0, 1)
    axis.grid(axis="x", color="#dddddd")

"""The same picture as PNG, drawn by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headnote.evaluate.plot import COLOURS, panels, title
from headnote.evaluate.report import Comparison
from headnote.extras import load

_REMEDY = "pip install 'headnote[plot]', or name a file that ends in .svg"
_INCHES_ROW, _INCHES_PANEL = 0.35, 2.6


def load_matplotlib() -> Any:
    return load("matplotlib", "a plot as PNG", _REMEDY)


def write_png(comparison: Comparison, file: Path) -> None:
    matplotlib = load_matplotlib()
    # Without a screen, and without touching what the caller has set up.
    figure_module = load("matplotlib.figure", "a plot as PNG", _REMEDY)
    drawn = panels(comparison)
    names = [name for name, _ in drawn[0].dots]
    size = (1.5 + _INCHES_PANEL * len(drawn), 1.2 + _INCHES_ROW * len(names))
    with matplotlib.rc_context():
        figure = figure_module.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(drawn), sharey=True)
        for axis, panel in zip(axes, drawn, strict=True):
            _draw(axis, panel.dots)
            axis.set_title(panel.title, fontsize=10)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        figure.suptitle(title(comparison), fontsize=11)
        figure.savefig(file, format="png", dpi=144)


def _draw(axis: Any, dots: list[tuple[str, Any]]) -> None:
    for row, (_, found) in enumerate(dots):
        colour = COLOURS[row % len(COLOURS)]
        axis.hlines(row, found.low, found.high, color=colour)
        axis.plot([found.mean], [row], "o", color=colour)
    axis.set_xlim(0, 1)
    axis.grid(axis="x", color="#dddddd")

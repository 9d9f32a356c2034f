"""Which picture a file is to hold, by its name."""

from __future__ import annotations

from pathlib import Path

from headnote.errors import SettingsError
from headnote.evaluate.plot import svg
from headnote.evaluate.plot_png import load_matplotlib, write_png
from headnote.evaluate.report import Comparison


def check_plot(file: Path) -> None:
    """Before all the work is done, say what would be wrong with the file."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise SettingsError("neither .svg nor .png", path=str(file), remedy="name a file that ends in .svg")
    if not file.parent.is_dir():
        raise SettingsError("no folder for the plot", path=str(file), remedy="name a folder that exists")
    if file.suffix.lower() == ".png":
        load_matplotlib()


def write_plot(comparison: Comparison, file: Path) -> None:
    """As SVG, or as PNG where matplotlib is installed."""
    if file.suffix.lower() == ".svg":
        file.write_text(svg(comparison), encoding="utf-8", newline="\n")
    else:
        write_png(comparison, file)

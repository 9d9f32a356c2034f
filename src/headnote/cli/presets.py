"""`headnote presets`: which named settings there are, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from headnote.cli.command import Command
from headnote.cli.terminal import Line, Span, write_json, write_lines

if TYPE_CHECKING:
    from headnote.chunking.settings import Settings


@click.command("presets", cls=Command)
@click.option("--all", "show_all", is_flag=True, help="Also the settings in which no preset differs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: every preset with all it sets.")
def presets_command(show_all: bool, as_json: bool) -> None:
    """Compare the presets: named settings, one for each system they stand for."""
    from headnote.chunking.presets import presets

    if as_json:
        write_json({name: _record(name, settings) for name, settings in presets().items()})
    else:
        write_lines(_lines(presets(), show_all))


def _record(name: str, settings: Settings) -> dict[str, Any]:
    from headnote.chunking.describe import STANDS_FOR
    from headnote.chunking.presets import differences
    from headnote.chunking.settings import FIELD_NAMES

    values = {field: getattr(settings, field) for field in FIELD_NAMES}
    return {
        "stands_for": STANDS_FOR[name],
        "settings": values | {"keep_whole": sorted(settings.keep_whole)},
        "differs_in": sorted(differences(name)),
    }


def _lines(known: Mapping[str, Settings], show_all: bool) -> list[Line]:
    from headnote.chunking.describe import STANDS_FOR
    from headnote.chunking.settings import FIELD_NAMES

    base = known["default"]
    names = [
        field
        for field in FIELD_NAMES
        if show_all or any(getattr(settings, field) != getattr(base, field) for settings in known.values())
    ]
    rows = {field: [shown_value(getattr(settings, field)) for settings in known.values()] for field in names}
    width = max(map(len, names))
    widths = [max(map(len, column)) for column in zip(known, *rows.values(), strict=True)]
    header = [cell.ljust(size) for cell, size in zip(known, widths, strict=True)]
    lines: list[Line] = [[Span(" " * width), *(Span(f"  {cell}", "bold") for cell in header)]]
    for field, cells in rows.items():
        # What a preset leaves as it is stands back, so that the differences are what one sees.
        spans = [
            Span(f"  {cell.ljust(size)}", "dim" if cell == cells[0] and number else "cyan")
            for number, (cell, size) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append([Span(field.ljust(width)), *spans])
    name_width = max(map(len, known))
    lines.append([])
    lines += [[Span(name.ljust(name_width), "bold"), Span(f"  {STANDS_FOR[name]}")] for name in known]
    return [_without_trailing_blanks(line) for line in lines]


def shown_value(value: object) -> str:
    """A setting as one writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "auto"
    if isinstance(value, frozenset):
        return ", ".join(sorted(value)) or "none"
    return str(value)


def _without_trailing_blanks(line: Line) -> Line:
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else line

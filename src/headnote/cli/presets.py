"""`headnote presets`: the named settings, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from headnote.chunking.presets import STANDS_FOR, differences, presets
from headnote.chunking.settings import FIELD_NAMES, Settings
from headnote.cli.command import Command
from headnote.cli.formatting import setting_text
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines


@click.command(
    "presets",
    cls=Command,
    examples=[
        ("where the presets differ", "headnote presets"),
        ("every setting of every preset", "headnote presets --all"),
    ],
)
@click.option("--all", "show_all", is_flag=True, help="Include settings that are the same in every preset.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every setting of every preset.")
def presets_command(show_all: bool, as_json: bool) -> None:
    """Compare the presets.

    A preset is a named set of settings that reproduces another system, or the default.
    """
    if as_json:
        write_json({name: _record(name, settings) for name, settings in presets().items()})
    else:
        write_lines(_lines(presets(), show_all))


def _record(name: str, settings: Settings) -> dict[str, Any]:
    values = {field: getattr(settings, field) for field in FIELD_NAMES}
    return {
        "stands_for": STANDS_FOR[name],
        "settings": values | {"keep_whole": sorted(settings.keep_whole)},
        "differs_in": sorted(differences(name)),
    }


def _lines(settings_of: Mapping[str, Settings], show_all: bool) -> list[StyledLine]:
    fields = FIELD_NAMES if show_all else _differing_fields(settings_of)
    values = [[setting_text(getattr(settings, field)) for settings in settings_of.values()] for field in fields]
    table = [["", *settings_of], *([field, *row] for field, row in zip(fields, values, strict=True))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    header, *rows = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in table)
    legend = max(map(len, settings_of))
    lines: list[StyledLine] = [
        [StyledText(header[0]), *(StyledText(f"  {cell}", "bold") for cell in header[1:])],
        *map(_row, rows),
        [],
        *([StyledText(name.ljust(legend), "bold"), StyledText(f"  {STANDS_FOR[name]}")] for name in settings_of),
    ]
    return [_without_trailing_blanks(line) for line in lines]


def _differing_fields(settings_of: Mapping[str, Settings]) -> list[str]:
    """The settings in which at least one preset differs from the default."""
    default = settings_of["default"]
    return [
        field
        for field in FIELD_NAMES
        if any(getattr(settings, field) != getattr(default, field) for settings in settings_of.values())
    ]


def _row(cells: Sequence[str]) -> StyledLine:
    """One setting. Values equal to the default are dim, so that the differences stand out."""
    name, default, *others = cells
    return [
        StyledText(name),
        StyledText(f"  {default}", "cyan"),
        *(StyledText(f"  {cell}", "dim" if cell.rstrip() == default.rstrip() else "cyan") for cell in others),
    ]


def _without_trailing_blanks(line: StyledLine) -> StyledLine:
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else line

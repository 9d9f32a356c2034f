"""What our commands have beyond click's: arguments that their help explains, as it explains options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click


class Argument(click.Argument):
    """An argument with a sentence about it, which releases of click before 8.5 have no place for."""

    def __init__(self, *declarations: Any, about: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.about = about

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002
        return self.human_readable_name, self.about


class Command(click.Command):
    """A command whose help has its arguments, above its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = super().get_params(ctx)
        write_section(ctx, formatter, "Arguments", (one for one in own if isinstance(one, click.Argument)))
        write_section(ctx, formatter, "Options", (one for one in own if isinstance(one, click.Option)))


def write_section(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, parameters: Iterable[click.Parameter]
) -> None:
    """A heading, and below it a line for each parameter that is not hidden."""
    rows = [row for one in parameters if (row := one.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)

"""Click commands whose help describes arguments as well as options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click


class Argument(click.Argument):
    """An argument with a help text, which click supports only since 8.5."""

    def __init__(self, *declarations: Any, about: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.about = about

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002
        return self.human_readable_name, self.about


class Command(click.Command):
    """A command whose help lists its arguments above its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = super().get_params(ctx)
        for title, kind in (("Arguments", click.Argument), ("Options", click.Option)):
            write_section(ctx, formatter, title, (one for one in parameters if isinstance(one, kind)))


def write_section(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, parameters: Iterable[click.Parameter]
) -> None:
    """A heading, and a row for each parameter that is not hidden."""
    rows = [row for parameter in parameters if (row := parameter.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)

"""Click commands whose help begins with what they do, shows examples, describes arguments and groups options."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

OPTIONS = "Options"
"""The section of an option that names none, and of `--help`."""


class Example(NamedTuple):
    """A command to try. A test runs every one of them."""

    about: str
    line: str


class Argument(click.Argument):
    """An argument with a help text, which click supports only since 8.5."""

    def __init__(self, *declarations: Any, about: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.about = about

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002
        return self.human_readable_name, self.about


class Option(click.Option):
    """An option that stands under a heading of its own in the help."""

    def __init__(self, *declarations: Any, section: str = OPTIONS, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose help begins with one line, then shows its examples, arguments and options by section."""

    def __init__(self, *arguments: Any, examples: Sequence[tuple[str, str]] = (), **attributes: Any) -> None:
        """`examples`: what each is for, and the line to type."""
        super().__init__(*arguments, **attributes)
        self.examples = [Example(*example) for example in examples]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_head(self, ctx, formatter)
        write_examples(formatter, self.examples)
        self.format_options(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = self.get_params(ctx)
        _write_section(ctx, formatter, "Arguments", (one for one in parameters if isinstance(one, click.Argument)))
        sections: dict[str, list[click.Parameter]] = {OPTIONS: []}
        for option in (one for one in parameters if isinstance(one, click.Option)):
            sections.setdefault(getattr(option, "section", OPTIONS), []).append(option)
        for title, options in sections.items():
            _write_section(ctx, formatter, title, options)


def write_head(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """What the command does, how it is called, and what else there is to say."""
    summary, _, details = inspect.cleandoc(command.help or "").partition("\n\n")
    formatter.write_text(summary)
    formatter.write_paragraph()
    command.format_usage(ctx, formatter)
    if details:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(details)


def write_examples(formatter: click.HelpFormatter, examples: Iterable[Example], title: str = "Examples") -> None:
    """Each line to type below a comment, so that both can be copied together."""
    blocks = [f"  # {about}\n  {line}\n" for about, line in examples]
    if blocks:
        formatter.write(f"\n{title}:\n" + "".join(blocks))


def _write_section(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, parameters: Iterable[click.Parameter]
) -> None:
    """A heading, and a row for each parameter that is not hidden."""
    rows = [row for parameter in parameters if (row := parameter.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


@contextmanager
def without_collector() -> Iterator[None]:
    """Import without looking for garbage, then or later: what is loaded stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

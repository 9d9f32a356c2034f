"""The command `headnote`: its subcommands, and how any of them ends."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from headnote import __version__
from headnote.cli.terminal import accept_any_character, complain
from headnote.errors import HeadnoteError

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

ALLOCATIONS = 50_000
"""Between two searches for garbage. Loading a command makes many objects that stay, and Python would look through them
again and again: a twentieth of the time that a search takes."""

COMMANDS = {
    "chunk": "headnote.cli.chunk:chunk_command",
    "outline": "headnote.cli.outline:outline_command",
    "search": "headnote.cli.search:search_command",
    "ask": "headnote.cli.ask:ask_command",
    "index": "headnote.cli.index:index_command",
    "status": "headnote.cli.status:status_command",
    "doctor": "headnote.cli.doctor:doctor_command",
    "links": "headnote.cli.links:links_command",
    "config": "headnote.cli.config:config_command",
    "presets": "headnote.cli.presets:presets_command",
    "eval": "headnote.cli.eval:eval_command",
    "mcp": "headnote.cli.mcp:mcp_command",
    "serve": "headnote.cli.serve:serve_command",
    "open": "headnote.cli.serve:open_command",
    "bulk": "headnote.cli.bulk:bulk_command",
}
"""Name → where it is, in the order of the help. Only the one that is wanted is loaded."""


class Commands(click.Group):
    """The commands of the table above."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            # Click guesses only among commands that are loaded, and not in every release.
            from difflib import get_close_matches

            meant = " or ".join(map(repr, get_close_matches(args[0], COMMANDS)))
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {meant}?" if meant else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Left to click, it would end with an empty line on standard error.
            raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


@click.group(
    "headnote",
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"show_default": True},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Markdown and MDX as chunks that remember their headings."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run() -> NoReturn:
    """Entry point of the console script."""
    gc.set_threshold(ALLOCATIONS)
    accept_any_character()
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader left, as `head` does. Python flushes once more on its way out: give it a place to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_FAILED
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Run one command and say how it ended; every foreseen failure is one line on standard error."""
    try:
        code = app(args=list(arguments), prog_name="headnote", standalone_mode=False)
    except HeadnoteError as error:
        complain(str(error))
    except click.ClickException as error:
        complain(_usage(error))
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    else:
        return code if isinstance(code, int) else 0
    return EXIT_BAD_INPUT


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "headnote"
    return f"{error.format_message().rstrip('.')} (see {command} --help)"

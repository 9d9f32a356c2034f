"""The command `headnote`: its subcommands, and how any of them ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from headnote import __version__
from headnote.cli.ask import ask_command
from headnote.cli.bulk import bulk_command
from headnote.cli.chunk import chunk_command
from headnote.cli.config import config_command
from headnote.cli.doctor import doctor_command
from headnote.cli.eval import eval_command
from headnote.cli.index import index_command
from headnote.cli.links import links_command
from headnote.cli.mcp import mcp_command
from headnote.cli.outline import outline_command
from headnote.cli.presets import presets_command
from headnote.cli.search import search_command
from headnote.cli.serve import open_command, serve_command
from headnote.cli.setting_flags import SettingsCommand
from headnote.cli.status import status_command
from headnote.cli.terminal import accept_any_character, complain
from headnote.errors import HeadnoteError

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

# Without markup in help texts, help needs no rich and appears at once.
app = typer.Typer(name="headnote", rich_markup_mode=None, pretty_exceptions_enable=False)
app.command("chunk", cls=SettingsCommand)(chunk_command)
app.command("outline")(outline_command)
app.command("search")(search_command)
app.command("ask")(ask_command)
app.command("index", cls=SettingsCommand)(index_command)
app.command("status")(status_command)
app.command("doctor")(doctor_command)
app.command("links")(links_command)
app.command("config")(config_command)
app.command("presets")(presets_command)
app.command("eval")(eval_command)
app.command("mcp")(mcp_command)
app.command("serve")(serve_command)
app.command("open")(open_command)
app.command("bulk", cls=SettingsCommand)(bulk_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"headnote {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def headnote(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Markdown and MDX as chunks that remember their headings."""
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def run() -> NoReturn:
    """Entry point of the console script."""
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
    except typer.TyperException as error:
        complain(_usage(error))
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    else:
        return code if isinstance(code, int) else 0
    return EXIT_BAD_INPUT


def _usage(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "headnote"
    return f"{error.format_message().rstrip('.')} (see {command} --help)"

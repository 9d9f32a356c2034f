"""The command `headnote`: the table of its subcommands, and how each of them ends."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EPIPE
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click
from click.shell_completion import CompletionItem

from headnote import __version__
from headnote.cli.command import Example, without_collector, write_examples, write_head
from headnote.cli.terminal import accept_any_character, point_at, write_error
from headnote.errors import FilterError, HeadnoteError, UntrustedSettings

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_NO_READER = 141
"""As a shell reports programs that SIGPIPE ends: `| head` has what it wants. 1 would say that nothing was found."""

_OUTPUT_FAILS = (EPIPE, ENOSPC, EDQUOT, EFBIG, EIO)
"""What the system says of an output that is gone or full."""

COMPLETING = "_HEADNOTE_COMPLETE"
"""The variable by which a shell asks what could be typed next."""
ALLOCATIONS = 50_000
"""Allocations between two garbage collections: a command makes many objects that stay, and Python would traverse them
again and again."""


class HelpEntry(NamedTuple):
    """A command that is loaded when it is called."""

    module: str
    function: str
    summary: str
    """Its line in `headnote --help`, and the first line of its own help."""


GROUPS: dict[str, dict[str, str]] = {
    "Start here": {
        "search": "Find the passages that answer a query.",
        "open": "Serve the folder and open it in the browser.",
        "chunk": "Split files into chunks that remember their headings.",
        "lint": "Show what is wrong with the pages of a folder.",
        "install": "Tell the coding agents of this machine about a folder.",
    },
    "Read and find": {
        "ask": "Answer a question and cite the lines the answer rests on.",
        "grep": "Show every occurrence of a pattern.",
        "read": "Read several documents or sections, within a token budget.",
        "outline": "Show headings as a tree, with line ranges and sizes.",
        "related": "Show passages near one, and suggest links to make.",
        "links": "Show where links lead, and which are broken.",
        "mv": "Move a file or folder, or rename a heading, and keep the links.",
    },
    "Keep an index": {
        "index": "Build or update the index of a folder.",
        "status": "Show what the index holds and whether it is up to date.",
        "doctor": "Check the index and everything it needs.",
        "eval": "Measure search quality with questions and known answers.",
    },
    "Give it to others": {
        "serve": "Serve the folder as a web page and an HTTP API.",
        "mcp": "Serve the index to coding agents over MCP.",
        "export": "Write a search for a docs site that needs no server.",
        "pack": "Make one file of an index, to search on any machine.",
        "bulk": "Chunk large collections, locally or on Ray or Spark.",
    },
    "Set up": {
        "config": "Show the settings in effect and where each comes from.",
        "presets": "Compare the presets.",
        "context": "Say in a sentence what a folder or document is.",
        "trust": "Let the file of a folder name services and places.",
        "uninstall": "Undo what install has written for a folder.",
        "completion": "Make your shell complete commands, options and values.",
    },
}
"""Heading → its commands and what they do, in the order of the help: what most people need comes first."""
_MODULES = {"open": "serve", "uninstall": "install"}
"""Commands that another module has than the one of their name."""
COMMANDS = {
    name: HelpEntry(f"headnote.cli.{_MODULES.get(name, name)}", f"{name}_command", summary)
    for group in GROUPS.values()
    for name, summary in group.items()
}


START = (
    Example("find the passages that answer a question", 'headnote search "how do I install it?" docs'),
    Example("read and search the folder in your browser", "headnote open docs"),
    Example("see the chunks of a document", "headnote chunk docs/index.md"),
)
"""Three commands to try, for those who type `headnote` and nothing else."""


class Commands(click.Group):
    """The commands of the table above. Listing them loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        with without_collector():
            command: click.Command = getattr(import_module(entry.module), entry.function)
        return command

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_head(self, ctx, formatter)
        self.format_options(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(name, help=entry.summary) for name, entry in COMMANDS.items()]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(name for name in names if name.value.startswith(incomplete)), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            # Click guesses only among commands that are loaded, and not in every release.
            from difflib import get_close_matches

            suggestions = " or ".join(map(repr, get_close_matches(args[0], COMMANDS, cutoff=0.65)))
            if not suggestions:
                ctx.fail(f"No such command {args[0]!r}; to search, write: headnote search {' '.join(args)}")
            ctx.fail(f"No such command {args[0]!r}. Did you mean {suggestions}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(EXIT_NO_READER) from None
        except KeyboardInterrupt:
            # Click itself would write an empty line to standard error.
            raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


@click.group(
    "headnote",
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"show_default": True, "help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Search a folder of Markdown, or cut it into chunks that know their headings."""
    if context.invoked_subcommand is None:
        click.echo(_start(context))


def _start(context: click.Context) -> str:
    formatter = context.make_formatter()
    formatter.write_text(f"headnote {__version__}: {app.help}")
    write_examples(formatter, START, "Try, with a folder of your own")
    formatter.write_paragraph()
    formatter.write_text("headnote -h lists all commands, and headnote COMMAND -h explains one of them.")
    return formatter.getvalue().rstrip("\n")


def run() -> NoReturn:
    """Run the command of this process. `handover.py` is the entry point of the console script."""
    gc.set_threshold(ALLOCATIONS)
    if COMPLETING in os.environ:
        import_module("headnote.cli.completion")  # how this shell asks, and wants to be answered
    code = run_command(sys.argv[1:])
    gc.freeze()  # Python would traverse everything once more, and the process ends anyway: a tenth of a search
    sys.exit(code)


def run_command(arguments: Sequence[str]) -> int:
    """Run one command, and return its exit code once all of its output is written."""
    accept_any_character()
    try:
        code = main(arguments)
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_FAILS:
            raise
        # Python flushes once more on exit, so give it somewhere to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader left, as `head` does
            return EXIT_NO_READER
        write_error(f"the output cannot be written: {error.strerror} (make room, or write it elsewhere)")
        return EXIT_BAD_INPUT
    return code


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Every expected failure is one line on standard error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UntrustedSettings)  # for programs; commands write a line of their own
            code = app(args=list(arguments), prog_name="headnote", standalone_mode=False)
    except FilterError as error:
        write_error(str(error))
        point_at(error.text, error.position)
    except HeadnoteError as error:
        write_error(str(error))
    except click.ClickException as error:
        write_error(_usage(error))
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    else:
        return code if isinstance(code, int) else 0
    return EXIT_BAD_INPUT


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "headnote"
    return f"{error.format_message().rstrip('.')} (see {command} --help)"

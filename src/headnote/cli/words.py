"""What commands that search take: words without quotes, the option for the folder, and the options of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from headnote.api import home_of
from headnote.cli import choices, options
from headnote.cli.command import OPTIONS, Argument, Command, Option
from headnote.cli.first_read import NAMED
from headnote.cli.query_words import HERE, UnderstoodWords, understand
from headnote.cli.terminal import write_note
from headnote.search.query import OPTIONS as SEARCH_OPTIONS
from headnote.search.query import Names, SearchOption, Where

# -- Words and folders


class QueryWords(Argument):
    """Its name in errors is that of the words, without the folder."""

    def get_error_hint(self, ctx: click.Context | None) -> str:  # noqa: ARG002
        return repr(str(self.metavar).partition(".")[0])


class WordsCommand(Command):
    """A command that takes words. One that begins with a dash is refused, and the error says how to pass it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            message = error.format_message().rstrip(".")
            raise click.UsageError(f"{message}; if it is a word to look for, write -- before the words", ctx) from None


def words(name: str, about: str) -> Callable[[Any], Any]:
    """`WORD... [ROOT]` and `--root`. The command receives the words as `name`, and `root`."""
    where = "A folder at the end is ROOT, the folder to search; the current one by default. Several are one index."
    argument = click.argument(
        "words",
        cls=QueryWords,
        metavar=f"{name.upper()}... [ROOT]...",
        nargs=-1,
        required=True,
        about=f"{about} {where}",
        shell_complete=choices.folders,
    )
    option = click.option(
        "--root",
        "-r",
        cls=Option,
        type=options.PATH,
        metavar="DIR",
        multiple=True,
        shell_complete=choices.folders,
        help="Folder to search; repeatable. All words are the query then.",
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_words(
            *, words: Sequence[str], root: Sequence[Path], home: Path | None, pack: Path | None, **others: Any
        ) -> Any:
            if pack is not None:
                root = [options.chosen_root(root[0] if root else Path(), pack)]
            understood = UnderstoodWords(" ".join(words), ()) if home and not root else understand(words, root)
            click.get_current_context().meta[NAMED] = understood.roots is not HERE
            if understood.note:
                write_note(understood.note)
            return command(**{name: understood.text}, root=home_of(understood.roots, home), **others)

        return argument(option(options.home(options.pack_option(with_words))))

    return decorate


# -- Options of a search: a command that takes some of them receives one `asked`, option → value as written.


_SECTION_OF = dict.fromkeys(("fusion", "per_document", "min_score", "budget", "recency"), "Ranking")
_SECTION_OF |= dict.fromkeys(("roots", "path", "tags", "where", "since", "literal"), options.FILTERS)
"""Option → the heading it stands under, in this order."""
_COMPLETERS = {
    "path": choices.documents,
    "roots": choices.roots,
    "tags": choices.tags,
    "recency": choices.words("steps"),
}


def search_flags(*names: str) -> Callable[[Any], Any]:
    """The flags of these options, or of all."""
    flagged = [name for name, option in SEARCH_OPTIONS.items() if option.flag is not None]
    wanted = names or (*(name for name in flagged if name not in _SECTION_OF), *_SECTION_OF)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_asked(**given: Any) -> Any:
            return command(asked={name: given.pop(name) for name in wanted}, **given)

        decorated: Callable[..., Any] = with_asked
        for name in reversed(wanted):
            decorated = search_flag(SEARCH_OPTIONS[name])(decorated)
        return decorated

    return decorate


def search_flag(option: SearchOption) -> Callable[[Any], Any]:
    """The flag of an option, as a decorator."""
    attributes: dict[str, Any] = {"is_flag": True} if option.kind is bool else {"metavar": option.metavar}
    if number := {int: click.IntRange, float: click.FloatRange}.get(option.kind):
        attributes["type"] = number(min=option.least)
    return click.option(
        *(option.flags or (option.spelled,)),
        option.name,
        cls=Option,
        section=_SECTION_OF.get(option.name, OPTIONS),
        multiple=option.kind in (Names, Where),
        shell_complete=_COMPLETERS.get(option.name) or choices.words(*option.words),
        help=option.flag or option.help,
        **attributes,
    )


def flag_of_option(name: str) -> str:
    """`--tag`, as errors name it."""
    return SEARCH_OPTIONS[name].spelled

"""The flags of a search, made from its table of options.

A command that takes some of them receives one `asked`: option → value as written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from headnote.cli import choices, options
from headnote.cli.access import NamedIndex
from headnote.cli.command import OPTIONS, Option
from headnote.search.query import OPTIONS as SEARCH_OPTIONS
from headnote.search.query import Names, SearchOption, Where

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
        def with_asked(named: NamedIndex, **given: Any) -> Any:
            return command(named, asked={name: given.pop(name) for name in wanted}, **given)

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

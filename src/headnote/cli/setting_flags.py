"""Every setting as a flag, made from `Settings` itself: a new setting is a new flag, with its docstring as help."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from collections.abc import Mapping

GIVEN_FLAGS = "headnote.cli.setting_flags"
"""Where the context keeps the settings that were given."""

# What a value looks like, for those whose type does not say it.
_METAVARS = {
    "counter": "cl100k|o200k|chars|chars4|estimate|FILE",
    "oversized": "split|keep|KIND=keep,…",
    "keep_whole": "KIND,…",
}


class SettingsCommand(TyperCommand):
    """A command that takes all settings as flags besides its own options.

    They are made when this command is asked for, so that other commands and the list of commands need not know them.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *setting_options()]

    def invoke(self, ctx: Any) -> Any:
        names = {option.name for option in setting_options()}
        ctx.meta[GIVEN_FLAGS] = {name: ctx.params.pop(name) for name in names & ctx.params.keys()}
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options of the command, then the settings under a heading of their own."""
        settings = setting_options()
        for title, kind, parameters in (
            ("Arguments", "argument", self.params),
            ("Options", "option", super().get_params(ctx)),
            ("Settings (they change those of the preset)", "option", settings),
        ):
            wanted = [parameter for parameter in parameters if parameter.param_type_name == kind]
            rows = [row for parameter in wanted if (row := parameter.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def given_flags(context: typer.Context) -> Mapping[str, Any]:
    """Setting → what was written on the command line, None where nothing was."""
    flags: dict[str, Any] = context.meta[GIVEN_FLAGS]
    return flags


@cache
def setting_options() -> tuple[Any, ...]:
    """One option for each setting, and a hidden one for each name that users of other systems know it by."""
    from headnote.chunking.aliases import BASIC_NAMES, FIELD_OF_ALIAS
    from headnote.chunking.describe import docstrings
    from headnote.chunking.settings import FIELD_NAMES

    helps = docstrings()
    parameters = [_parameter(name, name, helps.get(name, "")) for name in FIELD_NAMES]
    others = {alias: field for alias, field in FIELD_OF_ALIAS.items() if field not in BASIC_NAMES}
    parameters += [_parameter(alias, field, "", hidden=True) for alias, field in others.items()]

    # Typer makes options from the signature of a function, so this one has the signature that is wanted.
    def settings(**_values: object) -> None: ...

    settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    maker = typer.Typer(rich_markup_mode=None, add_completion=False)
    maker.command()(settings)
    return tuple(typer.main.get_command(maker).params)


def _parameter(name: str, field: str, help_text: str, hidden: bool = False) -> inspect.Parameter:
    kind: Any = _types()[field]
    is_switch = bool in (kind, *get_args(kind))
    flag = "--" + name.replace("_", "-")
    declaration = f"{flag}/--no-{flag.removeprefix('--')}" if is_switch else flag
    # Values stay text: the settings have their own checks, whose errors name the remedy.
    option = typer.Option(
        declaration,
        metavar=None if is_switch else _METAVARS.get(field) or _metavar(kind),
        help=help_text,
        hidden=hidden,
        show_default=False,
    )
    # A reader of the signature wants types, not their names, so they are put together here.
    annotation: Any = Annotated[(bool | None) if is_switch else (str | None), option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _metavar(kind: Any) -> str:
    return "|".join(get_args(kind)) if get_origin(kind) is Literal else "N"


@cache
def _types() -> dict[str, Any]:
    from headnote.chunking.settings import Settings

    return get_type_hints(Settings)

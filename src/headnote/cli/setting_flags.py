"""A flag for every setting, generated from `Settings`, with the docstring of the setting as help."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from headnote.chunking.aliases import FIELD_OF_ALIAS, plain_name
from headnote.chunking.presets import docstrings
from headnote.chunking.settings import BLOCK_KINDS, FIELD_NAMES, Settings
from headnote.cli import choices
from headnote.cli.command import OPTIONS, Command, Option
from headnote.tokens import NAMES as COUNTERS

# The form of values whose type does not tell it.
_METAVARS = {
    "counter": "cl100k|o200k|chars|chars4|estimate|FILE",
    "oversized": "split|keep|KIND=keep,…",
    "keep_whole": "KIND,…",
}

_SECTIONS = {
    "Where chunks end": (
        *("strategy", "boundaries", "packing", "heading_depth", "merge", "join_short_files", "plain_text"),
    ),
    "How large chunks are": (
        *("counter", "bias", "target_tokens", "max_tokens", "min_tokens"),
        *("overlap_tokens", "overlap_across_sections", "oversized", "keep_whole"),
    ),
    "What chunks contain": ("frontmatter", "mdx", "comments", "include_parent_headers", "breadcrumb", "document_title"),
}
_SECTION_OF = {field: f"{title} (overrides the preset)" for title, fields in _SECTIONS.items() for field in fields}


class SettingsCommand(Command):
    """A command that takes every setting as a flag, and receives them together as `settings`."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, context_settings={"token_normalize_func": _plain_flag}, **attributes)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *setting_options()]

    def invoke(self, ctx: click.Context) -> Any:
        # Setting → text of the flag, None for a flag that is not given.
        ctx.params["settings"] = {option.name: ctx.params.pop(str(option.name)) for option in setting_options()}
        return super().invoke(ctx)


@cache
def setting_options() -> tuple[click.Option, ...]:
    """One option for each setting, and a hidden one for each name it has in other systems."""
    helps, kinds = docstrings(), get_type_hints(Settings)
    own = [_option(name, name, kinds[name], help=helps.get(name, "")) for name in FIELD_NAMES]
    others = [_option(alias, field, kinds.get(field, str), hidden=True) for alias, field in FIELD_OF_ALIAS.items()]
    return (*own, *others)


def _plain_flag(name: str) -> str:
    """`chunkMaxTokens`, `chunk_max_tokens` → `chunk-max-tokens`: a name may be written as in a file. A letter is one
    of click's short flags."""
    return name if len(name) == 1 else plain_name(name).replace("_", "-")


def _option(name: str, field: str, kind: Any, **attributes: Any) -> click.Option:
    flag = name.replace("_", "-")
    attributes["section"] = _SECTION_OF.get(field, OPTIONS)
    if bool in (kind, *get_args(kind)):
        return Option([f"--{flag}/--no-{flag}"], default=None, **attributes)
    # Values stay text: the settings check them, with errors that name the remedy.
    return Option(
        [f"--{flag}"],
        metavar=_METAVARS.get(field) or _metavar(kind),
        shell_complete=choices.words(*_words(field, kind)),
        **attributes,
    )


def _words(field: str, kind: Any) -> tuple[str, ...]:
    """The values that can be listed."""
    known = {"counter": COUNTERS, "keep_whole": BLOCK_KINDS}
    return known.get(field) or (get_args(kind) if get_origin(kind) is Literal else ())


def _metavar(kind: Any) -> str:
    return "|".join(get_args(kind)) if get_origin(kind) is Literal else "N"

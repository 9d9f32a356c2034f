"""The names that users of other systems type, and what they mean here.

Case, dashes and capitals inside a name do not matter: `TargetTokens`, `target-tokens` and `TARGET_TOKENS` are all
`target_tokens` and need no entry of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headnote.chunking.budgets import OVERLAPS, SIZES
from headnote.chunking.settings import BLOCK_KINDS, FIELD_NAMES, WORDS, check_kind, check_value
from headnote.errors import SettingsError, nearest, shown

BASIC_NAMES = ("size", "overlap")
"""Basic mode: one word each instead of four numbers."""

KNOWN_NAMES = (*FIELD_NAMES, *BASIC_NAMES)

FIELD_OF_ALIAS = {
    # mdvdb, environment variables
    "mdvdb_chunk_max_tokens": "max_tokens",
    "mdvdb_chunk_overlap_tokens": "overlap_tokens",
    # ragdocs, in its table of chunking parameters
    "max_chunk_chars": "max_tokens",
    "min_chunk_chars": "min_tokens",
    "overlap_chars": "overlap_tokens",
    # refdocs: chunkMaxTokens, chunkMinTokens
    "chunk_max_tokens": "max_tokens",
    "chunk_min_tokens": "min_tokens",
    "chunk_overlap_tokens": "overlap_tokens",
    # blocks: MarkdownOptions and the words of its product surface
    "frontmatter_mode": "frontmatter",
    "mdx_mode": "mdx",
    "token_bias": "bias",
    "estimator_bias": "bias",
    "token_estimator_bias": "bias",
    "oversized_block_policy": "oversized",
    "heading_depth_limit": "heading_depth",
    "chunk_size": "size",
    "chunk_overlap": "overlap",
}

# A name that says its unit chooses the counter, too.
_COUNTER_OF_ALIAS = {"max_chunk_chars": "chars", "min_chunk_chars": "chars", "overlap_chars": "chars"}

VALUE_ALIASES: dict[str, dict[str, dict[str, str]]] = {
    "strategy": {
        "header_based": {"strategy": "header"},
        "markdown": {"strategy": "block"},
        "strategy_markdown": {"strategy": "block"},
        # Windows of one size over the whole text, whatever its structure.
        "fixed": {"strategy": "window", "boundaries": "paragraph"},
        "fixed_size": {"strategy": "window", "boundaries": "paragraph"},
        # Strategies of blocks that are, here, where the strategy `block` may end a chunk.
        "heading_aware": {"strategy": "block", "boundaries": "heading"},
        "paragraph": {"strategy": "block", "boundaries": "paragraph"},
        "hybrid": {"strategy": "block", "boundaries": "hybrid"},
    },
    "boundaries": {"heading_aware": {"boundaries": "heading"}},
    "counter": {
        "cl100k_base": {"counter": "cl100k"},
        "o200k_base": {"counter": "o200k"},
        "characters": {"counter": "chars"},
    },
    "bias": {
        "bias_balanced": {"bias": "balanced"},
        "bias_prose": {"bias": "prose"},
        "bias_code": {"bias": "code"},
        "prose_heavy": {"bias": "prose"},
        "code_heavy": {"bias": "code"},
    },
    "frontmatter": {
        "frontmatter_metadata": {"frontmatter": "metadata"},
        "frontmatter_include": {"frontmatter": "include"},
        "frontmatter_strip": {"frontmatter": "strip"},
    },
    # As in blocks, where a toggle turns splitting on or off.
    "oversized": {"true": {"oversized": "split"}, "false": {"oversized": "keep"}},
}

KIND_OF_ALIAS = {
    "code_fence": "code",
    "fence": "code",
    "prose": "paragraph",
    "blockquote": "quote",
    "mdx_import": "mdx_esm",
    "mdx_component": "mdx_jsx",
}

# A number for a basic name is meant for the advanced one.
_WORDS_OF_BASIC = {"size": (tuple(SIZES), "max_tokens"), "overlap": (tuple(OVERLAPS), "overlap_tokens")}

_ENDS_OF_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def plain_name(name: str) -> str:
    """`chunkMaxTokens`, `chunk-max-tokens` → `chunk_max_tokens`; `MDXMode` → `mdx_mode`."""
    return _ENDS_OF_WORDS.sub("_", name).replace("-", "_").lower()


def find_name(name: str) -> str:
    """The name used here for a name that may come from elsewhere.

    An unknown one is an error that suggests the nearest, of ours or of theirs.
    """
    plain = plain_name(name)
    known = FIELD_OF_ALIAS.get(plain, plain)
    if known not in KNOWN_NAMES:
        raise SettingsError(f"unknown setting {shown(name)}", remedy=nearest(plain, KNOWN_NAMES, also=FIELD_OF_ALIAS))
    return known


def translate(given: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings under our names, with checked values. Names that contradict each other are an error.

    `size`, `overlap` and an `oversized` by kinds stay as they are: their result depends on the settings they change.
    """
    sources: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for name, given_value in given.items():
        for field, value in _fields_of(name, given_value).items():
            earlier = fields.setdefault(field, value)
            source = sources.setdefault(field, name)
            if earlier != value:
                raise SettingsError(
                    f"{source} and {name} disagree about {field}: {shown(earlier)} and {shown(value)}",
                    remedy=f"leave out {source} or {name}",
                )
    if "overlap" in fields and "overlap_tokens" in fields:
        names = f"{sources['overlap']} and {sources['overlap_tokens']}"
        raise SettingsError(f"{names} both set the overlap", remedy="give one of them")
    return fields


def _fields_of(name: str, value: Any) -> dict[str, Any]:
    """One given name with its value, as our fields."""
    field = find_name(name)
    if field in _WORDS_OF_BASIC:
        return _basic(field, value)
    if field == "oversized" and isinstance(value, Mapping):
        return {field: _oversized_by_kind(value)}
    if field == "keep_whole":
        return {field: check_value(field, _kind_names(value))}
    fields = {key: check_value(key, plain) for key, plain in _plain_value(field, value).items()}
    if (counter := _COUNTER_OF_ALIAS.get(plain_name(name))) is not None:
        fields["counter"] = counter
    return fields


def _plain_value(field: str, value: Any) -> dict[str, Any]:
    if field == "oversized" and isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return {field: value}
    plain = plain_name(value)
    others = VALUE_ALIASES.get(field, {})
    if fields := others.get(plain):
        return dict(fields)
    if field in WORDS and plain not in WORDS[field]:
        raise SettingsError(f"{field} {shown(value)} is not known", remedy=nearest(plain, WORDS[field], also=others))
    # The names of files keep their case.
    return {field: value if field == "counter" else plain}


def _basic(name: str, value: Any) -> dict[str, Any]:
    words, advanced = _WORDS_OF_BASIC[name]
    if isinstance(value, str) and value.lower() in words:
        return {name: value.lower()}
    if isinstance(value, int) and not isinstance(value, bool):
        return {advanced: check_value(advanced, value)}
    number = f"give a number, as for {advanced}"
    remedy = nearest(value, words, number) if isinstance(value, str) else f"use {', '.join(words)}, or {number}"
    raise SettingsError(f"{name} {shown(value)} is not known", remedy=remedy)


def _oversized_by_kind(kinds: Mapping[Any, Any]) -> dict[str, str]:
    """A mapping such as {"code": "keep"}, checked and under our names."""
    by_kind: dict[str, str] = {}
    for name, value in kinds.items():
        kind = check_kind("oversized", _kind_name(name))
        by_kind[kind] = check_value("oversized", _plain_value("oversized", value)["oversized"])
    return by_kind


def _kind_names(value: Any) -> Any:
    """Kinds under our names, from one name, names between commas, or a collection."""
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    if not isinstance(value, (list, tuple, set, frozenset)):
        return value
    return [_kind_name(kind) for kind in value]


def _kind_name(kind: Any) -> Any:
    if not isinstance(kind, str) or kind in BLOCK_KINDS:
        return kind
    plain = plain_name(kind).removeprefix("block_")  # BlockTable, as blocks calls its kinds
    return KIND_OF_ALIAS.get(plain, plain)

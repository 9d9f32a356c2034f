"""One frozen `Settings` that cannot be invalid: the constructor checks every value.

Presets are in `presets.py`, names of other systems in `aliases.py`, files in `config/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import Any, Literal, TypedDict, get_args

from headnote.errors import SettingsError, nearest, shown
from headnote.model import BlockKind
from headnote.tokens import NAMES as COUNTERS
from headnote.tokens import Counter
from headnote.tokens.bpe import ENCODINGS, MOST_BYTES

Strategy = Literal["window", "header", "section", "block", "none"]
Boundaries = Literal["heading", "paragraph", "hybrid"]
Packing = Literal["greedy", "stable"]
Bias = Literal["balanced", "prose", "code"]
Oversized = Literal["split", "keep"]
FrontmatterMode = Literal["metadata", "include", "strip"]
PlainText = Literal["markdown", "fixed"]

_KEEP_THE_CAP = frozenset({"block", "header", "section"})
"""The strategies that, if `oversized` is `split`, cut whatever is larger than max, down to single characters."""

BLOCK_KINDS: tuple[str, ...] = get_args(BlockKind)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a document becomes chunks. A token is what the counter counts.

    The defaults are those of the preset `default`. The constructor checks values and changes none; `make_settings`
    changes one size of a preset and adapts the others.
    """

    strategy: Strategy = "block"
    """Which passes run: `window`, `header`, `section`, `block`, or `none` for the whole document as one chunk."""
    boundaries: Boundaries = "hybrid"
    """Where `block` may end a chunk. `heading`: at headings, and within a section only if it
    is too large; `paragraph`: between any blocks, ignoring headings; `hybrid`: both. With `paragraph`, `window` cuts
    windows from the whole document."""
    packing: Packing = "stable"
    """How `block` fills chunks. `greedy`: until the target is reached or the next block would exceed max; `stable`:
    up to a boundary chosen by the text near it, so that an edit moves few boundaries."""
    heading_depth: int = 6
    """Deepest heading level that starts a section, 1 to 6."""
    counter: str | Callable[[str], int] | Counter = "cl100k"
    """The token counter: one with a name, the path of a `tokenizer.json`, or, in Python, a function that returns the
    size of a text."""
    bias: Bias = "balanced"
    """What kind of text the counter `estimate` assumes: `balanced` (4 characters per token in prose, 2.75 in code),
    `prose` (4.4 and 3.0) or `code` (3.6 and 2.4)."""
    target_tokens: int = 384
    """Preferred size in `block`: a chunk that reaches it is closed. Other strategies fill chunks up to max."""
    max_tokens: int = 512
    """Hard limit, including breadcrumb, overlap, and repeated fences and table headers."""
    min_tokens: int = 96
    """A smaller chunk is merged with a neighbour if the two fit together; not in `window`."""
    overlap_tokens: int = 0
    """How much of a chunk the next one repeats, at most: whole blocks in `block` and `section`, the end of the text in
    `header` and `window`."""
    overlap_across_sections: bool = False
    """Whether `block` also repeats text across a section boundary."""
    merge: bool = True
    """Whether to merge chunks below the minimum; `window` never does."""
    oversized: Oversized = "split"
    """What to do with a single block larger than max: `split` or `keep` it, or by kind, such as
    `code=keep,table=split`."""
    keep_whole: frozenset[str] = frozenset()
    """Kinds of blocks that are never cut, whatever `oversized` says, such as `code,table`."""
    frontmatter: FrontmatterMode = "metadata"
    """`metadata`: read it and leave it out of the text; `include`: treat it as the first block; `strip`: ignore it."""
    plain_text: PlainText = "markdown"
    """How `.txt` documents become chunks. `markdown`: like any other; `fixed`: windows of at most max tokens over the
    whole text, whatever stands in it. A strategy that is set is used for them, too."""
    mdx: bool | None = None
    """Whether the document is MDX; if not set, the file name decides."""
    include_parent_headers: bool = False
    """Whether `header` writes the heading path into the text."""
    join_short_files: bool = False
    """Whether `window` makes one chunk of a file below max, whatever its headings."""
    breadcrumb: bool = True
    """Whether `embed_text` starts with the breadcrumb."""

    def __post_init__(self) -> None:
        for name, value in (("counter", self.counter), ("keep_whole", self.keep_whole)):
            object.__setattr__(self, name, check_value(name, value))
        for name in _CHECKED_IN_PLACE:
            check_value(name, getattr(self, name))
        _check_budgets(self.min_tokens, self.target_tokens, self.max_tokens, self.overlap_tokens)
        if self.oversized == "split" and self.strategy in _KEEP_THE_CAP and self.counter in ENCODINGS:
            _check_max_holds_a_character(self.max_tokens, self.counter)


def check_value(name: str, value: object) -> Any:
    """The value of one setting in its normal form, or a SettingsError that says what is allowed."""
    return _CHECKS[name](name, value)


def _check_budgets(smallest: int, target: int, largest: int, overlap: int) -> None:
    if smallest > largest:
        raise SettingsError(
            f"min_tokens {shown(smallest)} is above max_tokens {shown(largest)}",
            remedy=f"lower min_tokens to at most {shown(largest)}, or raise max_tokens",
        )
    if target > largest:
        raise SettingsError(
            f"target_tokens {shown(target)} is above max_tokens {shown(largest)}",
            remedy=f"lower target_tokens to at most {shown(largest)}, or raise max_tokens",
        )
    if smallest > target:
        raise SettingsError(
            f"min_tokens {shown(smallest)} is above target_tokens {shown(target)}",
            remedy=f"lower min_tokens to at most {shown(target)}, or raise target_tokens",
        )
    if overlap >= largest:
        raise SettingsError(
            f"overlap_tokens {shown(overlap)} is not below max_tokens {shown(largest)}",
            remedy=f"lower overlap_tokens, to {shown(largest // 8)} for instance, or raise max_tokens",
        )


def _check_max_holds_a_character(largest: int, counter: object) -> None:
    if largest < MOST_BYTES:
        raise SettingsError(
            f"max_tokens {largest} is too small: a single character may have {MOST_BYTES} tokens of {counter}",
            remedy=f"raise max_tokens to at least {MOST_BYTES}, or set oversized to keep",
        )


def _one_of(*allowed: str) -> Callable[[str, object], str]:
    def check(name: str, value: object) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        remedy = nearest(value, allowed) if isinstance(value, str) else f"use {', '.join(allowed)}"
        raise SettingsError(f"{name} {shown(value)} is not known", remedy=remedy)

    return check


def _whole_number(least: int, most: int | None = None) -> Callable[[str, object], int]:
    allowed = f"{least} or more" if most is None else f"from {least} to {most}"

    def check(name: str, value: object) -> int:
        # True and False are integers to Python, but no sizes.
        if not isinstance(value, int) or isinstance(value, bool):
            raise SettingsError(f"{name} {shown(value)} is not a whole number", remedy=f"give a number, {allowed}")
        if value < least:
            raise SettingsError(f"{name} {shown(value)} is too small", remedy=f"give a number, {allowed}")
        if most is not None and value > most:
            raise SettingsError(f"{name} {shown(value)} is too large", remedy=f"give a number, {allowed}")
        return value

    return check


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise SettingsError(f"{name} {shown(value)} is neither true nor false", remedy="give true or false")


def _switch_or_none(name: str, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise SettingsError(
        f"{name} {shown(value)} is neither true nor false", remedy="give true or false, or nothing to go by file name"
    )


def _counter(name: str, value: object) -> object:
    if isinstance(value, PathLike):
        value = fspath(value)
    if isinstance(value, str):
        if value in COUNTERS or is_path_of_tokenizer(value):
            return value
        remedy = nearest(value, COUNTERS, otherwise="give the path of a tokenizer.json")
        raise SettingsError(f"{name} {shown(value)} is not known", remedy=remedy)
    if not isinstance(value, Counter) and not callable(value):
        remedy = f"use {', '.join(COUNTERS)}, the path of a tokenizer.json, or a function"
        raise SettingsError(f"{name} {shown(value)} is not known", remedy=remedy)
    try:
        hash(value)
    except TypeError:
        raise SettingsError(
            f"{name} {shown(value)} cannot be hashed", remedy="give a function, or define __hash__"
        ) from None
    return value


def is_path_of_tokenizer(counter: str) -> bool:
    """Whether a counter without a known name must be a file."""
    return counter.endswith(".json") or "/" in counter or "\\" in counter


def _kinds(name: str, value: object) -> frozenset[str]:
    if not isinstance(value, (frozenset, set, list, tuple)):
        raise SettingsError(
            f"{name} {shown(value)} is not a collection of block kinds", remedy='give a list such as ["code", "table"]'
        )
    return frozenset(check_kind(name, kind) for kind in value)


def check_kind(name: str, kind: object) -> str:
    """A kind of block, checked; `name` is the setting that an error mentions."""
    if isinstance(kind, str) and kind in BLOCK_KINDS:
        return kind
    remedy = nearest(kind, BLOCK_KINDS) if isinstance(kind, str) else f"use {', '.join(BLOCK_KINDS)}"
    raise SettingsError(f"{name}: {shown(kind)} is not a kind of block", remedy=remedy)


RANGES: dict[str, tuple[int, int | None]] = {
    "heading_depth": (1, 6),
    "target_tokens": (1, None),
    "max_tokens": (1, None),
    "min_tokens": (0, None),
    "overlap_tokens": (0, None),
}
"""Setting that is a whole number → its minimum and maximum."""

WORDS: dict[str, tuple[str, ...]] = {
    "strategy": get_args(Strategy),
    "boundaries": get_args(Boundaries),
    "packing": get_args(Packing),
    "bias": get_args(Bias),
    "oversized": get_args(Oversized),
    "frontmatter": get_args(FrontmatterMode),
    "plain_text": get_args(PlainText),
}
"""Setting that is one of some words → these words."""

_CHECKS: dict[str, Callable[[str, object], object]] = {
    "counter": _counter,
    "merge": _switch,
    "keep_whole": _kinds,
    "mdx": _switch_or_none,
    "include_parent_headers": _switch,
    "join_short_files": _switch,
    "overlap_across_sections": _switch,
    "breadcrumb": _switch,
    **{name: _one_of(*words) for name, words in WORDS.items()},
    **{name: _whole_number(*allowed) for name, allowed in RANGES.items()},
}

FIELD_NAMES: tuple[str, ...] = tuple(field.name for field in fields(Settings))
"""Every setting, in the order in which they are shown."""

_CHECKED_IN_PLACE = tuple(name for name in FIELD_NAMES if name not in ("counter", "keep_whole"))


# -- The settings that `chunk` and its relatives take by keyword, for type checkers.


class ChunkOptions(TypedDict, total=False):
    """Every field of `Settings`, and the basic names `size` and `overlap`; a test keeps them equal.

    Four fields also take other forms than the one `Settings` stores.
    """

    strategy: Strategy | Literal["fixed"]
    boundaries: Boundaries
    packing: Packing
    heading_depth: int
    counter: str | PathLike[str] | Callable[[str], int] | Counter
    bias: Bias
    target_tokens: int
    max_tokens: int
    min_tokens: int
    overlap_tokens: int
    overlap_across_sections: bool
    merge: bool
    oversized: Oversized | Mapping[str, Oversized]
    keep_whole: Collection[str]
    frontmatter: FrontmatterMode
    plain_text: PlainText
    mdx: bool | None
    include_parent_headers: bool
    join_short_files: bool
    breadcrumb: bool
    size: Literal["small", "medium", "large"] | int
    overlap: Literal["none", "low", "medium", "high"] | int

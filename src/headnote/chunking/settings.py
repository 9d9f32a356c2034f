"""One frozen `Settings` that cannot be invalid: the constructor checks every value.

Presets are in `presets.py`, names of other systems in `aliases.py`, files in `config/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Annotated, Any, Literal, TypedDict, get_args, get_origin, get_type_hints

from headnote.arguments import Bounds, check_switch, check_whole_number, check_word, expect, said
from headnote.errors import SettingsError, nearest, shown
from headnote.model import BlockKind
from headnote.tokens import NAMES as COUNTERS
from headnote.tokens import Counter
from headnote.tokens.bpe import ENCODINGS, MAX_BYTES

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
    heading_depth: Annotated[int, Bounds(1, 6)] = 6
    """Deepest heading level that starts a section, 1 to 6."""
    counter: str | Callable[[str], int] | Counter = "cl100k"
    """The token counter: one with a name, the path of a `tokenizer.json`, or, in Python, a function that returns the
    size of a text."""
    bias: Bias = "balanced"
    """What kind of text the counter `estimate` assumes: `balanced` (4 characters per token in prose, 2.75 in code),
    `prose` (4.4 and 3.0) or `code` (3.6 and 2.4)."""
    target_tokens: Annotated[int, Bounds(1)] = 384
    """Preferred size in `block`: a chunk that reaches it is closed. Other strategies fill chunks up to max."""
    max_tokens: Annotated[int, Bounds(1)] = 512
    """Hard limit, including breadcrumb, overlap, and repeated fences and table headers."""
    min_tokens: Annotated[int, Bounds(0)] = 96
    """A smaller chunk is merged with a neighbour if the two fit together; not in `window`."""
    overlap_tokens: Annotated[int, Bounds(0)] = 0
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
    document_title: bool = True
    """Whether the breadcrumb begins with the `title` of the frontmatter, unless the outermost heading says the same."""
    comments: bool = False
    """Whether comments are text like any other: `<!-- … -->`, `%% … %%`, and `{/* … */}` in MDX. If not, they are
    neither embedded nor searched nor shown; only the text of a chunk keeps them."""

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
    if name in WORDS:
        return check_word(value, WORDS[name], name)
    if name in RANGES:
        return check_whole_number(value, RANGES[name], name)
    return _OTHERS[name](value, name)


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
    if largest < MAX_BYTES:
        raise SettingsError(
            f"max_tokens {largest} is too small: a single character may have {MAX_BYTES} tokens of {counter}",
            remedy=f"raise max_tokens to at least {MAX_BYTES}, or set oversized to keep",
        )


def _counter(value: object, name: str) -> object:
    if isinstance(value, PathLike):
        value = fspath(value)
    if isinstance(value, str):
        if value in COUNTERS or is_path_of_tokenizer(value):
            return value
        remedy = nearest(value, COUNTERS, otherwise="give the path of a tokenizer.json")
        raise SettingsError(f"{said(value, name)} is not known", remedy=remedy)
    is_counter = isinstance(value, Counter) or callable(value)
    expect(is_counter, value, "known", f"use {', '.join(COUNTERS)}, the path of a tokenizer.json, or a function", name)
    try:
        hash(value)
    except TypeError:
        remedy = "give a function, or define __hash__"
        raise SettingsError(f"{said(value, name)} cannot be hashed", remedy=remedy) from None
    return value


def is_path_of_tokenizer(counter: str) -> bool:
    """Whether a counter without a known name must be a file."""
    return counter.endswith(".json") or "/" in counter or "\\" in counter


def _kinds(value: object, name: str) -> frozenset[str]:
    if not isinstance(value, (frozenset, set, list, tuple)):
        remedy = 'give a list such as ["code", "table"]'
        raise SettingsError(f"{said(value, name)} is not a collection of block kinds", remedy=remedy)
    return frozenset(check_kind(name, kind) for kind in value)


def check_kind(name: str, kind: object) -> str:
    """A kind of block, checked; `name` is the setting that an error mentions."""
    return check_word(kind, BLOCK_KINDS, f"{name}:", "a kind of block")


def _mdx(value: object, name: str) -> bool | None:
    return None if value is None else check_switch(value, name, "give true or false, or nothing to go by file name")


# -- What a setting may be, by its type: a new one needs a line in `Settings`, and in `ChunkOptions` for type checkers.


_TYPES = get_type_hints(Settings, include_extras=True)

RANGES: dict[str, Bounds] = {
    name: kind.__metadata__[0] for name, kind in _TYPES.items() if get_origin(kind) is Annotated
}
"""Setting that is a whole number → its minimum and maximum."""

WORDS: dict[str, tuple[str, ...]] = {
    name: get_args(kind) for name, kind in _TYPES.items() if get_origin(kind) is Literal
}
"""Setting that is one of some words → these words."""

_OTHERS: dict[str, Callable[[object, str], object]] = {
    "counter": _counter,
    "keep_whole": _kinds,
    "mdx": _mdx,
    **{name: check_switch for name, kind in _TYPES.items() if kind is bool},
}

FIELD_NAMES: tuple[str, ...] = tuple(_TYPES)
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
    document_title: bool
    comments: bool
    size: Literal["small", "medium", "large"] | int
    overlap: Literal["none", "low", "medium", "high"] | int

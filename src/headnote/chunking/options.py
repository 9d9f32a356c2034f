"""The settings that `chunk` and its relatives take by keyword, for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from os import PathLike
from typing import Literal, TypedDict

from headnote.chunking.settings import Bias, Boundaries, FrontmatterMode, Oversized, Packing, PlainText, Strategy
from headnote.tokens import Counter


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

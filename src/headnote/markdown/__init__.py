"""Text → blocks → headings and links. Knows nothing of what is made from them."""

from __future__ import annotations

from headnote.arguments import check_types
from headnote.model import Block

__all__ = ["parse"]


def parse(text: str, mdx: bool = False) -> list[Block]:
    """The top-level blocks of a Markdown document, in order, with exact positions.

    Blocks and the blank lines between them cover the text. With `mdx`, imports, exports, components and expressions
    are blocks of their own. No input raises: malformed Markdown is read as CommonMark prescribes.
    """
    # Late: a search needs some modules of this package, and none of the rules.
    from headnote.markdown.scanner import scan

    check_types(text=(text, str), mdx=(mdx, bool))
    return scan(text, mdx)

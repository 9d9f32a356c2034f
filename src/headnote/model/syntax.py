"""What Markdown contains, each with its place in the source."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

BlockKind = Literal[
    "frontmatter",
    "heading",
    "paragraph",
    "code",
    "list",
    "table",
    "quote",
    "html",
    "rule",
    "definition",
    "footnote",
    "directive",
    "mdx_esm",
    "mdx_jsx",
    "mdx_expression",
]


CODE_LIKE: Final = frozenset({"code", "mdx_esm", "mdx_jsx", "mdx_expression", "html", "frontmatter"})
"""Kinds of blocks that are estimated as code."""


class Block(NamedTuple):
    """One top-level construct of a document: whole lines, without the final line end."""

    kind: BlockKind
    """Which construct it is."""
    start: int
    """Offset of the first character, at the start of its first line, including indentation."""
    end: int
    """Offset just past the last character of its last line; the line end is not part of it."""
    start_line: int
    """First line in the file, 1-based."""
    end_line: int
    """Last line in the file, inclusive."""
    level: int = 0
    """1 to 6 for a heading, 0 for everything else."""
    info: str = ""
    """Info string of a fence, `yaml` or `toml` for frontmatter, label of a definition or footnote, name of a JSX
    component; empty otherwise."""


class Heading(NamedTuple):
    """A top-level heading, as a reader and as a link sees it."""

    level: int
    """1 to 6."""
    text: str
    """Plain text: inline markup, closing hashes and explicit ids removed."""
    slug: str
    """Anchor, unique in the document: an explicit `{#id}`, or the one that GitHub generates from the text."""
    path: tuple[str, ...]
    """The heading stack after this heading was pushed, itself last."""
    block: int
    """Index of its block in the document's blocks."""
    start_line: int
    """Its first line in the file, 1-based."""


class Section(NamedTuple):
    """A heading and what follows it, up to the next heading of the requested depth."""

    heading: Heading | None
    """None for the preamble, the text before the first heading."""
    path: tuple[str, ...]
    """Heading stack of the section; empty for the preamble."""
    first_block: int
    """Index of its first block: the heading, if there is one."""
    last_block: int
    """Index just past its last block."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset just past its last character."""
    start_line: int
    """First line, from 1."""
    end_line: int
    """Last line, inclusive."""


LinkKind = Literal["link", "image", "autolink", "wikilink", "embed"]


class Link(NamedTuple):
    """A reference from this document to something else, with its position in the source."""

    kind: LinkKind
    """`link` and `image` are Markdown's, inline or by reference; `embed` is `![[x]]`."""
    target: str
    """Where it points, without the fragment; empty for a link within the page."""
    fragment: str
    """The part of the target after the first `#`; empty if there is none."""
    text: str
    """Plain text a reader sees: link text, alt text, alias, or the target itself."""
    start: int
    """Offset of the first character of the link in the source."""
    end: int
    """Offset just past its last character."""


class Tag(NamedTuple):
    """An inline `#tag`, without the hash, with its position in the source."""

    name: str
    """Without the hash."""
    start: int
    """Offset of the hash."""
    end: int
    """Offset just past the last character."""


class Frontmatter(NamedTuple):
    """The metadata block at the very start of a file."""

    format: Literal["yaml", "toml"]
    """How it is written."""
    data: dict[str, Any]
    """Parsed fields; empty when the block is empty or could not be read."""
    warning: str = ""
    """Why it could not be read, with the line in the file; empty if it could."""

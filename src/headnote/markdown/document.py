"""One document: a text, and everything that is read in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property

from headnote.markdown import frontmatter
from headnote.markdown.comments import Extent, comments
from headnote.markdown.headings import OutlineEntry, heading_text, heading_texts, leading_title, outline, span_headings
from headnote.markdown.links import links_and_tags
from headnote.markdown.rules.rule import Span
from headnote.markdown.scanner import place, scan_spans
from headnote.markdown.shown_headings import shown_heading
from headnote.model import Block, Frontmatter, Heading, Link, Tag, file_name

_NO_FRONTMATTER = Frontmatter("yaml", {})


def is_mdx(path: str | os.PathLike[str], override: bool | None = None) -> bool:
    """Whether a file is MDX: by its name, unless a setting says so or says otherwise."""
    return os.fspath(path).lower().endswith(".mdx") if override is None else override


class Document:
    """A text that is parsed at most once, and only as far as needed.

    Each property is computed on first access and cached, so everything that shares a document shares the work.
    """

    def __init__(self, text: str, path: str = "", mdx: bool | None = None, has_metadata: bool = True) -> None:
        self.text = text
        self.path = path
        """Names the document; empty for a text that comes from no file."""
        self.mdx = is_mdx(path, mdx)
        self.has_metadata = has_metadata
        """Whether its frontmatter says something about it. Without, that is only a block to leave out."""

    @cached_property
    def spans(self) -> list[Span]:
        """The blocks without line numbers. Counting lines takes a quarter of the scan, and chunking needs none."""
        return scan_spans(self.text, self.mdx)

    @cached_property
    def blocks(self) -> list[Block]:
        """Top-level blocks, in order."""
        return place(self.text, self.spans)

    @cached_property
    def headings(self) -> list[Heading]:
        """Top-level headings, in order."""
        return span_headings(self.text, self.spans)

    def heading_text(self, start: int, end: int, definitions: Mapping[str, str] | None = None) -> str:
        """What a reader sees of the heading in this range, for those who need no anchors."""
        return heading_text(self.text, start, end, definitions)

    def heading_texts(self, blocks: list[Span], indices: list[int]) -> list[str]:
        """The same for many: the blocks with these indices."""
        return heading_texts(self.text, blocks, indices)

    @cached_property
    def outline(self) -> list[OutlineEntry]:
        """The headings with the extent of everything below each."""
        return outline(self.text, self.headings, self.spans)

    @cached_property
    def frontmatter(self) -> Frontmatter:
        """What the block at the very start says; without fields if there is none, or if it is ignored."""
        if not self.has_metadata or not self.spans or self.spans[0][0] != "frontmatter":
            return _NO_FRONTMATTER
        (block,) = place(self.text, self.spans[:1])
        return frontmatter.read_frontmatter(self.text, block)

    @cached_property
    def given_title(self) -> str:
        """The `title` of the frontmatter; empty if there is none."""
        return frontmatter.title(self.frontmatter.data)

    @cached_property
    def title(self) -> str:
        """The `title` of the frontmatter, else the heading that leads the text as people read it, else the name of the
        file."""
        leading = leading_title(self.text, self.spans, self.headings)
        return self.given_title or shown_heading(leading) or file_name(self.path)

    @cached_property
    def tags(self) -> list[str]:
        """The tags of the frontmatter; `inline_tags` are those in the text."""
        return frontmatter.tags(self.frontmatter.data)

    @cached_property
    def aliases(self) -> list[str]:
        """The aliases of the frontmatter: other names that links may use."""
        return frontmatter.aliases(self.frontmatter.data)

    @cached_property
    def comments(self) -> list[Extent]:
        """Where its comments stand, in order; none in code."""
        return comments(self.text, self.spans, self.mdx)

    @property
    def links(self) -> list[Link]:
        """Links of every form, by position; none from code."""
        return self._links_and_tags[0]

    @property
    def inline_tags(self) -> list[Tag]:
        """Every `#tag` in the text, by position; none from code."""
        return self._links_and_tags[1]

    @cached_property
    def _links_and_tags(self) -> tuple[list[Link], list[Tag]]:
        return links_and_tags(self.text, self.spans, self.mdx)

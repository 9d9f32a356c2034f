"""What documents in other formats share: their blocks come from a parser of their own, and so do their titles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from headnote.lines import count_line_ends
from headnote.markdown.comments import Extent
from headnote.markdown.document import Document
from headnote.markdown.headings import HeadingStack, Slugs, github_slug
from headnote.markdown.rules.rule import Span
from headnote.model import Block, Frontmatter, Heading, Tag


class Title(NamedTuple):
    """What a heading says."""

    text: str
    anchor: str = ""
    """As its author gave it; empty if the text makes it."""


class StructuredDocument(Document, ABC):
    """A document whose `spans` and `titles` a parser finds. Blocks may share a line."""

    @property
    @abstractmethod
    def titles(self) -> Mapping[int, Title]:
        """Where a heading begins → what it says."""

    @cached_property
    def blocks(self) -> list[Block]:
        blocks: list[Block] = []
        line, at = 1, 0
        for kind, start, end, level, info in self.spans:
            line += _lines_between(self.text, at, start)
            first, at = line, end
            line += _lines_between(self.text, start, end)
            blocks.append(Block(kind, start, end, first, line, level, info))
        return blocks

    @cached_property
    def headings(self) -> list[Heading]:
        stack, slugs = HeadingStack(), Slugs()
        found = []
        for number, block in enumerate(self.blocks):
            if block.kind == "heading":
                text, anchor = self.titles[block.start]
                slug = slugs.unique(anchor or github_slug(text))
                path = stack.push(block.level, text)
                found.append(Heading(block.level, text, slug, path, number, block.start_line))
        return found

    def heading_text(self, start: int, end: int, definitions: Mapping[str, str] | None = None) -> str:  # noqa: ARG002
        return self.titles[start].text

    def heading_texts(self, blocks: list[Span], indices: list[int]) -> list[str]:
        return [self.titles[blocks[index][1]].text for index in indices]

    @cached_property
    def frontmatter(self) -> Frontmatter:
        return Frontmatter("yaml", {})

    @property
    def comments(self) -> list[Extent]:  # its parser has left them out
        return []

    @property
    def inline_tags(self) -> list[Tag]:
        return []


def _lines_between(text: str, start: int, end: int) -> int:
    return count_line_ends(text[start:end])

"""Drafts → chunks: ids, positions, text, and everything that is worked out only when asked for."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from functools import cached_property
from typing import Any, TypeVar

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft, number_parts
from headnote.model import Chunk, Link, Tag

_Placed = TypeVar("_Placed", Link, Tag)

_ID_FORMS = {
    "window": "{path}#{index}",
    "block": "{path}#{index}",
    "section": "{path}:{index}",
    "header": "{doc_id}_chunk_{section}",
    "none": "{doc_id}_chunk_{section}",
}
_SEPARATORS = ("#", ":", "_chunk_")
"""What stands behind the path, in ids and in keys."""


def paths_in_id(name: str) -> list[str]:
    """The documents that an id or a key may belong to."""
    return [name.rpartition(separator)[0] for separator in _SEPARATORS if separator in name]


def records(context: ChunkingContext, drafts: list[Draft], modified: float | None = None) -> list[Chunk]:
    """The finished chunks of a page, which share one sheet."""
    if not drafts and context.settings.strategy == "window":
        drafts = [Draft(len(context.text), len(context.text), 0, 0, (), 0)]
    number_parts(drafts)
    document = DocumentChunks(context, modified)
    document.chunks = [
        Chunk(
            document,
            index,
            draft.section,
            draft.part,
            draft.start,
            draft.end,
            draft.prefix,
            draft.suffix,
            draft.overlap,
            draft.heading_path,
            context.number_of(draft.block_start),
            context.number_of(draft.block_end),
        )
        for index, draft in enumerate(drafts)
    ]
    return list(document.chunks)


class DocumentChunks:
    """What the chunks of one document have in common, and how their costlier fields come about."""

    def __init__(self, context: ChunkingContext, modified: float | None) -> None:
        self.context = context
        self.path = context.path
        self.doc_id = context.path
        self.modified = modified
        self.chunks: list[Chunk] = []

    def id_of(self, chunk: Chunk) -> str:
        form = _ID_FORMS[self.context.settings.strategy]
        name = form.format(path=self.path, doc_id=self.doc_id, index=chunk.index, section=chunk.section)
        return f"{name}_sub_{chunk.part}" if chunk.part is not None and form.endswith("{section}") else name

    def key_of(self, chunk: Chunk) -> str:
        return self._keys[chunk.index]

    @cached_property
    def _keys(self) -> list[str]:
        """Equal texts are told apart by how often they have occurred before."""
        seen: Counter[str] = Counter()
        keys = []
        for chunk in self.chunks:
            text = self.context.text[chunk.start : chunk.end].encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(text, digest_size=8).hexdigest()
            keys.append(f"{self.path}#{digest}-{seen[digest]}")
            seen[digest] += 1
        return keys

    def text_of(self, chunk: Chunk) -> str:
        return self.context.shown(chunk)

    def embed_text_of(self, chunk: Chunk) -> str:
        return self.context.embedded(chunk)

    def tokens_of(self, chunk: Chunk) -> int:
        return self._tokens[chunk.index]

    @cached_property
    def _tokens(self) -> list[int]:
        """All chunks in one go: a batch costs little more than one text."""
        return self.context.sizes(self.chunks)

    def lines_of(self, chunk: Chunk) -> tuple[int, int]:
        return self._lines[chunk.index]

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        """First and last line of every chunk, counted from one to the next."""
        text = self.context.text
        found: list[tuple[int, int]] = []
        line, at = 1, 0
        for chunk in self.chunks:
            line += line_ends(text, at, chunk.start)
            first = line
            at = _last_character(text, chunk.start, chunk.end)
            line += line_ends(text, chunk.start, at)
            found.append((first, line))
        return found

    def links_of(self, chunk: Chunk) -> tuple[Link, ...]:
        return _within(self.context.document.links, chunk)

    def tags_of(self, chunk: Chunk) -> tuple[str, ...]:
        document = self.context.document
        own = (tag.name for tag in _within(document.inline_tags, chunk))
        return tuple(dict.fromkeys([*(document.tags if self._has_metadata else ()), *own]))

    def metadata(self) -> dict[str, Any]:
        return self.context.document.frontmatter.data if self._has_metadata else {}

    @property
    def _has_metadata(self) -> bool:
        return self.context.settings.frontmatter != "strip"


def _last_character(text: str, start: int, end: int) -> int:
    """Where the last character begins; a line end of two characters is one."""
    last = max(end - 1, start)
    return last - 1 if last > start and text.startswith("\r\n", last - 1) else last


def line_ends(text: str, start: int, end: int) -> int:
    """How many lines end in this part of a text; one that ends in two characters ends with the second."""
    ends = text.count("\n", start, end)
    returns = text.count("\r", start, end)
    return ends + returns - text.count("\r\n", start, end + 1) if returns else ends


def _within(found: list[_Placed], chunk: Chunk) -> tuple[_Placed, ...]:
    """Those that begin in the own text of a chunk; they come sorted by start."""
    first = bisect_left(found, chunk.start, key=lambda one: one.start)
    last = bisect_left(found, chunk.end, key=lambda one: one.start)
    return tuple(found[first:last])

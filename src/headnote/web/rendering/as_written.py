"""A document whose markup is not drawn: its headings and paragraphs, and all else as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from headnote.markdown.document import Document
from headnote.model import Block


def blocks_as_written(document: Document, blocks: Sequence[Block]) -> str:
    """HTML that is not clean yet."""
    slugs = {heading.start_line: heading.slug for heading in document.headings}
    return "\n".join(_block(document, block, slugs.get(block.start_line, "")) for block in blocks)


def _block(document: Document, block: Block, slug: str) -> str:
    lines = f'data-start-line="{block.start_line}" data-end-line="{block.end_line}"'
    text = document.text[block.start : block.end]
    if block.kind == "heading":
        shown = escape(document.heading_text(block.start, block.end))
        return f'<h{block.level} {lines} data-anchor="{escape(slug)}">{shown}</h{block.level}>'
    if block.kind == "paragraph":
        return f"<p {lines}>{escape(text)}</p>"
    return f'<pre class="source" {lines}>{escape(text)}</pre>'

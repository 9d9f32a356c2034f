"""The stage: a text and settings in, chunks out. A strategy is a list of passes, in the order they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from os import PathLike, fspath
from typing import Unpack

from headnote.arguments import check_types
from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes import merge, pack, paragraphs, sections
from headnote.chunking.presets import settings_from
from headnote.chunking.records import records
from headnote.chunking.settings import ChunkOptions, Settings, Strategy
from headnote.formats.kinds import open_document
from headnote.markdown.document import Document
from headnote.model import Chunk

Pass = Callable[[ChunkingContext, list[Draft]], list[Draft]]

STRATEGIES: dict[Strategy, tuple[Pass, ...]] = {
    "window": (sections.by_heading_or_whole, sections.join_short_file, sections.split),
    "header": (sections.by_heading_or_paragraph, paragraphs.merge_adjacent, paragraphs.split, pack.last_characters),
    "section": (
        sections.by_heading,
        paragraphs.without_heading,
        paragraphs.merge_siblings,
        paragraphs.split,
        pack.whole_blocks,
    ),
    "block": (sections.by_boundaries, pack.pack, merge.small, merge.with_content, pack.whole_blocks),
    "none": (sections.whole,),
}


_PATH, _TIME = str | PathLike, Real | None
"""Made once: a call with a short text takes as long as to make them."""


# -- The stage: a text and settings in, chunks out.


def chunk(
    text: str,
    *,
    path: str | PathLike[str] = "",
    preset: str = "default",
    modified: float | None = None,
    settings: Settings | None = None,
    **options: Unpack[ChunkOptions],
) -> list[Chunk]:
    """The chunks of one document, in order.

    Settings are those of the preset, changed by single options; or pass complete `settings` instead of both.

    Args:
        text: A Markdown or MDX document.
        path: Names the document in ids, and turns MDX on if it ends in `.mdx`.
        preset: Named settings: `default`, `mdvdb`, `ragdocs`, `refdocs` or `blocks`.
        modified: When the file last changed, in seconds since 1970, for `Chunk.modified`.
        settings: Complete settings.
        **options: Single settings, such as `max_tokens=256`.
    """
    check_types(text=(text, str), path=(path, _PATH), modified=(modified, _TIME))
    checked = settings_from(preset, settings, options)
    return chunk_document(read_document(text, fspath(path), checked), checked, modified)


def read_document(text: str, path: str, settings: Settings) -> Document:
    """The document as these settings see it: as MDX or not, with what its frontmatter says or without."""
    return open_document(text, path, settings.mdx, has_metadata=settings.frontmatter != "strip")


def chunk_document(
    document: Document, settings: Settings, modified: float | None = None, passes: Sequence[Pass] = ()
) -> list[Chunk]:
    """The chunks of a document, which `read_document` has made with the same settings; by other passes than those of
    the strategy, if they are given."""
    if settings.plain_text == "fixed" and document.path.lower().endswith(".txt"):
        # Plain text has no headings, so none stands in front of a window, which would exceed max with it.
        settings = replace(settings, strategy="window", boundaries="paragraph", breadcrumb=False)
    context = ChunkingContext(document, settings)
    drafts: list[Draft] = []
    for run in passes or STRATEGIES[context.settings.strategy]:
        drafts = run(context, drafts)
    return records(context, drafts, modified)

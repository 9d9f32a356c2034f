"""The laws, each as a plain function: (source, chunks, settings) → what is wrong, one line each.

| law | function | how strictly |
|---|---|---|
| 1 nothing lost | `nothing_lost` | own ranges tile; between them only blanks, a byte order mark, skipped frontmatter |
| 2 the cap holds | `cap_holds` | `embed_text` is put together and counted here, by kind of block for an estimate |
| 4 positions | `positions_are_true` | text, lines, blocks and heading path are worked out a second time |
| 5 whole structures | `structures_are_whole` | a second parser finds the nested fences and tables |
| 6 no bare heading | `no_bare_headings` | a heading ends a chunk only if it does not fit together with what follows |

Law 6 yields to law 5: a block that fits by itself and not together with its heading is not cut for it. The heading is a
chunk of its own then, as in release notes whose lists just fill a chunk, and is in the breadcrumb of the block, too.

Laws 3 (deterministic), 7 (local edits), 8 (growth) and 9 (never raises) are about more than one run: see the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from layout import (
    CONTAINERS,
    Layout,
    Piece,
    Structure,
    counter_of,
    crumb_of,
    embedded,
    layout_for,
    masked_source,
    pieces,
    size_of,
    structures,
    structures_by_line,
)

from headnote.chunking.masking import MASK
from headnote.chunking.settings import Settings
from headnote.model import Chunk

Law = Callable[[str, Sequence[Chunk], Settings], list[str]]


def nothing_lost(source: str, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Law 1: every non-blank character belongs to exactly one chunk, except what is skipped on purpose."""
    wrong = []
    at = _skipped(source, settings)
    for chunk in chunks:
        if chunk.start < at:
            wrong.append(f"chunk {chunk.index} begins at {chunk.start}, inside the text covered up to {at}")
        elif source[at : chunk.start].strip():
            wrong.append(f"lost before chunk {chunk.index}: {source[at : chunk.start].strip()[:60]!r}")
        at = max(at, chunk.end)
    if source[at:].strip():
        wrong.append(f"lost at the end: {source[at:].strip()[:60]!r}")
    return wrong


def _skipped(source: str, settings: Settings) -> int:
    """Where the text begins that the chunks have to cover."""
    blocks = layout_for(source, settings).blocks
    if blocks and blocks[0].kind == "frontmatter" and settings.frontmatter != "include":
        return blocks[0].end
    return 1 if source.startswith("\ufeff") else 0


def cap_holds(source: str, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Law 2: breadcrumb, overlap and all that is repeated counted, no chunk is larger than max."""
    layout = layout_for(source, settings)
    shown = layout if settings.comments else replace(layout, source=masked_source(source, layout.mdx))
    wrong = []
    end_before = 0
    for chunk in chunks:
        if not shown.source[chunk.start : chunk.end].strip(MASK + " \t\r\n"):
            wrong += [f"chunk {chunk.index} embeds a comment"] if chunk.embed_text else []
            end_before = chunk.end
            continue
        crumb = crumb_of(layout, settings, chunk.heading_path)
        overlap = source[end_before - len(chunk.overlap) : end_before]
        if chunk.overlap != overlap:
            wrong.append(f"chunk {chunk.index} carries {chunk.overlap[:60]!r}, which is not the end of the one before")
            overlap = ""
        parts = [(crumb, False)]
        if overlap:
            parts += [*pieces(shown, end_before - len(overlap), end_before), ("\n\n", False)]
        parts += pieces(shown, chunk.start, chunk.end, chunk.prefix, chunk.suffix)
        wrong += _size_faults(chunk, settings, parts)
        end_before = chunk.end
    return wrong


def _size_faults(chunk: Chunk, settings: Settings, parts: Sequence[Piece]) -> list[str]:
    wrong = []
    text = embedded("".join(text for text, _ in parts))
    if chunk.embed_text != text:
        wrong.append(f"chunk {chunk.index} embeds {chunk.embed_text[:60]!r}, not {text[:60]!r}")
    size = size_of(settings, parts)
    if size != chunk.tokens:
        wrong.append(f"chunk {chunk.index} says {chunk.tokens} tokens and has {size}")
    if size > settings.max_tokens:
        wrong.append(f"chunk {chunk.index} has {size} tokens of {settings.max_tokens}")
    return wrong


def positions_are_true(source: str, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Law 4: `source[start:end]` is the chunk's own text; lines, blocks and headings are those of the file."""
    layout = layout_for(source, settings)
    wrong = []
    for index, chunk in enumerate(chunks):
        if chunk.index != index:
            wrong.append(f"chunk {index} says it is number {chunk.index}")
        if chunk.text != chunk.prefix + source[chunk.start : chunk.end] + chunk.suffix:
            wrong.append(f"chunk {index} shows {chunk.text[:60]!r}, not what stands at its place")
        if not 0 <= chunk.start < chunk.end <= len(source):
            wrong.append(f"chunk {index} lies at {chunk.start} to {chunk.end} of {len(source)}")
            continue
        lines = layout.line_of(chunk.start), layout.line_of(chunk.end - 1)
        if (chunk.start_line, chunk.end_line) != lines:
            wrong.append(f"chunk {index} says lines {chunk.start_line}-{chunk.end_line}, stands in {lines}")
        inside = layout.blocks_between(chunk.start, chunk.end)
        if (chunk.block_start, chunk.block_end) != (inside[0], inside[-1]):
            wrong.append(f"chunk {index} says blocks {chunk.block_start}-{chunk.block_end}, has {inside}")
        wrong += _path_faults(layout, chunk, inside)
        wrong += _needless_additions(layout, chunk, inside)
    return wrong


def _needless_additions(layout: Layout, chunk: Chunk, inside: range) -> list[str]:
    """Only what was cut open, or left open by its author, needs anything added."""
    wrong = []
    if chunk.prefix and chunk.start <= layout.starts[inside[0]]:
        wrong.append(f"chunk {chunk.index} begins with a block and carries {chunk.prefix[:60]!r} in front")
    is_whole = chunk.end >= layout.blocks[inside[-1]].end
    if chunk.suffix and is_whole and chunk.suffix.strip() != layout.closing(inside[-1]).strip():
        wrong.append(f"chunk {chunk.index} ends with a block and carries {chunk.suffix[:60]!r} behind")
    return wrong


def _path_faults(layout: Layout, chunk: Chunk, inside: range) -> list[str]:
    """The heading stack at the first content; of several sections, what they have in common.

    What stands above the first heading of the document goes with it and takes its path; where that heading is the last
    of the document, only if it fits.
    """
    below = [index for index in inside if layout.paths[index]] or inside
    content = next((index for index in below if layout.is_content(index)), inside[-1])
    path = layout.paths[content]
    if chunk.heading_path != path[: len(chunk.heading_path)]:
        return [f"chunk {chunk.index} is under {path}, says {chunk.heading_path}"]
    has_more = any(layout.blocks[index].kind == "heading" for index in inside if index > content)
    is_end = layout.blocks[content].kind == "heading" and layout.blocks[inside[0]].kind != "heading"
    if not has_more and not is_end and chunk.heading_path != path:
        return [f"chunk {chunk.index} has one content, under {path}, says {chunk.heading_path}"]
    return []


def structures_are_whole(source: str, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Law 5: a block that fits is never cut; every fence is closed; every part of a table has its header."""
    layout = layout_for(source, settings)
    wrong = []
    parts: dict[int, int] = {}
    excused: set[int] = set()
    by_index = {chunk.index: chunk for chunk in chunks}
    for before, chunk in pairwise(chunks):
        index = layout.block_at(chunk.start)
        if not layout.starts[index] < chunk.start < layout.blocks[index].end:
            continue
        if parts.get(before.index) != index:
            wrong += _needless_cut(layout, settings, index)
        parts[before.index] = parts[chunk.index] = index
        for each in _cut_structures(layout, index, chunk.start):
            if _is_too_large_to_repeat(layout, each, chunk, settings):
                excused |= {before.index, chunk.index}
            else:
                wrong += _not_repeated(each, before, chunk)
    for number, index in parts.items():
        if number not in excused:
            wrong += _left_open(layout, index, by_index[number])
    if chunks and chunks[-1].index not in excused:
        wrong += _end_left_open(layout, chunks[-1])
    return wrong


def _needless_cut(layout: Layout, settings: Settings, index: int) -> list[str]:
    block, crumb = layout.blocks[index], crumb_of(layout, settings, layout.paths[index])
    size = size_of(settings, [(crumb, False), *pieces(layout, block.start, block.end, after=layout.closing(index))])
    if settings.oversized == "keep" or block.kind in settings.keep_whole:
        return [f"the {block.kind} in line {block.start_line} must stay whole and is cut"]
    if size <= settings.max_tokens:
        return [f"the {block.kind} in line {block.start_line} has {size} tokens, fits, and is cut"]
    return []


def _cut_structures(layout: Layout, index: int, offset: int) -> list[Structure]:
    """The fences and tables that a cut goes through."""
    block = layout.blocks[index]
    if block.kind not in CONTAINERS | {"code", "table", "mdx_jsx"}:
        return []
    find = structures_by_line if block.kind == "mdx_jsx" else structures
    inside = find(layout.source, block.start, block.end)
    return [each for each in inside if each.start < offset < each.end]


def _is_too_large_to_repeat(layout: Layout, cut: Structure, chunk: Chunk, settings: Settings) -> bool:
    """The exception: what would take more than a third of the budget is not repeated in full."""
    counter = counter_of(settings)
    budget = settings.max_tokens - counter.count(crumb_of(layout, settings, chunk.heading_path))
    return counter.count("\n".join((*cut.opening, cut.mark)), code=True) > budget // 3


def _not_repeated(cut: Structure, before: Chunk, chunk: Chunk) -> list[str]:
    """What opens a fence or table must stand at the head of the next part, what closes a fence at the end of this."""
    wrong = []
    missing = [line for line in cut.opening if line not in chunk.prefix]
    if missing:
        wrong.append(f"chunk {chunk.index} begins in a {cut.kind} without {missing[0][:60]!r}")
    if cut.mark and cut.mark not in before.suffix:
        wrong.append(f"chunk {before.index} ends in a fence and does not close it")
    return wrong


def _left_open(layout: Layout, index: int, part: Chunk) -> list[str]:
    """A part that was cut, read by itself, has no open fence; unless one of its blocks has one in the source."""
    block = layout.blocks[index]
    if block.kind not in CONTAINERS | {"code", "mdx_jsx", "html"}:
        return []
    find = structures_by_line if block.kind == "mdx_jsx" else structures
    inside = _own_part(layout, index, part)
    if "```" not in inside and "~~~" not in inside:
        return []  # no fence, and most parts are read by nobody else
    if not any(not each.is_closed for each in find(inside, 0, len(inside))):
        return []
    if any(not each.is_closed for each in find(layout.source, block.start, block.end)):
        return []
    return [f"chunk {part.index}, a part of the {block.kind} in line {block.start_line}, has an open fence"]


def _own_part(layout: Layout, index: int, part: Chunk) -> str:
    """What a chunk shows of one of its blocks."""
    block = layout.blocks[index]
    prefix = part.prefix if part.start >= block.start else ""
    suffix = part.suffix if part.end <= block.end else ""
    return prefix + layout.source[max(part.start, block.start) : min(part.end, block.end)] + suffix


def _end_left_open(layout: Layout, last: Chunk) -> list[str]:
    closing = layout.closing(len(layout.blocks) - 1)
    if closing and last.suffix.strip() != closing.strip():
        return [f"the last chunk leaves its fence open: {last.text[-30:]!r}"]
    return []


def no_bare_headings(source: str, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Law 6: no empty chunk, and none that ends in a heading which would fit together with what follows it.

    What follows is a whole chunk: law 5 comes first, so no block is cut to keep a heading company.
    """
    layout = layout_for(source, settings)
    wrong = [f"chunk {chunk.index} is empty" for chunk in chunks if not chunk.text.strip()]
    for chunk, following in pairwise(chunks):
        inside = layout.blocks_between(chunk.start, chunk.end)
        if not inside or layout.blocks[inside[-1]].kind != "heading":
            continue
        if source[chunk.end : layout.blocks[inside[-1]].end].strip():
            continue
        first = inside[-1]
        while first > inside[0] and layout.blocks[first - 1].kind == "heading":
            first -= 1
        size = _size_with_next(layout, settings, max(layout.starts[first], chunk.start), following)
        if size <= settings.max_tokens:
            wrong.append(f"chunk {chunk.index} ends in a heading; with what follows it would have {size} tokens")
    return wrong + _lonely_end(layout, chunks, settings)


def _size_with_next(layout: Layout, settings: Settings, start: int, following: Chunk) -> int:
    """Of the headings together with the first content of the next chunk, or with what it has of that block."""
    index, last = layout.block_at(following.start), layout.blocks_between(following.start, following.end)[-1]
    while index < last and not layout.is_content(index):
        index += 1
    end, closing = layout.blocks[index].end, layout.closing(index)
    if end > following.end:
        end, closing = following.end, following.suffix
    crumb = crumb_of(layout, settings, layout.paths[index])
    return size_of(settings, [(crumb, False), *pieces(layout, start, end, after=closing)])


def _lonely_end(layout: Layout, chunks: Sequence[Chunk], settings: Settings) -> list[str]:
    """Headings at the very end of a document have no content to join; they join what stands before them."""
    if len(chunks) < 2 or settings.boundaries == "heading" or not settings.merge:
        return []
    before, last = chunks[-2:]
    inside, inside_before = (layout.blocks_between(chunk.start, chunk.end) for chunk in (last, before))
    is_part = last.start > layout.starts[inside[0]]
    if is_part or any(map(layout.is_content, inside)):
        return []
    shared = tuple(a for a, b in zip(before.heading_path, last.heading_path, strict=False) if a == b)
    if not any(map(layout.is_content, inside_before)):
        shared = last.heading_path
    crumb = crumb_of(layout, settings, shared)
    size = size_of(settings, [(crumb, False), *pieces(layout, before.start, last.end, before.prefix)])
    if size <= settings.max_tokens:
        return [f"the last chunk is nothing but headings; with the one before it would have {size} tokens"]
    return []


LAWS: dict[str, Law] = {
    "1 nothing lost": nothing_lost,
    "2 the cap holds": cap_holds,
    "4 positions are true": positions_are_true,
    "5 structures are whole": structures_are_whole,
    "6 no bare headings": no_bare_headings,
}


def faults(source: str, chunks: Sequence[Chunk], settings: Settings, laws: Sequence[str] = tuple(LAWS)) -> list[str]:
    """Everything that is wrong, each with the law it breaks."""
    return [f"law {name}: {fault}" for name in laws for fault in LAWS[name](source, chunks, settings)]

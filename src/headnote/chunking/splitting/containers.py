"""Where containers are cut: between the blocks inside them."""

from __future__ import annotations

from headnote.chunking.splitting.leaves import by_line
from headnote.chunking.splitting.pieces import Piece
from headnote.chunking.splitting.units import IN_BLOCK, NO_SEAM
from headnote.markdown.rules.base import Reading
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import View, footnote_content, list_items, quote_content


def item(piece: Piece) -> list[Piece]:
    """The blocks in the content of a list item."""
    contents = list(list_items(piece.view, piece.start, piece.end))
    if len(contents) == 1:
        return _blocks(_content(piece, "item", contents[0]))
    return [_content(piece, "item", content, IN_BLOCK if number else None) for number, content in enumerate(contents)]


def quote(piece: Piece) -> list[Piece]:
    return _blocks(_content(piece, "quote", quote_content(piece.view, piece.start, piece.end)))


def footnote(piece: Piece) -> list[Piece]:
    return _blocks(_content(piece, "footnote", footnote_content(piece.view, piece.start, piece.end)))


def jsx_element(piece: Piece) -> list[Piece]:
    """The opening tag, the blocks inside, the closing tag; the tags stay with what is next to them."""
    text = piece.view.text
    inner = min(flow_at(text, piece.start, Reading()).end + 1, piece.end)
    closing = max(text.rfind("\n", inner, piece.end) + 1, inner)
    blocks = _blocks(piece._replace(start=inner, end=closing)) if inner < closing else []
    if not blocks:
        return by_line(piece).parts()
    blocks[0] = blocks[0]._replace(strength=NO_SEAM)
    opening_tag = piece._replace(kind="line", end=inner)
    closing_tag = piece._replace(kind="line", start=closing, strength=NO_SEAM)
    return [opening_tag, *blocks, closing_tag]


def _content(container: Piece, kind: str, view: View, strength: int | None = None) -> Piece:
    """The content of a container as a piece; by default, its beginning is as good a place to cut as the container's."""
    return Piece(
        kind=kind,
        source=container.source,
        view=View(view.text + "\n", view.starts, view.shifts),
        start=0,
        end=len(view.text),
        strength=container.strength if strength is None else strength,
        mdx=container.mdx,
    )


def _blocks(content: Piece) -> list[Piece]:
    # The line end in front keeps what looks like frontmatter from being read as such.
    spans = scan_spans("\n" + content.text, content.mdx)
    shift = content.start - 1
    bare = content._replace(before="", after="", reopen="", close="")
    return [
        bare.part(kind, shift + start, shift + end, IN_BLOCK if number else content.strength)
        for number, (kind, start, end, _, _) in enumerate(spans)
    ]

"""What a chunk carries besides its own text, written down in few bytes.

Most of it is said elsewhere: the breadcrumb by the heading path, the overlap by the source itself. So only the order
of things is kept, and what is said nowhere else.
"""

from __future__ import annotations

import json

from headnote.model import breadcrumb_of
from headnote.store.rows import ChunkRow
from headnote.store.values import escaped, unescaped

_CRUMB, _OVERLAP = 0, 1
"""What stands for them in a row of pieces, among strings that stand for themselves."""
_NEARBY = 256
"""Characters before a chunk, besides the overlap itself, where the overlap is looked for in the source."""

Carried = tuple[str, str, str, str, str]
"""front, lead, prefix, suffix, overlap"""


def carried_of(row: ChunkRow, source: str) -> str | None:
    """None for what most chunks have: the breadcrumb in front, and nothing else."""
    crumb = _crumb(row.heading_path)
    if row.front == crumb and not (row.lead or row.prefix or row.suffix or row.overlap):
        return None
    front, lead = (_pieces(text, crumb, row.overlap) for text in (row.front, row.lead))
    overlap = _place(row.overlap, row.start, source)
    return escaped(
        json.dumps([front, lead, row.prefix, row.suffix, overlap], ensure_ascii=False, separators=(",", ":"))
    )


def read_carried(written: str | None, heading_path: tuple[str, ...], source: str) -> Carried:
    crumb = _crumb(heading_path)
    if written is None:
        return crumb, "", "", "", ""
    front, lead, prefix, suffix, place = json.loads(unescaped(written))
    overlap = place if isinstance(place, str) else source[place[0] : place[1]]
    parts = {_CRUMB: crumb, _OVERLAP: overlap}
    front, lead = ("".join(parts.get(piece, piece) for piece in pieces) for pieces in (front, lead))
    return front, lead, prefix, suffix, overlap


def _crumb(heading_path: tuple[str, ...]) -> str:
    text = breadcrumb_of(heading_path)
    return f"{text}\n\n" if text else ""


def _pieces(text: str, crumb: str, overlap: str) -> list[str | int]:
    """A sign for the overlap, a sign for the breadcrumb where the rest has one, and strings for all else."""
    for sign, known in ((_OVERLAP, overlap), (_CRUMB, crumb)):
        if known and known in text:
            before, _, after = text.partition(known)
            rest = crumb if sign == _OVERLAP else ""
            return [*_pieces(before, rest, ""), sign, *_pieces(after, rest, "")]
    return [text] if text else []


def _place(overlap: str, start: int, source: str) -> str | tuple[int, int]:
    at = source.rfind(overlap, max(0, start - len(overlap) - _NEARBY), start) if overlap else -1
    return overlap if at < 0 else (at, at + len(overlap))

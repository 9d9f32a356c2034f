"""How rows are written into the tables and read back, the same in both databases.

Three layers: text that every database accepts, values of any kind as such text, and the columns of each table.
"""

from __future__ import annotations

import datetime
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, get_args

from headnote.chunking.masking import masked
from headnote.model import LinkKind, file_name
from headnote.model.chunk import BREADCRUMB, OVERLAP, Pieces
from headnote.sources.repository import ListedFile
from headnote.store.filters import flat_fields, folded_tag
from headnote.store.integrity import integer
from headnote.store.keyword_fields import keyword_fields
from headnote.store.quantized import name_hash, names_of
from headnote.store.rows import (
    DATE_ORIGINS,
    ChunkPlace,
    ChunkRow,
    Columns,
    Dated,
    Dates,
    DocumentEntry,
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    Extents,
    LinkRow,
    NonText,
    Parent,
    PlacedHeading,
    Row,
    StoredChunk,
)
from headnote.words.languages import language_of
from headnote.words.name_keys import NAME_KINDS, NameKind, numbers_of_name

# -- text

# No database accepts lone surrogates, which is how Python spells a byte of a file name that is not UTF-8; some do not
# accept NUL. The escape is a code point that no text may use, and is escaped itself.
_ESCAPE = "\uffff"
_UNSAFE = re.compile(r"[\0\uffff\ud800-\udfff]")
_ESCAPED = re.compile("\uffff([0-9a-f]{4})")


def escaped(text: str) -> str:
    if text.isascii() and "\0" not in text:
        return text
    return _UNSAFE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text


COMPRESSED = b"\xff"
"""The first byte of a text that is compressed; no other text begins with it, because UTF-8 never uses it."""
_MAX_INFLATED = 1 << 24
"""Bytes of a text that is stored compressed: longer ones are stored as they are."""
_MAX_RATIO = 64
_ALWAYS_INFLATED = 1 << 16
"""A compressed byte may stand for so many, and a short text for any number below this. A few of them could stand for
more than fits in memory, and prose has at most ten times as many."""

# -- values

_TAG = "$headnote"
"""Key of a mapping that stands for something JSON does not have."""
_KINDS: dict[str, Any] = {"datetime": datetime.datetime, "date": datetime.date, "time": datetime.time}


_written: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Write as JSON. `json.dumps` would create an encoder each time."""


def packed(value: Any) -> str:
    """Strings, numbers, dates, None, and lists and mappings of them."""
    return escaped(_written(_tagged(value)))


def unpacked(text: str) -> Any:
    return json.loads(unescaped(text), object_hook=_untagged)


def unpacked_mapping(text: str) -> dict[str, Any]:
    mapping = unpacked(text)
    if not isinstance(mapping, dict):
        raise TypeError(f"{text!r:.40} in place of a mapping")
    return mapping


def packed_strings(strings: Sequence[str]) -> str:
    """The same, faster, for strings only."""
    return escaped(_written(strings)) if strings else "[]"


def unpacked_strings(text: str) -> tuple[str, ...]:
    if text == "[]":
        return ()
    strings = json.loads(unescaped(text))
    if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
        raise TypeError(f"{text!r:.40} in place of a list of strings")
    return tuple(strings)


def packed_extents(extents: Extents) -> str:
    """Where each begins and ends."""
    return " ".join(map(str, chain.from_iterable(extents)))


def unpacked_extents(stored: str, text: str) -> Extents:
    if not stored:
        return ()
    places = list(map(int, stored.split(" ")))
    if len(places) % 2 or sorted(places) != places or places[0] < 0 or places[-1] > len(text):
        raise ValueError("comments that lie outside of the text")
    return tuple(zip(places[::2], places[1::2], strict=True))


def _tagged(value: Any) -> Any:
    if isinstance(value, dict):
        copied = {key: _tagged(item) for key, item in value.items()}
        return {_TAG: ["mapping", list(copied.items())]} if _TAG in copied else copied
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    for kind, type_ in _KINDS.items():  # a datetime is a date too, so it comes first
        if isinstance(value, type_):
            return {_TAG: [kind, value.isoformat()]}
    return value


def _untagged(mapping: dict[str, Any]) -> Any:
    if _TAG not in mapping:
        return mapping
    kind, value = mapping[_TAG]
    return dict(value) if kind == "mapping" else _KINDS[kind].fromisoformat(value)


# -- what a chunk carries besides its own text
#
# Most of it is stored elsewhere: the breadcrumb in the heading path, the overlap in the source. So only the order of
# the pieces is written, and what is nowhere else.

_NEARBY = 256
"""How far before a chunk, in characters beyond its own length, the overlap is looked for in the source."""

_MAX_PIECES = 5
"""Each sign once, and strings around them. One more could stand for any number of copies."""

CarriedPieces = tuple[Pieces, Pieces, str, str, str]
"""front, lead, prefix, suffix, overlap"""


def carried_of(row: ChunkRow, source: str) -> str | None:
    """None for most chunks, which have the breadcrumb in front and nothing else."""
    if row.front == _front(row.heading_path) and not (row.lead or row.prefix or row.suffix or row.overlap):
        return None
    overlap = _place(row.overlap, row.start, source)
    return escaped(_written([row.front, row.lead, row.prefix, row.suffix, overlap]))


def read_carried(stored: str | None, heading_path: tuple[str, ...], source: str) -> CarriedPieces:
    if stored is None:
        return _front(heading_path), (), "", "", ""
    front, lead, prefix, suffix, place = json.loads(unescaped(stored))
    overlap = place if isinstance(place, str) else source[place[0] : place[1]]
    return _read_pieces(front), _read_pieces(lead), prefix, suffix, overlap


def _front(heading_path: tuple[str, ...]) -> Pieces:
    """The breadcrumb and nothing else."""
    return (BREADCRUMB,) if any(heading_path) else ()


def _read_pieces(stored: list[Any]) -> Pieces:
    signs = [piece for piece in stored if not isinstance(piece, str)]
    is_known = all(isinstance(sign, int) and sign in (BREADCRUMB, OVERLAP) for sign in signs)
    if not is_known or len(stored) > _MAX_PIECES or len(set(signs)) < len(signs):
        raise ValueError("other pieces than a chunk carries")
    return tuple(stored)


def _place(overlap: str, start: int, source: str) -> str | tuple[int, int]:
    at = source.rfind(overlap, max(0, start - len(overlap) - _NEARBY), start) if overlap else -1
    return overlap if at < 0 else (at, at + len(overlap))


# -- rows → columns

_LINK_KINDS = frozenset(get_args(LinkKind))


def document_row(document: DocumentRow) -> Row:
    """All columns but the number and the text."""
    return (
        *(escaped(document.path), document.size, document.mtime_ns, escaped(document.hash), escaped(document.title)),
        *(packed(document.metadata), packed_strings(document.tags), packed_strings(document.aliases)),
        *(escaped(document.warning), int(document.mdx), packed_extents(document.comments)),
        *(name_hash(names_of(document.title, ())[0]), *_date_columns(document)),
    )


def _date_columns(document: DocumentRow) -> Row:
    frontmatter, git, name, best = document.dates
    return (frontmatter, git, name, *(best or Dated(document.mtime_ns)))


def stored_dated(time_ns: Any, origin: Any) -> Dated:
    if origin not in DATE_ORIGINS:
        raise ValueError(f"no origin of a date: {origin!r:.40}")
    return Dated(integer(time_ns), origin)


def non_text_row(file: NonText) -> Row:
    return escaped(file.path), file.size, file.mtime_ns, escaped(file.reason)


def text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def compressed(text: bytes, level: int) -> bytes:
    """A text as `text_of` reads it: shorter, if that can be."""
    packed = COMPRESSED + zlib.compress(text, level)
    return packed if len(packed) < len(text) <= _max_inflated(packed) else text


def text_of(data: bytes) -> str:
    return inflated(data).decode("utf-8", "surrogatepass")


def inflated(data: bytes) -> bytes:
    """A text as it was before it was compressed, if it was."""
    if data[:1] == COMPRESSED:
        unpacker = zlib.decompressobj()
        packed, data = data[1:], b""
        try:
            data = unpacker.decompress(packed, _max_inflated(packed))
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not unpacker.eof:
            raise ValueError("a compressed text that does not end, or is larger than texts are")
    return data


def _max_inflated(packed: bytes) -> int:
    return min(_MAX_INFLATED, max(_ALWAYS_INFLATED, _MAX_RATIO * len(packed)))


def chunk_row(document: DocumentRow, source: str, chunk: ChunkRow) -> Row:
    """All columns but the id and the number of the document, whose masked text is `source`."""
    return (
        *chunk[:10],
        bytes.fromhex(chunk.hash),
        escaped(chunk.id_tail),
        escaped(chunk.key_tail),
        packed_strings(chunk.heading_path),
        None if chunk.tags == document.tags else packed_strings(chunk.tags),
        carried_of(chunk, source),
        None if chunk.headings == chunk.heading_path[-1:] else packed_strings(chunk.headings),
        name_hash(names_of(document.title, chunk.heading_path)[-1]),
    )


def link_row(link: LinkRow) -> Row:
    """All columns but the number of the document."""
    return (
        *(link.chunk, link.line, link.kind),
        *(escaped(link.target), escaped(link.fragment), escaped(link.text), int(link.external)),
        None if link.resolved is None else escaped(link.resolved),
        None if link.section is None else escaped(link.section),
        link.resolved_chunk,
    )


def document_tags(document: DocumentRow, chunks: Iterable[ChunkRow]) -> list[str]:
    """What filters compare: a tag anywhere in the text is one of the document."""
    own = set(document.tags).union(*(chunk.tags for chunk in chunks if chunk.tags != document.tags))
    return sorted({escaped(tag) for tag in map(folded_tag, own) if tag})


def fields(document: DocumentRow) -> list[tuple[str, str]]:
    """Keys and values of its frontmatter."""
    return [(escaped(key), escaped(value)) for key, value in sorted(flat_fields(document.metadata))]


def names(document: DocumentRow | Parent, chunks: Iterable[ChunkRow]) -> list[tuple[int, int, int]]:
    """What a query may name: (number of a chunk, which kind of name it is, the number by which it is found)."""
    language = language_of(document.masked)
    found = {
        (chunk.number, NAME_KINDS.index(kind), number)
        for chunk in chunks
        for kind, name in called(document, chunk)
        for number in numbers_of_name(name, language)
    }
    return sorted(found)


def called(document: DocumentRow | Parent, chunk: ChunkRow) -> Iterator[tuple[NameKind, str]]:
    """The headings in a chunk; at the beginning of a document, the names of the document as well."""
    if chunk.number == 0:
        yield "title", document.title
        yield from (("alias", alias) for alias in document.aliases)
        yield "file name", file_name(document.path)
    yield from (("heading", heading) for heading in chunk.headings)


# -- columns → rows


def stored_document(columns: Sequence[Any], text: str) -> DocumentRow:
    """A document, from these columns and its text."""
    path, size, mtime_ns, digest, title, metadata, tags, aliases, warning, mdx, comments, *dates = columns
    return DocumentRow(
        path=unescaped(path),
        size=integer(size),
        mtime_ns=integer(mtime_ns),
        hash=unescaped(digest),
        title=unescaped(title),
        text=text,
        metadata=unpacked_mapping(metadata),
        tags=unpacked_strings(tags),
        aliases=unpacked_strings(aliases),
        warning=unescaped(warning),
        mdx=bool(mdx),
        comments=unpacked_extents(comments, text),
        dates=_stored_dates(dates),
    )


def _stored_dates(columns: Sequence[Any]) -> Dates:
    *said, time_ns, origin = columns
    frontmatter, git, name = (None if one is None else integer(one) for one in said)
    best = stored_dated(time_ns, origin)
    return Dates(frontmatter, git, name, None if best.origin == "mtime" else best)


def stored_head(columns: Sequence[Any]) -> DocumentHead:
    path, title, metadata, aliases = columns
    return DocumentHead(unescaped(path), unescaped(title), unpacked_mapping(metadata), unpacked_strings(aliases))


def stored_file(columns: Sequence[Any]) -> ListedFile:
    path, size, mtime_ns, digest = columns
    return ListedFile(unescaped(path), integer(size), integer(mtime_ns), unescaped(digest))


def stored_non_text(columns: Sequence[Any]) -> NonText:
    path, size, mtime_ns, reason = columns
    return NonText(unescaped(path), integer(size), integer(mtime_ns), unescaped(reason))


def stored_summaries(
    rows: Iterable[Sequence[Any]], tagged: Iterable[Sequence[str]], connections: Iterable[Sequence[str]]
) -> list[DocumentSummary]:
    """Sorted by path. `tagged` and `connections` are rows, too: (path, tag) and (path, other path)."""
    tags: dict[str, list[str]] = {}
    for path, tag in tagged:
        tags.setdefault(path, []).append(unescaped(tag))
    degree = Counter(path for pair in connections for path in pair)
    summaries = (
        DocumentSummary(
            path=unescaped(path),
            title=unescaped(title),
            chunks=integer(chunks),
            warning=unescaped(warning),
            size=integer(size),
            mtime_ns=integer(mtime_ns),
            dated=stored_dated(*dated),
            links=degree[path],
            tags=tuple(sorted(tags.get(path, ()))),
        )
        for path, title, chunks, warning, size, mtime_ns, *dated in rows
    )
    return sorted(summaries)


def stored_headings(rows: Iterable[Sequence[Any]]) -> dict[str, list[PlacedHeading]]:
    """By path, from rows of (path, first line, headings above, headings inside), one for each chunk."""
    found: dict[str, list[PlacedHeading]] = {}
    for path, line, packed_path, inside in rows:
        texts = unpacked_strings(packed_path)[-1:] if inside is None else unpacked_strings(inside)
        if texts:
            placed = (PlacedHeading(text, integer(line), len(texts) == 1) for text in texts)
            found.setdefault(unescaped(path), []).extend(placed)
    return found


def parent(columns: Sequence[Any], text: str) -> Parent:
    """A parent, from these columns and the text of the document."""
    path, title, dated_ns, dated_by, metadata, tags, aliases, comments = columns
    return Parent(
        path=unescaped(path),
        title=unescaped(title),
        dated=stored_dated(dated_ns, dated_by),
        metadata=unpacked_mapping(metadata),
        tags=unpacked_strings(tags),
        aliases=unpacked_strings(aliases),
        masked=masked(text, unpacked_extents(comments, text)),
    )


CHUNK_COLUMNS = """
    c.id, c.document, c.number, c.start, c."end", c.start_line, c.end_line, c.block_start, c.block_end, c.section,
    c.part, c.tokens, c.hash, c.id_tail, c.key_tail, c.heading_path, c.tags, c.carried,
    c.headings
"""


def stored_chunk(row: Sequence[Any], document: Parent) -> StoredChunk:
    """A chunk, from these columns and its document."""
    identity, _, *numbers, digest, id_tail, key_tail, packed_path, tags, carried, headings = row
    number, start, end, start_line, end_line, block_start, block_end, section, part, tokens = numbers
    heading_path = unpacked_strings(packed_path)
    front, lead, prefix, suffix, overlap = read_carried(carried, heading_path, document.masked)
    chunk = ChunkRow(
        number=integer(number),
        start=integer(start),
        end=integer(end),
        start_line=integer(start_line),
        end_line=integer(end_line),
        block_start=integer(block_start),
        block_end=integer(block_end),
        section=integer(section),
        part=None if part is None else integer(part),
        tokens=integer(tokens),
        hash=digest.hex(),
        id_tail=unescaped(id_tail),
        key_tail=unescaped(key_tail),
        heading_path=heading_path,
        tags=document.tags if tags is None else unpacked_strings(tags),
        front=front,
        lead=lead,
        prefix=prefix,
        suffix=suffix,
        overlap=overlap,
        headings=heading_path[-1:] if headings is None else unpacked_strings(headings),
    )
    if not 0 <= chunk.start <= chunk.end <= len(document.masked) or not 1 <= chunk.start_line <= chunk.end_line:
        raise ValueError(f"{document.path}: chunk {chunk.number} lies outside of the text")
    return StoredChunk(identity, document, chunk)


def stored_place(row: tuple[Any, ...]) -> ChunkPlace:
    chunk, path, start_line, dated_ns = row
    return ChunkPlace(chunk, unescaped(path), integer(start_line), integer(dated_ns))


def stored_link(row: Sequence[Any]) -> LinkRow:
    """A link, from the columns of `queries.LINKS`."""
    path, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk = row
    if kind not in _LINK_KINDS:
        raise ValueError(f"no kind of link: {kind!r:.40}")
    return LinkRow(
        path=unescaped(path),
        chunk=integer(chunk),
        line=integer(line),
        kind=kind,
        target=unescaped(target),
        fragment=unescaped(fragment),
        text=unescaped(text),
        external=bool(external),
        resolved=None if resolved is None else unescaped(resolved),
        section=None if section is None else unescaped(section),
        resolved_chunk=None if resolved_chunk is None else integer(resolved_chunk),
    )


# -- An entry as the tables store it, built in the worker that read the document.
#
# These are plain values: another process sends them in a third of the time that rows take, and the writer, which all
# processes wait for, only adds numbers.


def columns_of(entry: DocumentEntry | Columns) -> Columns:
    """The columns of an entry; itself, if it has become columns already."""
    if isinstance(entry, Columns):
        return entry
    document, chunks = entry.document, entry.chunks
    source = document.masked
    return Columns(
        path=document.path,
        document=document_row(document),
        text=document.text,
        chunks=[chunk_row(document, source, chunk) for chunk in chunks],
        links=[link_row(link) for link in entry.links],
        keywords=[tuple(fields) for fields in keyword_fields(document, chunks)],
        tags=document_tags(document, chunks),
        fields=fields(document),
        names=names(document, chunks),
        vectors=entry.vectors,
    )

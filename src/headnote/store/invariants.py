"""What must hold for each document of an index, in whatever database it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from headnote.model import text_hash
from headnote.store import codec
from headnote.store.codec import escaped
from headnote.store.integrity import INSTANT, Damaged
from headnote.store.interface import Reader
from headnote.store.quantized import SCALE_BYTES, name_hash, names_of
from headnote.store.readers import DocumentReader
from headnote.store.rows import DocumentRow, StoredChunk

Check = Callable[[DocumentRow, list[StoredChunk]], str]
"""A complaint about one document, or an empty string."""

_MAX_SHOWN = 1000
"""Texts without a vector that are counted."""
_NAMES = "SELECT d.name, c.name FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ? ORDER BY c.number"


COUNTED: dict[str, str] = {
    "links to a chunk that does not exist": """
        SELECT l.id FROM links l LEFT JOIN documents d ON d.path = l.resolved
        LEFT JOIN chunks c ON c.document = d.id AND c.number = l.resolved_chunk
        WHERE l.resolved_chunk IS NOT NULL AND c.id IS NULL""",
    "vectors of names of the wrong size": f"""
        SELECT n.hash FROM name_vectors n JOIN models m ON m.id = n.model
        WHERE length(n.data) <> {SCALE_BYTES} + m.dims""",
    "models from a generation to come": """
        SELECT id FROM models WHERE changed > (SELECT generation FROM state)""",
}
"""What is wrong with the rows that a query returns, in both databases."""


def relations(reader: DocumentReader, queries: Mapping[str, str]) -> Iterator[str]:
    """Return a complaint for each query that returns rows."""
    for what, query in queries.items():
        ((number,),) = reader.select(f"SELECT count(*) FROM ({query}) bad")
        if number:
            yield f"{number} {what}"


def missing_vectors(reader: Reader) -> list[str]:
    """A complaint if the model whose vectors are written with the words lacks some."""
    model = reader.manifest().get(INSTANT)
    if model is None or reader.chunk_count() == 0:
        return []
    texts = len(reader.pending(model, _MAX_SHOWN, claimed=True))
    names = len(reader.pending_names(model, claimed=True))
    return [f"{texts} texts and {names} names without a vector of {model}"] if texts or names else []


def bad_documents(reader: Reader, checks: Sequence[Check]) -> dict[str, str]:
    """Path → the first complaint about this document."""
    complaints = {}
    for path in reader.document_paths():
        if complaint := _complaint(reader, path, checks):
            complaints[path] = f"{path}: {complaint}"
    return complaints


def _complaint(reader: Reader, path: str, checks: Sequence[Check]) -> str:
    try:
        document = reader.document(path)
        chunks = reader.chunks_of(path) if document else []
    except Damaged as error:
        return f"unreadable: {error}"
    if document is None:
        return "no text"
    return next(filter(None, (check(document, chunks) for check in checks)), "")


def source_checks(reader: DocumentReader) -> tuple[Check, ...]:
    """Checks of data that is not derived: a document that fails one has to be read again."""
    return _numbers, _ids, _places, _hashes, partial(_links, reader), partial(_names, reader)


def _numbers(_: DocumentRow, chunks: list[StoredChunk]) -> str:
    return "" if [chunk.row.number for chunk in chunks] == list(range(len(chunks))) else "a chunk is missing"


def _ids(_: DocumentRow, chunks: list[StoredChunk]) -> str:
    for tails in ([chunk.row.id_tail for chunk in chunks], [chunk.row.key_tail for chunk in chunks]):
        if len(set(tails)) < len(tails):
            return f"several chunks have the id {Counter(tails).most_common(1)[0][0]}"
    return ""


def _places(document: DocumentRow, chunks: list[StoredChunk]) -> str:
    size = len(document.text)
    for chunk in chunks:
        if not 0 <= chunk.row.start <= chunk.row.end <= size or chunk.row.start_line > chunk.row.end_line:
            return f"chunk {chunk.row.number} lies outside of the text"
    return ""


def _hashes(_: DocumentRow, chunks: list[StoredChunk]) -> str:
    for chunk in chunks:
        if text_hash(chunk.embed_text) != chunk.row.hash:
            return f"chunk {chunk.row.number} is not the text that was hashed"
    return ""


def _links(reader: DocumentReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    numbers = {chunk.row.number for chunk in chunks}
    lost = any(link.chunk not in numbers for link in reader.links_from(document.path))
    return "a link belongs to a chunk that does not exist" if lost else ""


def _names(reader: DocumentReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    for hashes, chunk in zip(reader.select(_NAMES, (escaped(document.path),)), chunks, strict=True):
        expected = tuple(map(name_hash, names_of(document.title, chunk.row.heading_path)))
        if hashes != expected:
            return "names that its title and headings do not say"
    return ""


def filter_check(reader: DocumentReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    """The tables that filters look at fit tags and frontmatter, and that of names fits the names."""
    ((number,),) = reader.select("SELECT id FROM documents WHERE path = ?", (escaped(document.path),))
    rows = [chunk.row for chunk in chunks]
    filters, names = "what filters ask for differs from tags and frontmatter", "it is found by other names than it has"
    tables: dict[str, tuple[str, Iterable[tuple[object, ...]]]] = {
        "document_tags": (filters, ((number, tag) for tag in codec.document_tags(document, rows))),
        "fields": (filters, ((number, *field) for field in codec.fields(document))),
        "names": (names, ((number, *name) for name in codec.names(document, rows))),
    }
    for table, (complaint, expected) in tables.items():
        if set(reader.select(f"SELECT * FROM {table} WHERE document = ?", (number,))) != set(expected):
            return complaint
    return ""

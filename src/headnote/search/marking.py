"""The words of a document that a query finds: what a search marks in its hits, all through the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headnote.lines import count_line_ends
from headnote.markdown.frontmatter import match_frontmatter
from headnote.model import FoundWord
from headnote.search.language import understood
from headnote.search.readable import readable_lines
from headnote.search.snippets import marked_terms, marks
from headnote.search.spelling import WordReading, read_words
from headnote.store.interface import Reader
from headnote.store.keyword_fields import keyword_fields_of
from headnote.store.rows import DocumentRow, StoredChunk


def found_words(reader: Reader, document: DocumentRow, query: str) -> list[FoundWord]:
    """The words in the lines of a document as a reader sees them, in order; none of them in its frontmatter."""
    readings = read_words(reader, understood(query).words, reader.chunk_count())
    matched = _matched(readings, reader.chunks_of(document.path))
    query_terms = marked_terms(query, matched, document.text)
    frontmatter = match_frontmatter(document.text)
    first = count_line_ends(document.text[: frontmatter[0]]) + 1 if frontmatter else 0
    return [
        FoundWord(line.number + 1, line.text[start:end])
        for line in readable_lines(document.text, document.mdx, begins_file=True)
        if line.number >= first
        for start, end in marks(line.text, query_terms)
    ]


def _matched(readings: Sequence[WordReading], chunks: Sequence[StoredChunk]) -> Iterator[str]:
    """The terms that each chunk is found by. A word stands for others only in chunks that lack the word itself."""
    for fields in keyword_fields_of(chunks):
        chunk_terms = {term for field in fields for term in field.split()}
        for reading in readings:
            yield from reading.found_in(chunk_terms)

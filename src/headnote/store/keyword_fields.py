"""The terms of a chunk, field by field: what the keyword index stores of it, and by which of them it can be found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from headnote.chunking.masking import strip_address_codes, strip_data_uris
from headnote.model import file_name
from headnote.store.rows import ChunkRow, DocumentRow, KeywordFields, Parent, StoredChunk
from headnote.words.languages import language_of
from headnote.words.name_keys import is_version
from headnote.words.phrases import has_phrase
from headnote.words.terms import VERSION_MARK, _table, language_mark, operator_terms, term_line, words_of

DESCRIPTIONS = ("description", "summary", "excerpt", "intro")
"""Fields of the frontmatter that say in sentences what a page is about."""


def keyword_fields(document: DocumentRow | Parent, chunks: Iterable[ChunkRow]) -> list[KeywordFields]:
    """One for each chunk. What has nothing to show is found by nothing."""
    source = document.masked
    language = language_of(source)
    mark = f" {language_mark(language)}" if language else ""
    title = term_line(document.title, language)
    aliases = term_line(_other_names(document), language)
    lines: dict[tuple[str, ...], str] = {}  # the chunks of a document have most of their headings and tags in common

    def line(names: tuple[str, ...]) -> str:
        known = lines.get(names)
        if known is None:
            known = lines[names] = term_line("\n".join(names), language)
        return known

    return [
        KeywordFields(
            title,
            line(chunk.heading_path),
            term_line(own, language),
            aliases,
            f"{line(chunk.tags)}{mark} {_version_mark(document, chunk)}",
        )
        if own.strip()
        else _NOTHING
        for chunk, own in ((chunk, _own_text(document, source, chunk)) for chunk in chunks)
    ]


def _version_mark(document: DocumentRow | Parent, chunk: ChunkRow) -> str:
    headings = (document.title, *chunk.heading_path, *chunk.headings)
    return VERSION_MARK if any(map(is_version, headings)) else ""


_NOTHING = KeywordFields("", "", "", "", "")


def field_texts(document: Parent, chunk: ChunkRow) -> KeywordFields:
    """What the terms of each field are made of. Overlap and breadcrumb are left out of the text: other chunks and
    fields have them."""
    return KeywordFields(
        title=document.title,
        headings="\n".join(chunk.heading_path),
        text=_own_text(document, document.masked, chunk),
        aliases=_other_names(document),
        tags="\n".join(chunk.tags),
    )


def _own_text(document: DocumentRow | Parent, source: str, chunk: ChunkRow) -> str:
    own = strip_address_codes(strip_data_uris(chunk.own_text(source)))
    return "\n".join((own, *descriptions(document, chunk))) if own.strip() else own


def descriptions(document: DocumentRow | Parent, chunk: ChunkRow) -> Iterator[str]:
    """What the frontmatter says about the page, which goes with its first chunk."""
    for name in () if chunk.number else DESCRIPTIONS:
        if isinstance(said := document.metadata.get(name), str):
            yield said


def _other_names(document: DocumentRow | Parent) -> str:
    return "\n".join((*document.aliases, file_name(document.path)))


def keyword_fields_of(chunks: Sequence[StoredChunk]) -> list[KeywordFields]:
    """The same for stored chunks of one document."""
    return keyword_fields(chunks[0].document, (chunk.row for chunk in chunks)) if chunks else []


def terms_of(chunk: StoredChunk) -> set[str]:
    """Every term by which a chunk can be found, in whatever field. Each word is looked up once, however often it is
    there: `keyword_fields` has to count them, a search reads many chunks and has no use for that."""
    language = language_of(chunk.source)
    text = "\n".join(field_texts(chunk.document, chunk.row))
    found = set(" ".join(map(_table(language).lines.__getitem__, set(words_of(text)))).split())
    found.update(operator_terms(text))
    if language:
        found.add(language_mark(language))
    if mark := _version_mark(chunk.document, chunk.row):
        found.add(mark)
    return found


def chunk_has_phrase(chunk: StoredChunk, phrase: str) -> bool:
    """Whether the phrase is in its own text, in one of its headings, in the title of its document, or in what is said
    about that."""
    document, row = chunk.document, chunk.row
    fields = (document.title, *row.heading_path, row.own_text(document.masked), *descriptions(document, row))
    return any(has_phrase(field, phrase) for field in fields)

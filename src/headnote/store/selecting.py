"""A filter → SQL that selects the ids of the chunks that pass, in words that both databases understand.

Whatever belongs to a document is tested once for the document, however many chunks it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from headnote.store.codec import escaped
from headnote.store.filters import (
    All,
    Either,
    FieldExists,
    FieldIs,
    Filter,
    HasPhrase,
    HasTag,
    HasWord,
    InPath,
    Not,
    Requirement,
    TitleHas,
    folded,
    folded_tag,
    is_of_documents,
    satisfies,
)
from headnote.store.keyword_fields import chunk_has_phrase
from headnote.store.rows import StoredChunk
from headnote.words.phrases import has_phrase, terms_of_phrase
from headnote.words.terms import MOST_QUERY_TERMS, other_forms, terms

Condition = tuple[str, list[Any]]
"""SQL with `?` for each binding, and its bindings."""

READ_TOGETHER = 1000
"""Chunks that are read at once to look for a phrase."""

# `area` and all below it: `0` is the character after `/`.
_TAG = "(tag = ? OR (tag >= ? || '/' AND tag < ? || '0'))"
_TAGGED = "id IN (SELECT document FROM document_tags{0})"
# A field and all inside it: `/` is the character after `.`.
_EXISTS = "id IN (SELECT document FROM fields WHERE (key = ? OR (key >= ? || '.' AND key < ? || '/')) AND value <> '')"


class Selectable(Protocol):
    """What selecting needs to know of a database. Conditions are on the columns of `documents` or of `chunks`."""

    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """Documents whose path fits one of the globs."""

    def among(self, column: str, values: Sequence[str] | Sequence[int]) -> Condition:
        """Rows of which a column has one of these values."""

    def having(self, terms: Sequence[str]) -> Condition:
        """Chunks that have one of these terms."""

    def select(self, query: str, bindings: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
        """Rows of a query in the same words."""

    def values_of(self, field: str) -> list[str]:
        """All values of a field, each once, both as they are compared."""

    def titles(self) -> list[tuple[int, str]]:
        """Number and title of all documents."""

    def languages(self) -> list[str]:
        """The languages in Latin letters, other than English, that documents are in."""

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]: ...

    def matching(self, requirement: Requirement, find: Callable[[], list[Any]]) -> list[Any]:
        """What was found for a requirement in this generation, found if it is not known."""


def passing_chunks(only: Filter, db: Selectable) -> Condition:
    """A filter as a query for use in `IN (…)`."""
    of_documents: list[Condition] = []
    of_chunks: list[Condition] = []
    if only.paths:
        of_documents.append(db.fitting(only.paths))
    if only.since_ns is not None:
        of_documents.append(("mtime_ns >= ?", [only.since_ns]))
    for key, value in only.where:
        bindings = [escaped(folded(key)), escaped(folded(value))]
        of_documents.append(("id IN (SELECT document FROM fields WHERE key = ? AND value = ?)", bindings))
    of_documents += map(_tagged, only.tags)
    if only.must is not None:
        parts = only.must.parts if isinstance(only.must, All) else (only.must,)
        of_documents += [_of_document(part, db) for part in parts if is_of_documents(part)]
        of_chunks += [_of_chunk(part, db) for part in parts if not is_of_documents(part)]
    if of_documents:
        of_chunks.insert(0, _of_these(_together("AND", of_documents)))
    condition, bindings = _together("AND", of_chunks) if of_chunks else ("TRUE", [])
    return f"SELECT id FROM chunks WHERE {condition}", bindings


def _of_these(documents: Condition) -> Condition:
    condition, bindings = documents
    return f"document IN (SELECT id FROM documents WHERE {condition})", bindings


def _together(word: str, conditions: Sequence[Condition]) -> Condition:
    joined = f" {word} ".join(condition for condition, _ in conditions)
    return f"({joined})" if len(conditions) > 1 else joined, [value for _, bound in conditions for value in bound]


# -- conditions on a chunk


def _of_chunk(requirement: Requirement, db: Selectable) -> Condition:
    if is_of_documents(requirement):
        return _of_these(_of_document(requirement, db))
    match requirement:
        case All() | Either() | Not():
            return _combined(requirement, lambda part: _of_chunk(part, db))
        case HasWord(word):
            return _having_word(word, db)
        case HasPhrase(phrase):
            return db.among("id", db.matching(requirement, lambda: _chunks_with(phrase, db)))
    raise TypeError(f"unknown requirement: {requirement}")


def _combined(requirement: All | Either | Not, condition_of: Callable[[Requirement], Condition]) -> Condition:
    if isinstance(requirement, Not):
        condition, bindings = condition_of(requirement.part)
        return f"NOT ({condition})", bindings
    word = "AND" if isinstance(requirement, All) else "OR"
    return _together(word, [condition_of(part) for part in requirement.parts])


def _having_word(word: str, db: Selectable) -> Condition:
    """Chunks with all terms of the word: a name has several. Documents in other languages have other forms of them."""
    own, forms = dict.fromkeys(terms(word)), other_forms(word, db.languages())
    return _together("AND", [db.having((term, *forms.get(term, ()))) for term in own]) if own else ("FALSE", [])


def _chunks_with(phrase: str, db: Selectable) -> list[int]:
    """Those that have all its words are read and looked at; of a long phrase, those with as many as a query counts."""
    groups = terms_of_phrase(phrase, db.languages())[:MOST_QUERY_TERMS]
    condition, bindings = _together("AND", [db.having(group) for group in groups]) if groups else ("TRUE", [])
    ids = [chunk for (chunk,) in db.select(f"SELECT id FROM chunks WHERE {condition} ORDER BY id", bindings)]
    found: list[int] = []
    for first in range(0, len(ids), READ_TOGETHER):
        chunks = db.chunks(ids[first : first + READ_TOGETHER])
        found += [chunk.id for chunk in chunks if chunk_has_phrase(chunk, phrase)]
    return found


# -- conditions on a document


def _of_document(requirement: Requirement, db: Selectable) -> Condition:
    match requirement:
        case All() | Either() | Not():
            return _combined(requirement, lambda part: _of_document(part, db))
        case InPath(globs):
            return db.fitting(globs)
        case HasTag(tag):
            return _tagged(tag)
        case TitleHas():
            return db.among("id", db.matching(requirement, lambda: _titled(requirement, db)))
        case FieldExists(field):
            return _EXISTS, [escaped(folded(field))] * 3
        case FieldIs(field):
            values = db.matching(requirement, lambda: list(filter(satisfies(requirement), db.values_of(folded(field)))))
            condition, bindings = db.among("value", list(map(escaped, values)))
            query = f"id IN (SELECT document FROM fields WHERE key = ? AND {condition})"
            return query, [escaped(folded(field)), *bindings]
    raise TypeError(f"unknown requirement: {requirement}")


def _tagged(tag: str) -> Condition:
    name = escaped(folded_tag(tag))
    return (_TAGGED.format(f" WHERE {_TAG}"), [name] * 3) if name else (_TAGGED.format(""), [])


def _titled(requirement: TitleHas, db: Selectable) -> list[int]:
    if requirement.is_phrase:
        return [number for number, title in db.titles() if has_phrase(title, requirement.words)]
    languages = ("", *db.languages())
    asked = [set(terms(requirement.words, language)) for language in languages]

    def has(title: str) -> bool:
        return any(own and own <= set(terms(title, language)) for own, language in zip(asked, languages, strict=True))

    return [number for number, title in db.titles() if has(title)]

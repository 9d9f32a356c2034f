"""A filter → SQL that selects the ids of the chunks that pass, in words that both databases understand.

Whatever belongs to a document is tested once for the document, however many chunks it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from headnote.store.caching import Caches
from headnote.store.codec import escaped, unescaped
from headnote.store.filters import (
    All,
    DatedAt,
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
from headnote.words.terms import MAX_QUERY_TERMS, other_forms, terms

Condition = tuple[str, list[Any]]
"""SQL with `?` for each binding, and its bindings."""

READ_BATCH = 1000
"""Chunks that are read at once to look for a phrase."""

# `area` and all below it: `0` is the character after `/`.
_TAG = "(tag = ? OR (tag >= ? || '/' AND tag < ? || '0'))"
_TAGGED = "id IN (SELECT document FROM document_tags{0})"
# A field and all inside it: `/` is the character after `.`.
_EXISTS = "id IN (SELECT document FROM fields WHERE (key = ? OR (key >= ? || '.' AND key < ? || '/')) AND value <> '')"


class ChunkSelection(ABC):
    """Selects chunks by a filter. Each database has its own words for some conditions, which are on the columns of
    `documents` or of `chunks`."""

    def __init__(self, caches: Caches, generation: int) -> None:
        self._caches = caches
        self._generation = generation

    # -- what each database says in its own words

    @abstractmethod
    def select(self, query: str, bindings: Sequence[Any] = ()) -> Iterable[tuple[Any, ...]]:
        """Rows of a query with `?` for each binding."""

    @abstractmethod
    def among(self, column: str, numbers: Collection[int]) -> Condition:
        """Rows of which a column has one of these values."""

    @abstractmethod
    def among_texts(self, column: str, texts: Collection[str]) -> Condition:
        """The same for a column of text."""

    @abstractmethod
    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """Documents whose path fits one of the globs."""

    @abstractmethod
    def with_terms(self, terms: Sequence[str]) -> Condition:
        """Chunks that have one of these terms."""

    @abstractmethod
    def languages(self) -> list[str]:
        """The languages in Latin letters, other than English, that documents are in."""

    @abstractmethod
    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]: ...

    # -- conditions

    def of_documents(self, only: Filter) -> Condition:
        """What a filter asks of documents."""
        parts = [self._of_document(part) for part in only.conditions if is_of_documents(part)]
        return _together("AND", parts) if parts else ("TRUE", [])

    def passing_chunks(self, only: Filter) -> Condition:
        """A filter as a query for use in `IN (…)`."""
        parts = only.conditions
        of_chunks = [self._of_chunk(part) for part in parts if not is_of_documents(part)]
        if len(of_chunks) < len(parts):
            of_chunks.insert(0, _of_these(self.of_documents(only)))
        condition, bindings = _together("AND", of_chunks) if of_chunks else ("TRUE", [])
        return f"SELECT id FROM chunks WHERE {condition}", bindings

    def _of_chunk(self, requirement: Requirement) -> Condition:
        if is_of_documents(requirement):
            return _of_these(self._of_document(requirement))
        match requirement:
            case All() | Either() | Not():
                return _combined(requirement, self._of_chunk)
            case HasWord(word):
                return self._having_word(word)
            case HasPhrase(phrase):
                return self.among("id", self._matching(requirement, lambda: self._chunks_with(phrase)))
        raise TypeError(f"unknown requirement: {requirement}")

    def _having_word(self, word: str) -> Condition:
        """Chunks with all terms of the word: a name has several. Documents in other languages have other forms."""
        own, forms = dict.fromkeys(terms(word)), other_forms(word, self.languages())
        having = [self.with_terms((term, *forms.get(term, ()))) for term in own]
        return _together("AND", having) if own else ("FALSE", [])

    def _of_document(self, requirement: Requirement) -> Condition:
        match requirement:
            case All() | Either() | Not():
                return _combined(requirement, self._of_document)
            case InPath(globs):
                return self.fitting(globs)
            case HasTag(tag):
                return _tagged(tag)
            case TitleHas():
                return self.among("id", self._matching(requirement, lambda: self._titled(requirement)))
            case FieldExists(field):
                return _EXISTS, [escaped(folded(field))] * 3
            case DatedAt(sign, time_ns):
                return f"dated_ns {sign} ?", [time_ns]
            case FieldIs(field, "=", texts, True):
                named = ", ".join("?" * len(texts))
                bindings = [escaped(folded(text)) for text in (field, *texts)]
                return f"id IN (SELECT document FROM fields WHERE key = ? AND value IN ({named}))", bindings
            case FieldIs(field):
                values = self._matching(requirement, lambda: self._satisfying(requirement))
                condition, bindings = self.among_texts("value", list(map(escaped, values)))
                query = f"id IN (SELECT document FROM fields WHERE key = ? AND {condition})"
                return query, [escaped(folded(field)), *bindings]
        raise TypeError(f"unknown requirement: {requirement}")

    # -- what has to be looked at one by one

    def _matching(self, requirement: Requirement, find: Callable[[], list[Any]]) -> list[Any]:
        """What was found for a requirement in this generation, found if it is not known."""
        return self._caches.matching.get(self._generation, requirement, find)

    def _chunks_with(self, phrase: str) -> list[int]:
        """Those that have all its words are read and looked at; of a long phrase, those with as many as a query
        counts."""
        groups = terms_of_phrase(phrase, self.languages())[:MAX_QUERY_TERMS]
        condition, bindings = _together("AND", list(map(self.with_terms, groups))) if groups else ("TRUE", [])
        ids = [chunk for (chunk,) in self.select(f"SELECT id FROM chunks WHERE {condition} ORDER BY id", bindings)]
        found: list[int] = []
        for first in range(0, len(ids), READ_BATCH):
            chunks = self.chunks(ids[first : first + READ_BATCH])
            found += [chunk.id for chunk in chunks if chunk_has_phrase(chunk, phrase)]
        return found

    def _satisfying(self, requirement: FieldIs) -> list[str]:
        """The values of a field, each once, as they are compared."""
        query = "SELECT DISTINCT value FROM fields WHERE key = ?"
        values = (unescaped(value) for (value,) in self.select(query, (escaped(folded(requirement.field)),)))
        return list(filter(satisfies(requirement), values))

    def _titled(self, requirement: TitleHas) -> list[int]:
        """Numbers of documents."""
        documents = self.select("SELECT id, title FROM documents ORDER BY id")
        titles = [(number, unescaped(title)) for number, title in documents]
        if requirement.is_phrase:
            return [number for number, title in titles if has_phrase(title, requirement.words)]
        languages = ("", *self.languages())
        asked = [set(terms(requirement.words, language)) for language in languages]

        def has(title: str) -> bool:
            pairs = zip(asked, languages, strict=True)
            return any(own and own <= set(terms(title, language)) for own, language in pairs)

        return [number for number, title in titles if has(title)]


def _of_these(documents: Condition) -> Condition:
    condition, bindings = documents
    return f"document IN (SELECT id FROM documents WHERE {condition})", bindings


def _together(word: str, conditions: Sequence[Condition]) -> Condition:
    joined = f" {word} ".join(condition for condition, _ in conditions)
    return f"({joined})" if len(conditions) > 1 else joined, [value for _, bound in conditions for value in bound]


def _combined(requirement: All | Either | Not, condition_of: Callable[[Requirement], Condition]) -> Condition:
    if isinstance(requirement, Not):
        condition, bindings = condition_of(requirement.part)
        return f"NOT ({condition})", bindings
    word = "AND" if isinstance(requirement, All) else "OR"
    return _together(word, [condition_of(part) for part in requirement.parts])


def _tagged(tag: str) -> Condition:
    name = escaped(folded_tag(tag))
    return (_TAGGED.format(f" WHERE {_TAG}"), [name] * 3) if name else (_TAGGED.format(""), [])

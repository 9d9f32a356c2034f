"""What the user says about folders and documents, a sentence each: which of them hold for a path, and what they count.

A sentence is read with the query, so changing one needs no new index. It counts a little: a chunk gains a tenth at most
if what is said about its folders has the words of the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from headnote.search.spelling import WordReading, covered_share, shares_of
from headnote.store.interface import Reader
from headnote.words.languages import language_of
from headnote.words.terms import terms

MAX_BONUS = 0.1
"""Of the score, for sentences that have all words of the query."""

Factor = Callable[[str], float]
"""Path → what its score is multiplied with."""


def no_bonus(_: str) -> float:
    return 1.0


@dataclass(frozen=True)
class Contexts:
    """Path of a folder or document → the sentence about it; empty for the whole index."""

    sentences: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.sentences)

    def about(self, path: str) -> str:
        """All that is said about a document, from the outermost folder to itself."""
        return " ".join(self.sentences[place] for place in self._places(path) if place in self.sentences)

    def unused(self, documents: Sequence[str]) -> list[str]:
        """Paths that no document has, and no folder of one."""
        known = {place for path in documents for place in self._places(path)}
        return sorted(place for place in self.sentences if place and place not in known)

    def _places(self, path: str) -> Iterator[str]:
        yield ""
        end = path.find("/")
        while end >= 0:
            yield path[:end]
            end = path.find("/", end + 1)
        yield path

    @cached_property
    def _terms(self) -> dict[str, frozenset[str]]:
        """Of each sentence but the one about everything, which sets nothing apart."""
        return {place: _terms_of(text) for place, text in self.sentences.items() if place}

    def factors(self, reader: Reader, words: Sequence[WordReading]) -> Factor:
        """Return a score factor for a path; `no_bonus` if no description has a word of the query."""
        asked = shares_of(words)
        telling = {place: found for place, own in self._terms.items() if (found := own & asked.keys())}
        if not telling:
            return no_bonus
        counts, chunks = reader.term_frequencies(asked), reader.chunk_count()

        @cache
        def share(found: frozenset[str]) -> float:
            return covered_share(words, counts, chunks, found)

        def factor(path: str) -> float:
            found = frozenset[str]().union(*(telling[place] for place in self._places(path) if place in telling))
            return 1.0 + MAX_BONUS * share(found) if found else 1.0

        return factor


NO_CONTEXTS = Contexts({})


def _terms_of(sentence: str) -> frozenset[str]:
    return frozenset(terms(sentence)) | frozenset(terms(sentence, language_of(sentence)))

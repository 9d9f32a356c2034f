"""The words of a passage behind the terms of the keyword index: `configure` for `configur`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from headnote.model import file_name
from headnote.store.languages import language_of
from headnote.store.rows import StoredChunk
from headnote.store.terms import is_without_blanks, word_terms, words_of

_WORD = re.compile(r"[^\W_]+")


class Wording:
    """How chunks write the terms of one query. Chunks have most of their words in common, so what is found out about a
    word holds for all of them."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(term for term in terms if not is_without_blanks(term))
        self._words: defaultdict[str, _Words] = defaultdict(_Words)
        """Language → the words of the chunks so far."""

    def of(self, chunk: StoredChunk, terms: Collection[str]) -> dict[str, str]:
        """Each of these terms with the word of a chunk that became it, as it is written most often; a term of no word
        is itself.

        A word with this term alone is better than one of which it is a part, like `ComponentProps`, and that is better
        than a name of several words, like `--feature-gates`. Where there are no blanks, terms are as they are written.
        """
        document = chunk.document
        names = (document.title, *chunk.row.heading_path, *document.aliases, *chunk.row.tags, file_name(chunk.path))
        text = "\n".join((chunk.text, *names))
        wanted = self._terms.intersection(terms)
        found: dict[str, str] = {}
        for cut in (_WORD.findall, words_of):
            if missing := wanted.difference(found):
                found |= self._words_with(missing, cut(text), language_of(document.text))
        return {term: found.get(term, term) for term in terms}

    def _words_with(self, terms: frozenset[str], words: list[str], language: str) -> Mapping[str, str]:
        alone: dict[str, Counter[str]] = defaultdict(Counter)
        inside: dict[str, Counter[str]] = defaultdict(Counter)
        terms_by_word = word_terms(language)
        # Of two words that are written equally often, the first one counts.
        for word in sorted(self._matching(set(words), language), key=words.index):
            own = terms_by_word[word]
            for term in terms.intersection(own):
                (alone if len(own) == 1 else inside)[term][_in_a_sentence(word)] += words.count(word)
        return {term: counts.most_common(1)[0][0] for term, counts in (inside | alone).items()}

    def _matching(self, words: set[str], language: str) -> set[str]:
        """Those of the words that became a term of the query."""
        known, terms_by_word = self._words[language], word_terms(language)
        new = words - known.seen
        known.seen |= new
        known.matching.update(word for word in new if not self._terms.isdisjoint(terms_by_word[word]))
        return words & known.matching


class _Words:
    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.matching: set[str] = set()


def _in_a_sentence(word: str) -> str:
    """A word that only begins with a capital may do so because a sentence or a heading begins with it."""
    return word if any(map(str.isupper, word[1:])) else word.casefold()

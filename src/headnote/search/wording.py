"""The words of a passage behind the terms of the keyword index: `configure` for `configur`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from headnote.model import file_name
from headnote.store.languages import LATIN, language_of
from headnote.store.rows import StoredChunk
from headnote.store.terms import is_without_blanks, word_terms, words_of

_WORD = re.compile(r"[^\W_]+")


class Wording:
    """How chunks write the terms of one query. Chunks have most of their words in common, so what is found out about a
    word holds for all of them."""

    def __init__(self, terms: Iterable[str], languages: Collection[str] = LATIN) -> None:
        """`languages` are those besides English that chunks may be in."""
        self._terms = frozenset(term for term in terms if not is_without_blanks(term))
        self._has_languages = bool(languages)
        self._alike = _words_from("".join(sorted({term[0] for term in self._terms})))
        """The words that may be one of the terms alone, which nearly all terms are somewhere."""
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
        language = language_of(document.text) if self._has_languages else ""
        found = dict(self._words_with(wanted, self._alike.findall(text), language).alone)
        for cut in (_WORD.findall, words_of):
            if missing := wanted.difference(found):
                written = self._words_with(missing, cut(text), language)
                found |= written.inside | written.alone
        return {term: found.get(term, term) for term in terms}

    def _words_with(self, terms: frozenset[str], words: list[str], language: str) -> _Written:
        alone: dict[str, Counter[str]] = defaultdict(Counter)
        inside: dict[str, Counter[str]] = defaultdict(Counter)
        terms_by_word = word_terms(language)
        counts = Counter(words)
        matching = self._matching(counts.keys(), language)
        # Of two words that are written equally often, the first one counts.
        for word in filter(matching.__contains__, counts):
            own = terms_by_word[word]
            for term in terms.intersection(own):
                (alone if len(own) == 1 else inside)[term][_in_a_sentence(word)] += counts[word]
        return _Written(_most_often(alone), _most_often(inside))

    def _matching(self, words: Set[str], language: str) -> set[str]:
        """All words so far, these among them, that became a term of the query."""
        known, terms_by_word = self._words[language], word_terms(language)
        new = words - known.seen
        known.seen |= new
        known.matching |= {word for word in new if not self._terms.isdisjoint(terms_by_word[word])}
        return known.matching


class _Written(NamedTuple):
    """Term → how it is written most often: as a word of its own, and inside of others."""

    alone: dict[str, str]
    inside: dict[str, str]


class _Words:
    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.matching: set[str] = set()


def _most_often(counts: Mapping[str, Counter[str]]) -> dict[str, str]:
    return {term: words.most_common(1)[0][0] for term, words in counts.items()}


@lru_cache(maxsize=256)
def _words_from(initials: str) -> re.Pattern[str]:
    """Words that begin with one of these letters, small or capital, or with one that is not ASCII. A stem begins as its
    word does, or as that does without its accent. To cut a text into all of its words takes five times as long.

    What stands in front is looked at last: then a search skips all other letters at once."""
    others = set(map(chr, range(128))).difference(initials, initials.upper())
    return re.compile(rf"[^{re.escape(''.join(sorted(others)))}](?<![^\W_].)(?<=[^\W_])[^\W_]*+", re.DOTALL)


def _in_a_sentence(word: str) -> str:
    """A word that only begins with a capital may do so because a sentence or a heading begins with it."""
    return word if any(map(str.isupper, word[1:])) else word.casefold()

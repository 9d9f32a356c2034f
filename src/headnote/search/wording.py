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


def written_words(chunk: StoredChunk, terms: Collection[str]) -> dict[str, str]:
    """Each term with the word of a chunk that became it, as it is written most often; a term of no word is itself.

    A word with this term alone is better than one of which it is a part, like `ComponentProps`, and that is better than
    a name of several words, like `--feature-gates`. Where there are no blanks, terms are as they are written.
    """
    document = chunk.document
    names = (document.title, *chunk.row.heading_path, *document.aliases, *chunk.row.tags, file_name(chunk.path))
    text = "\n".join((chunk.text, *names))
    wanted = frozenset(term for term in terms if not is_without_blanks(term))
    found: dict[str, str] = {}
    for words in (_WORD.findall(text), words_of(text)):
        if missing := wanted.difference(found):
            found |= _words_with(missing, words, language_of(document.text))
    return {term: found.get(term, term) for term in terms}


def _words_with(terms: frozenset[str], words: Iterable[str], language: str) -> Mapping[str, str]:
    alone: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    terms_by_word = word_terms(language)
    for word, count in Counter(words).items():
        own = terms_by_word[word]
        if not terms.isdisjoint(own):
            for term in terms.intersection(own):
                (alone if len(own) == 1 else inside)[term][_in_a_sentence(word)] += count
    return {term: counts.most_common(1)[0][0] for term, counts in (inside | alone).items()}


def _in_a_sentence(word: str) -> str:
    """A word that only begins with a capital may do so because a sentence or a heading begins with it."""
    return word if any(map(str.isupper, word[1:])) else word.casefold()

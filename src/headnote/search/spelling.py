"""What the words of a query stand for in an index: themselves, the words they begin, or the words they misspell.

A word that some document has is itself. The last word, while it is typed, also is every word that it begins, if no
document or hardly any has it as it is. Any other word that is in no document is taken for the words that are a letter
or two away. Where it may be several, each counts as much as it is likely, by the number of chunks that have it.

Documents store stems (`configur`), people type words (`configurati`). So an unfinished word is completed with the
endings that stems lack, and a misspelt one is compared with stems and with words that have such an ending.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from headnote.model import Guess, Hit
from headnote.search.terms import content_terms, function_terms, languages_in, rarity
from headnote.search.wording import Wording
from headnote.store.base import Keywords
from headnote.store.rows import StoredChunk
from headnote.store.terms import (
    MOST_QUERY_TERMS,
    folded,
    is_without_blanks,
    other_forms,
    query_terms,
    terms_of,
)
from headnote.store.vocabulary import LONGEST_COMPARED, Vocabulary, distances

Kind = Literal["known", "beginning", "misspelt", "unknown"]

TRUST = 0.8
"""What a word counts that is not the one that was typed."""
WITHOUT_ACCENTS = 0.2
"""What a Vietnamese word counts without its accents, if documents have it with them."""
COVERED_BY_CORRECTION = 0.5
"""How much of a word a text covers that has a correction of it: a word about something else may look like any other."""
FORGIVEN = 1.5
"""A single unknown word weighs at most so much of all the known ones."""
SHORTEST_BEGINNING = 2
"""Letters. One letter begins too many words."""
MOST_COMPLETIONS = 40
RARE = 1000
"""A last word that less than one in so many chunks has may be the beginning of another one."""

EDITS = ((8, 2), (4, 1))
"""(letters, edits): how many letters of a word of this length may be wrong. A shorter one is never corrected: every
short word is a letter away from many."""
EDIT_FACTOR = 0.1
"""How much less likely a word is with each edit."""
MOST_CORRECTIONS = 5
COMMON = 10
"""Chunks. A word that fewer have may itself be misspelt."""
MOST_FOUND = 3
"""Of what a word may be, a hit names no more."""
MOST_CORRECTED = 4
"""Words of a query. One that has more unknown words is about something else, or in another language."""
SHORTEST_STEM = 4
"""Letters. Shorter stems are in too many words that do not exist: `netlfy` would be `netly`."""
COMPARED_WITH_ENDINGS = 24
"""Stems that are compared once more, as words."""

ENDINGS = tuple(
    """
    e s es d ed ing ings er ers or ors ly y ies ied ion ions ation ations ational ment ments ness able ably ability ible
    ive ively ity ities ize izes ized izing ization ise ises ised ising isation al als ally ful fully less ous ously
    ance ances ence ences ancy ency ant ants ent ents ently ism ist ists ate ates ated ating ator ators ic ics ical
    ically
    """.split()
)
"""What the stemmer takes off a word, as people type it."""
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Reading:
    """A term of the query and what it stands for."""

    typed: str
    """The word as it was typed; of a term that is itself, the term."""
    term: str
    shares: Mapping[str, float]
    """Terms of the index → how much each counts. Empty if the word is unknown."""
    kind: Kind = "known"
    word: str = ""
    """The likeliest word, spelt out, if this one is misspelt."""

    def part_in(self, terms: Collection[str]) -> float:
        """How much of the word a text with these terms has, from 0 to 1."""
        if any(share == 1.0 and term in terms for term, share in self.shares.items()):
            return 1.0
        if any(term in terms for term in self.shares):
            return COVERED_BY_CORRECTION if self.kind == "misspelt" else TRUST
        return 0.0

    def found_in(self, terms: Collection[str]) -> list[str]:
        """What a text with these terms has of it: the word itself, or the likeliest of those it may be."""
        if self.term in self.shares and self.term in terms:
            return [self.term]
        found = [term for term in self.shares if term in terms]
        return sorted(found, key=lambda term: -self.shares[term])[:MOST_FOUND]


def read_words(keywords: Keywords, text: str, chunks: int) -> list[Reading]:
    """The terms of a query, each with what it stands for in an index of so many chunks."""
    languages = languages_in(keywords)
    terms, forms = content_terms(text, languages), other_forms(text, languages)
    if len(terms) > MOST_QUERY_TERMS:  # a pasted text
        return [Reading(term, term, dict.fromkeys((term, *forms.get(term, ())), 1.0)) for term in terms]
    counts = keywords.term_frequencies((*terms, *chain.from_iterable(forms.values())))
    speller = _Speller(keywords, counts, chunks)
    words = _typed_words(text)
    beginnings = _open_beginnings(text)
    return [speller.read(term, words.get(term, ""), beginnings.get(term, ""), forms.get(term, ())) for term in terms]


def shares_of(readings: Iterable[Reading]) -> dict[str, float]:
    """Term of the index → how much it counts for the whole query."""
    shares: dict[str, float] = {}
    for reading in readings:
        for term, share in reading.shares.items():
            shares[term] = max(shares.get(term, 0.0), share)
    return shares


def is_guessed(reading: Reading) -> bool:
    """Whether it stands for other words than the one that was typed."""
    return reading.kind in ("beginning", "misspelt")


def spelt_out(text: str, readings: Iterable[Reading], best: Sequence[StoredChunk]) -> str:
    """The query with whole words in place of misspelt and unfinished ones, as the best chunks by words write them.

    A model that reads word pieces makes nothing of half a word. Nor of a wrong one: an unfinished word stays as it is
    unless one word is likelier than all others together.
    """
    words: dict[str, str] = {}
    for reading in filter(is_guessed, readings):
        likeliest = max(reading.shares, key=lambda term: (reading.shares[term], term))
        if reading.kind == "misspelt" or reading.shares[likeliest] > TRUST / 2:
            chunk = next((chunk for chunk in best if likeliest in terms_of(chunk)), None)
            written = Wording([likeliest]).of(chunk, [likeliest])[likeliest] if chunk else ""
            words[reading.typed] = written or reading.word or reading.typed
    return _replaced(text, words)


def covered_share(readings: Sequence[Reading], counts: Mapping[str, int], chunks: int, terms: Collection[str]) -> float:
    """How much of a query a text with these terms covers, from 0 to 1; rare words weigh more.

    One unknown word weighs little more than all the known ones, so it alone does not make a text irrelevant.
    """
    weights = [_weight(reading, counts, chunks) for reading in readings]
    known = sum(weight for weight, reading in zip(weights, readings, strict=True) if reading.shares)
    unknown = [weight for weight, reading in zip(weights, readings, strict=True) if not reading.shares]
    total = known + (min(unknown[0], FORGIVEN * known) if len(unknown) == 1 else sum(unknown))
    covered = sum(weight * reading.part_in(terms) for weight, reading in zip(weights, readings, strict=True))
    return covered / total if total else 0.0


def _weight(reading: Reading, counts: Mapping[str, int], chunks: int) -> float:
    """The rarity of the word as it was typed. A guess may be wrong, so it weighs as much as an unknown word."""
    own = {term: share for term, share in reading.shares.items() if reading.kind == "known" or share == 1.0}
    if not own:
        return rarity({reading.term: 0}, chunks)[reading.term]
    rarities = rarity({term: counts.get(term, 0) for term in own}, chunks)
    return sum(rarities[term] * share for term, share in own.items()) / sum(own.values())


# -- what people see


def guesses(readings: Iterable[Reading], terms: Collection[str], written: Mapping[str, str]) -> tuple[Guess, ...]:
    """The words of the query that a chunk with these terms has in another form, as it writes them."""
    guessed = []
    for reading in readings:
        found = reading.found_in(terms)
        if found and found != [reading.term] and reading.kind != "known":
            guessed.append(Guess(reading.typed, written[found[0]], reading.kind == "misspelt"))
    return tuple(guessed)


def corrected_query(text: str, hits: Iterable[Hit]) -> str:
    """The query as it was answered: with the words of the best hits in place of those that are misspelt."""
    corrections: dict[str, str] = {}
    for hit in hits:
        for guess in hit.why.guesses:
            if guess.is_correction:
                corrections.setdefault(guess.typed, guess.found)
    return _replaced(text, corrections)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: words.get(match[0], match[0]), text)


# -- words of the query


def _typed_words(text: str) -> dict[str, str]:
    """Term → the word that was typed, for words that are a single term. Others are names, with parts of their own."""
    words: dict[str, str] = {}
    for word in _WORD.findall(text):
        terms = query_terms(word)
        if len(terms) == 1:
            words.setdefault(terms[0], word)
    return words


def _open_beginnings(text: str) -> dict[str, str]:
    """The terms of the last word if it may go on: neither a blank nor a punctuation mark has ended it. Each comes with
    what a longer term begins with."""
    if not _LETTER.fullmatch(text[-1:]):
        return {}
    word = text.rsplit(maxsplit=1)[-1]
    last_part = _WORD.findall(word)[-1]
    beginnings = {term: term for term in query_terms(word)}  # a name as a whole: `--dry-ru`
    for part in _WORD.findall(word)[:-1]:
        for term in query_terms(part):
            beginnings.pop(term, None)
    part_terms = query_terms(last_part)
    if len(part_terms) == 1:
        beginnings[part_terms[0]] = folded(last_part)
    elif part_terms and is_without_blanks(last_part):
        beginnings = {part_terms[-1]: part_terms[-1]}  # the last character, with which the next pair begins
    return beginnings


class _Speller:
    """Reads words by the vocabulary of one index. It looks there only for words that are unknown, or open and rare."""

    def __init__(self, keywords: Keywords, counts: Mapping[str, int], chunks: int) -> None:
        self._keywords = keywords
        self._counts = counts
        self._chunks = chunks
        self._corrected = 0

    def read(self, term: str, typed: str, beginning: str, forms: Sequence[str] = ()) -> Reading:
        """`typed` is the word if there is one, `beginning` what longer words begin with if it may go on, `forms` are
        its terms in documents in other languages."""
        own = self._known_forms(term, forms)
        if beginning and max((self._counts[form] for form in own), default=0) * RARE < self._chunks:
            completions = self._completions(term, beginning)
            if completions:
                return Reading(typed or term, term, completions | own, "beginning")
        if own:
            return Reading(term, term, own)
        if typed and self._corrected < MOST_CORRECTED:
            self._corrected += 1
            return self._misspelt(term, typed, is_open=bool(beginning))
        return Reading(typed or term, term, {}, "unknown")

    def _known_forms(self, term: str, forms: Sequence[str]) -> dict[str, float]:
        """The terms of the word itself that documents have. Where they keep the accents it was typed with, the word
        without them may be another one."""
        shares = {form: 1.0 for form in (term, *forms) if self._counts[form]}
        if term in shares and term.isascii() and not all(map(str.isascii, shares)):
            shares[term] = WITHOUT_ACCENTS
        return shares

    # Words that go on

    def _completions(self, term: str, beginning: str) -> dict[str, float]:
        """The terms of all words that begin so, with their shares."""
        if len(beginning) < SHORTEST_BEGINNING and not is_without_blanks(beginning):
            return {}
        counts = self._keywords.vocabulary(beginning).counts | self._known(_stems_of_completed(beginning))
        counts.pop(term, None)
        counts = {other: count for other, count in counts.items() if other not in function_terms()} or counts
        best = sorted(counts, key=lambda other: (-counts[other], other))[:MOST_COMPLETIONS]
        return _shares({other: float(counts[other]) for other in best})

    def _known(self, terms: Collection[str]) -> dict[str, int]:
        return {term: count for term, count in self._keywords.term_frequencies(terms).items() if count}

    # Words that are misspelt

    def _misspelt(self, term: str, typed: str, is_open: bool) -> Reading:
        near = self._near(term, folded(typed), is_open)
        likelihood = {other: count * EDIT_FACTOR**distance for other, (distance, count) in near.items()}
        best = sorted(likelihood, key=lambda other: (-likelihood[other], other))[:MOST_CORRECTIONS]
        if not best:
            return Reading(typed, term, {}, "unknown")
        shares = _shares({other: likelihood[other] for other in best})
        return Reading(typed, term, shares, "misspelt", _nearest_word(folded(typed), best[0]))

    def _near(self, term: str, word: str, is_open: bool) -> dict[str, tuple[int, int]]:
        """Terms that are few edits away → (edits, number of chunks).

        Most typing errors leave the first two letters alone, and few words begin with them. Only if no common word is
        one edit away there, all words with the first letter are looked at, and those where it is swapped or too much.
        """
        most = next((edits for letters, edits in EDITS if len(word) >= letters), 0)
        found: dict[str, tuple[int, int]] = {}
        if not most or len(word) > LONGEST_COMPARED:
            return found
        for beginnings in ((word[:2],), (word[0], word[1::-1], word[1:3])):
            for beginning in beginnings:
                vocabulary = self._keywords.vocabulary(beginning)
                for other, edits in _few_edits_away(vocabulary, term, word, most, is_open).items():
                    found[other] = edits, vocabulary.counts[other]
            if any(edits <= 1 and count >= COMMON for edits, count in found.values()):
                break
        return found


# -- words and stems


def _few_edits_away(vocabulary: Vocabulary, term: str, word: str, most: int, is_open: bool) -> dict[str, int]:
    """Terms of which some word is at most so many edits away. The word may be anywhere in the vocabulary."""
    if not word.isascii():  # endings are English; other words are compared by their stems
        return {**vocabulary.nearest(term, most), **vocabulary.nearest(word, most, is_open=is_open)}
    rough = vocabulary.nearest(word, most, endings=ENDINGS, is_open=is_open)
    best = sorted(rough, key=lambda other: (rough[other], -vocabulary.counts[other], other))[:COMPARED_WITH_ENDINGS]
    pairs = [(other, spelt) for other in best for spelt in _words_of(other)]
    exact: dict[str, int] = {}
    for (other, _), edits in zip(
        pairs, distances(word, [spelt for _, spelt in pairs], most, is_open=is_open), strict=True
    ):
        exact[other] = min(edits, exact.get(other, edits))
    return {other: edits for other, edits in exact.items() if edits <= most}


def _nearest_word(typed: str, term: str) -> str:
    words = _words_of(term)
    return min(zip(distances(typed, words), words, strict=True))[1]


@lru_cache(maxsize=4096)
def _words_of(term: str) -> tuple[str, ...]:
    """Words of which this may be the stem, itself among them."""
    if len(term) < SHORTEST_STEM or not (term.isascii() and term.isalpha()):
        return (term,)
    words = [term + ending for ending in ENDINGS]
    words += [term + term[-1] + ending for ending in ("ed", "er", "ers", "ing", "ings")]  # planned
    if term[-1] == "i":
        words.append(f"{term[:-1]}y")
    return (term, *(word for word in words if query_terms(word) == [term]))


def _stems_of_completed(beginning: str) -> set[str]:
    """Stems of the words that come from a beginning and an ending, of which it may have some letters already."""
    if not (beginning.isascii() and beginning.isalpha()):
        return set()
    words = {
        beginning + ending[common:]
        for ending in ENDINGS
        for common in range(len(ending))
        if beginning.endswith(ending[:common])
    }
    return {term for word in words for term in query_terms(word)}


def _shares(likelihood: Mapping[str, float]) -> dict[str, float]:
    """What each of several terms counts: together no more than one that is guessed."""
    total = sum(likelihood.values())
    return {term: TRUST * value / total for term, value in likelihood.items()}

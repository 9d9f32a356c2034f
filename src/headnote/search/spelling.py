"""What the words of a query stand for in an index: themselves, the words they begin, or the words they misspell.

A word that some document has is itself. The last word, while it is typed, also is every word that it begins, if no
document or hardly any has it as it is. Any other word that is in no document is taken for the words that are a letter
or two away, unless it is a common word or has digits: then nobody has mistyped it. Where it may be several, each counts
as much as it is likely, by the number of chunks that have it.

Documents store stems (`configur`), people type words (`configurati`). So an unfinished word is completed with the
endings that stems lack, and a misspelt one is compared with the common words that have a stem; where there are none,
as of most names, with the stem and with words that have such an ending.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from headnote.chunking.masking import strip_address_codes
from headnote.embedding.wordpieces import whole_words
from headnote.model import Guess, Hit, file_name
from headnote.store.interface import Reader
from headnote.store.keyword_fields import descriptions, terms_of
from headnote.store.rows import StoredChunk
from headnote.words.languages import (
    COMPUTING,
    ENGLISH,
    LATIN,
    OTHER_SCRIPTS,
    count_of_function_words,
    function_words_of,
    language_of,
)
from headnote.words.name_keys import without_question_words
from headnote.words.phrases import without_asking
from headnote.words.terms import (
    MAX_QUERY_TERMS,
    as_written,
    english_stems,
    exact_terms,
    folded,
    is_code,
    is_without_blanks,
    language_mark,
    operator_terms,
    other_forms,
    query_terms,
    terms,
    word_terms,
    words_of,
)
from headnote.words.vocabulary import MAX_COMPARED_CHARS, Vocabulary, distances

# -- The terms of a query that say what it is about, and how much of them a text covers.


# Function words occur in every document. In a small folder, where some of them are rare, they would count as much as
# the subject of a question.


@cache
def function_terms(words: str = ENGLISH + OTHER_SCRIPTS) -> frozenset[str]:
    """Terms that say nothing about the subject of a query."""
    # Not a constant: terms need the stemmer of an extra, and importing this module must not.
    return frozenset(terms(words))


def content_terms(text: str, languages: Iterable[str] = ()) -> list[str]:
    """The terms of a query without function words; all of its terms if there are no others. Languages in Latin letters
    other than English are those of the documents: `war` and `die` say something in most folders."""
    words = words_of(text if text.isascii() else without_question_words(text))
    asked = _asked_in(words, languages)
    subject = [word for word in words if _plain(word) not in asked]
    content = dict.fromkeys(term for word in subject for term in terms(word) if not _is_function(word, term))
    content |= dict.fromkeys(operator_terms(text))
    return list(content) or query_terms(text)


def _is_function(word: str, term: str) -> bool:
    # Without its accents, a word of another language may look like one of English: `thế`.
    return term in function_terms(ENGLISH if word.isascii() else OTHER_SCRIPTS)


def _asked_in(words: Iterable[str], languages: Iterable[str]) -> frozenset[str]:
    """The function words of the language of a query, if it has several of them and more than English ones."""
    plain = [_plain(word) for word in words]
    most, function_words = max(2, 1 + count_of_function_words(plain, "")), frozenset[str]()
    for language in languages:
        if (count := count_of_function_words(plain, language)) >= most:
            most, function_words = count + 1, function_words_of(language)
    return function_words


def _plain(word: str) -> str:
    return word.strip("¿¡«»„‚").lower()


def languages_in(reader: Reader) -> list[str]:
    """The languages in Latin letters, other than English, that documents are in."""
    counts = reader.term_frequencies(map(language_mark, LATIN))
    return [language for language in LATIN if counts[language_mark(language)]]


def rarity(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """The weight of each term: the fewer chunks have it, the more. A term in no chunk weighs most."""
    return {term: math.log1p(chunks / (1 + count)) for term, count in frequencies.items()}


def coverage(weights: Mapping[str, float], text_terms: Collection[str]) -> float:
    """Share of the weights that a text with these terms covers, from 0 to 1."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in text_terms) / total if total else 0.0


# -- The words of a passage behind the terms of the keyword index: `configure` for `configur`.


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
        text = "\n".join((strip_address_codes(chunk.text), *names, *descriptions(document, chunk.row)))
        wanted = self._terms.intersection(terms)
        language = language_of(chunk.source) if self._has_languages else ""
        found = dict(self._words_with(wanted, self._alike.findall(text), language).alone)
        for cut in (_WORD.findall, words_of):
            if missing := wanted.difference(found):
                written = self._words_with(missing, cut(text), language)
                found |= written.inside | written.alone
        return {term: found.get(term) or as_written(term) for term in terms}

    def _words_with(self, terms: frozenset[str], words: list[str], language: str) -> _Written:
        alone: dict[str, Counter[str]] = defaultdict(Counter)
        inside: dict[str, Counter[str]] = defaultdict(Counter)
        terms_by_word = word_terms(language)
        # Few words of a chunk are of the query: only these are counted.
        counts = Counter(filter(self._matching(words, language).__contains__, words))
        # Of two words that are written equally often, the first one counts.
        for word, count in counts.items():
            own = terms_by_word[word]
            for term in terms.intersection(own):
                (alone if len(own) == 1 else inside)[term][_in_a_sentence(word)] += count
        return _Written(_most_often(alone), _most_often(inside))

    def _matching(self, words: Iterable[str], language: str) -> set[str]:
        """All words so far, these among them, that became a term of the query."""
        known, terms_by_word = self._words[language], word_terms(language)
        new = set(words).difference(known.seen)
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
    return {term: max(words, key=words.__getitem__) for term, words in counts.items()}


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


# -- What the words of a query stand for in an index


Kind = Literal["known", "beginning", "misspelt", "unknown"]

TRUST = 0.8
"""Weight of a word other than the one that was typed."""
WITHOUT_ACCENTS = 0.2
"""Weight of a Vietnamese word without its accents, if documents have it with them."""
COVERED_BY_CORRECTION = 0.4
"""How much of a word a text covers that has a correction of it: a word about something else may look like any other."""
FORGIVEN = 1.0
"""A single unknown word weighs at most as much as all the known ones."""
MIN_BEGINNING = 2
"""Minimum letters of a beginning: one letter begins too many words."""
MAX_COMPLETIONS = 40
RARE = 1000
"""A last word that less than one in so many chunks has may be the beginning of another one."""

EDITS = ((8, 2), (4, 1))
"""(letters, edits): how many letters of a word of this length may be wrong. A shorter one is never corrected: every
short word is a letter away from many."""
EDIT_FACTOR = 0.1
"""How much less likely a word is with each edit."""
MAX_CORRECTIONS = 5
COMMON = 10
"""Chunks. A word that fewer have may itself be misspelt."""
HARDLY_ANY = 10_000
"""Of so many chunks, one has every common mistake: what no more of them have may be misspelt there, too."""
TIMES_AS_COMMON = 200
"""How many times as many chunks have the word that such a mistake stands for."""
MAX_FOUND = 3
"""Maximum words that a hit names for one word of the query."""
MAX_CORRECTED = 4
"""Words of a query. One that has more unknown words is about something else, or in another language."""
MIN_STEM = 4
"""Minimum letters of a stem: shorter ones are in too many words that do not exist, as `netlfy` would be `netly`."""
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
INFLECTIONS = ("e", "s", "es", "ed", "ing", "ings", "er", "ers")
"""Those that every verb and noun may have, whether or not a list of words has it so."""
DERIVATIONS = ("s", "es", "ed", "ing", "er", "ers", "en", "able", "less", "ness")
"""Endings that people put behind any word."""
_PREFIX = re.compile(r"(?:un|re|pre|de|dis|im|in|non|sub|over|mis|inter|multi|super|auto)(?=[a-z]{4})")
_DOUBLING = re.compile(r"[^aeiouy]*+[aeiou][^aeiouywx]")
"""A word that doubles its last letter in front of an ending that begins with a vowel: `stop`, `plan`."""
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class WordReading:
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
        return sorted(found, key=lambda term: -self.shares[term])[:MAX_FOUND]


def read_words(reader: Reader, text: str, chunks: int, literal: bool = False) -> list[WordReading]:
    """The terms of a query, each with what it stands for in an index of so many chunks. If the query is `literal`, no
    word is taken for a misspelt one, and all of it says what is asked."""
    text = text if literal else without_asking(text)
    languages = languages_in(reader)
    terms, forms = content_terms(text, languages), other_forms(text, languages)
    if len(terms) > MAX_QUERY_TERMS:  # a pasted text
        return [WordReading(term, term, dict.fromkeys((term, *forms.get(term, ())), 1.0)) for term in terms]
    counts = reader.term_frequencies((*terms, *chain.from_iterable(forms.values())))
    speller = _Speller(reader, counts, chunks, 0 if literal else MAX_CORRECTED, languages)
    words = _typed_words(text)
    beginnings = _open_beginnings(text)
    read = [speller.read(term, words.get(term, ""), beginnings.get(term, ""), forms.get(term, ())) for term in terms]
    return _without_unknown_wholes(text, read)


def _without_unknown_wholes(text: str, readings: list[WordReading]) -> list[WordReading]:
    """A word of several parts that no document has as a whole, like `video-display`, is its parts: it would only make
    them count as less of the query. A name in code is itself."""
    unknown = {reading.term for reading in readings if reading.kind == "unknown" and reading.term.isalnum()}
    if not unknown:
        return readings
    every = (terms(word) for word in words_of(text))
    wholes = {own[0] for own in every if len(own) > 1 and not is_without_blanks(own[0])} - exact_terms(text).keys()
    return [reading for reading in readings if reading.term not in wholes & unknown]


def shares_of(readings: Iterable[WordReading]) -> dict[str, float]:
    """Term of the index → how much it counts for the whole query."""
    shares: dict[str, float] = {}
    for reading in readings:
        for term, share in reading.shares.items():
            shares[term] = max(shares.get(term, 0.0), share)
    return shares


def is_guessed(reading: WordReading) -> bool:
    """Whether it stands for other words than the one that was typed."""
    return reading.kind in ("beginning", "misspelt")


def spelt_out(text: str, readings: Iterable[WordReading], best: Sequence[StoredChunk]) -> str:
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
            words[reading.typed] = written or (reading.word if _is_common(reading.word) else reading.typed)
    return _replaced(text, words)


def covered_share(
    readings: Sequence[WordReading], counts: Mapping[str, int], chunks: int, terms: Collection[str]
) -> float:
    """How much of a query a text with these terms covers, from 0 to 1; rare words weigh more.

    One unknown word weighs little more than all the known ones, so it alone does not make a text irrelevant.
    """
    return next(covered_shares(readings, counts, chunks, [terms]))


def covered_shares(
    readings: Sequence[WordReading], counts: Mapping[str, int], chunks: int, texts: Iterable[Collection[str]]
) -> Iterator[float]:
    """The same of several texts: what a word weighs does not depend on them."""
    weights = [_weight(reading, counts, chunks) for reading in readings]
    known = sum(weight for weight, reading in zip(weights, readings, strict=True) if reading.shares)
    unknown = [weight for weight, reading in zip(weights, readings, strict=True) if not reading.shares]
    total = known + (min(unknown[0], FORGIVEN * known) if len(unknown) == 1 else sum(unknown))
    for own in texts:
        covered = sum(weight * reading.part_in(own) for weight, reading in zip(weights, readings, strict=True))
        yield covered / total if total else 0.0


RARE_NAME = 100
"""A name that more than one in so many chunks has may be mentioned anywhere."""


def exact_shares(
    text: str, readings: Sequence[WordReading], counts: Mapping[str, int], chunks: int
) -> dict[str, float]:
    """The operators of code, marked names and rare names in a query that some chunk has, with the parts of the names →
    how much of the query each is; rare ones are more of it."""
    exact = exact_terms(text)
    weights = {reading.term: _weight(reading, counts, chunks) for reading in readings if reading.shares}
    most = max(chunks / RARE_NAME, 1)
    telling = [term for term in weights if term in exact and (is_code(term) or 0 < counts.get(term, 0) <= most)]
    total = sum(weights.values())
    return {term: weights[term] / total for name in telling for term in exact[name] if term in weights}


def _weight(reading: WordReading, counts: Mapping[str, int], chunks: int) -> float:
    """The rarity of the word as it was typed. A guess may be wrong, so it weighs as much as an unknown word."""
    own = {term: share for term, share in reading.shares.items() if reading.kind == "known" or share == 1.0}
    if not own:
        return rarity({reading.term: 0}, chunks)[reading.term]
    rarities = rarity({term: counts.get(term, 0) for term in own}, chunks)
    return sum(rarities[term] * share for term, share in own.items()) / sum(own.values())


# -- what people see


def guesses(readings: Iterable[WordReading], terms: Collection[str], written: Mapping[str, str]) -> tuple[Guess, ...]:
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

    def __init__(
        self, reader: Reader, counts: Mapping[str, int], chunks: int, corrections: int, languages: Sequence[str]
    ) -> None:
        self._reader = reader
        self._counts = counts
        self._chunks = chunks
        self._corrections_left = corrections
        self._languages = languages
        """Of the documents, besides English."""

    def read(self, term: str, typed: str, beginning: str, forms: Sequence[str] = ()) -> WordReading:
        """`typed` is the word if there is one, `beginning` what longer words begin with if it may go on, `forms` are
        its terms in documents in other languages."""
        own = self._known_forms(term, forms)
        goes_on = beginning and max((self._counts[form] for form in own), default=0) * RARE < self._chunks
        longer = self._completions(term, beginning) if goes_on else {}
        is_certain = own or max(longer.values(), default=0) >= COMMON
        if not is_certain and typed and self._corrections_left and not self._is_word(term, typed):
            self._corrections_left -= 1
            return self._misspelt(term, typed, longer, is_open=bool(beginning))
        if longer:
            return WordReading(typed or term, term, _shares(longer) | own, "beginning")
        if own:
            return WordReading(term, term, self._meant_too(term, typed, own) | own)
        return WordReading(typed or as_written(term), term, {}, "unknown")

    def _meant_too(self, term: str, typed: str, own: Collection[str]) -> dict[str, float]:
        """The common word that a word beside it stands for, if hardly any chunk has that one: `enviroment` is in some
        page of every large folder. It still is itself, too."""
        count = max(self._counts[form] for form in own)
        if not typed or not self._corrections_left or count * HARDLY_ANY > self._chunks or self._is_word(term, typed):
            return {}
        self._corrections_left -= 1
        near = self._near(term, folded(typed), is_open=False)
        meant = {
            other: float(often)
            for other, (edits, often) in near.items()
            if edits == 1 and often >= TIMES_AS_COMMON * count and other in _common_words()
        }
        return _shares(meant)

    def _is_word(self, term: str, typed: str) -> bool:
        """Whether a word that hardly any document has is spelt as it should be. A number is what it is."""
        if any(map(str.isdigit, typed)) or term in _common_words() or _is_derived(folded(typed)):
            return True
        return any(typed.lower() in function_words_of(language) for language in self._languages)

    def _known_forms(self, term: str, forms: Sequence[str]) -> dict[str, float]:
        """The terms of the word itself that documents have. Where they keep the accents it was typed with, the word
        without them may be another one."""
        shares = {form: 1.0 for form in (term, *forms) if self._counts[form]}
        if term in shares and term.isascii() and not all(map(str.isascii, shares)):
            shares[term] = WITHOUT_ACCENTS
        return shares

    # Words that go on

    def _completions(self, term: str, beginning: str) -> dict[str, float]:
        """The terms of all words that begin so, with the number of chunks that have them."""
        if len(beginning) < MIN_BEGINNING and not is_without_blanks(beginning):
            return {}
        counts = self._reader.vocabulary(beginning).counts | self._known(_stems_of_completed(beginning))
        counts.pop(term, None)
        counts = {other: count for other, count in counts.items() if other not in function_terms()} or counts
        best = sorted(counts, key=lambda other: (-counts[other], other))[:MAX_COMPLETIONS]
        return {other: float(counts[other]) for other in best}

    def _known(self, terms: Collection[str]) -> dict[str, int]:
        return {term: count for term, count in self._reader.term_frequencies(terms).items() if count}

    # Words that are misspelt

    def _misspelt(self, term: str, typed: str, longer: Mapping[str, float], is_open: bool) -> WordReading:
        """`longer` are the few words that begin so: it may be the beginning of one after all."""
        near = self._near(term, folded(typed), is_open)
        likelihood = {other: count * EDIT_FACTOR**distance for other, (distance, count) in near.items()}
        best = sorted(likelihood, key=lambda other: (-likelihood[other], other))[:MAX_CORRECTIONS]
        likely = {other: likelihood[other] for other in best if other not in longer}
        if sum(likely.values()) <= sum(longer.values()):
            return WordReading(typed, term, _shares(longer), "beginning" if longer else "unknown")
        shares = _shares({**likely, **longer})
        return WordReading(typed, term, shares, "misspelt", _nearest_word(folded(typed), best[0]))

    def _near(self, term: str, word: str, is_open: bool) -> dict[str, tuple[int, int]]:
        """Terms that are few edits away → (edits, number of chunks).

        Most typing errors leave the first two letters alone or swap the second with the third, and few words begin with
        them. Only if no common word is one edit away there, all words with the first letter are looked at, and those
        where it is swapped or too much.
        """
        most = next((edits for letters, edits in EDITS if len(word) >= letters), 0)
        found: dict[str, tuple[int, int]] = {}
        if not most or len(word) > MAX_COMPARED_CHARS:
            return found
        for beginnings in ((word[:2], word[0] + word[2]), (word[0], word[1::-1], word[1:3])):
            for beginning in beginnings:
                vocabulary = self._reader.vocabulary(beginning)
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


@cache
def _common_words() -> Mapping[str, Sequence[str]]:
    """Stem → the common words of English that have it. A small index lacks most of them, and none is misspelt."""
    words: defaultdict[str, list[str]] = defaultdict(list)
    common = [*whole_words(), *COMPUTING.split()]
    for word, stem in zip(common, english_stems(common), strict=True):
        words[stem].append(word)
    return dict(words)


def _is_derived(word: str) -> bool:
    """Whether a word is made of a common one, like `reusable` and `loader`: a list has only some of these."""
    beginning = _PREFIX.match(word)
    if beginning and _is_common(word[beginning.end() :]):
        return True
    return any(
        _is_base(base, ending)
        for ending in DERIVATIONS
        if word.endswith(ending) and len(base := word.removesuffix(ending)) >= MIN_STEM
    )


def _is_common(word: str) -> bool:
    return word in _common_words().get(english_stems([word])[0], ())


def _is_base(base: str, ending: str) -> bool:
    """Whether a common word takes an ending in this form. Some lose an `e` or double a letter: `stoped` is misspelt."""
    if ending[0] not in "aei":
        return _is_common(base)
    if base[-1] == base[-2] and _DOUBLING.fullmatch(base[:-1]):
        return _is_common(base[:-1])
    return _is_common(f"{base}e") or (_is_common(base) and not _DOUBLING.fullmatch(base))


@lru_cache(maxsize=4096)
def _words_of(term: str) -> tuple[str, ...]:
    """Words of which this is the stem, itself among them: common ones and their inflections, or, as of a name, all that
    it may be the stem of."""
    if len(term) < MIN_STEM or not (term.isascii() and term.isalpha()):
        return (term,)
    common = _common_words().get(term, ())
    words = [term + ending for ending in (INFLECTIONS if common else ENDINGS)]
    words += [term + term[-1] + ending for ending in ("ed", "er", "ers", "ing", "ings")]  # planned
    if term[-1] == "i":
        words.append(f"{term[:-1]}y")
    return (term, *common, *(word for word in words if query_terms(word) == [term]))


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

"""The words of all pages: for each term the chunks that have it, and what its score is made of."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from headnote.extra.export.encoding import number, text
from headnote.store.keyword_fields import field_texts
from headnote.store.rows import DEFAULT_WEIGHTS, StoredChunk
from headnote.words.terms import LONGEST_TERM, terms

SHARD = 6_000
"""Bytes of a shard. A term that has more is one by itself."""
_TYPOGRAPHY = str.maketrans("’‘“”–—…\xa0", "'       ")
_WORD = re.compile(r"(?:--?|[#.@$])?[0-9A-Za-z]+(?:[-._']{1,3}[0-9A-Za-z]+)*(?:\+\+|#(?![0-9A-Za-z]))?|[^\x00-\x7f]+")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def page_terms(source: str) -> list[str]:
    """The terms of a text as `static/terms.js` makes them. ASCII words have those of the index; other words have no
    stems, because the script would need a stemmer for each language."""
    if not source.isascii():
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", source.translate(_TYPOGRAPHY)))
        source = "".join(one for one in plain if unicodedata.category(one) != "Mn")
    return [term for word in _WORD.findall(source) for term in _word_terms(word)]


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str) -> tuple[str, ...]:
    # Texts repeat their words, and cutting each again took a quarter of an export.
    return tuple(terms(word) if word.isascii() else _others(word))


def _others(word: str) -> list[str]:
    result: list[str] = []
    for run in _WITHOUT_BLANKS.findall(word):
        result += [*(one + other for one, other in pairwise(run)), *run]
    rest = "".join(one if one.isalnum() else " " for one in _WITHOUT_BLANKS.sub(" ", word).lower())
    return result + [one[:LONGEST_TERM] for one in rest.split()]


class WordShards(NamedTuple):
    """The words of a site."""

    shards: list[bytes]
    first_terms: list[str]
    """Of each shard: a term is in the last shard that does not begin behind it."""
    average: float
    """Terms of a chunk."""


def words_of(chunks: Sequence[StoredChunk]) -> WordShards:
    """`chunks` in the order of their numbers."""
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    lengths: list[int] = []
    for at, chunk in enumerate(chunks):
        fields = [page_terms(field) for field in field_texts(chunk.document, chunk.row)]
        lengths.append(sum(map(len, fields)))
        counts: Counter[str] = Counter()
        for field, weight in zip(fields, DEFAULT_WEIGHTS, strict=True):
            for term, count in Counter(field).items():
                counts[term] += int(weight) * count
        for term, count in counts.items():
            postings[term].append((at, count))
    shards, first_terms = _shards(postings, lengths)
    return WordShards(shards, first_terms, sum(lengths) / max(len(lengths), 1))


def _shards(postings: dict[str, list[tuple[int, int]]], lengths: Sequence[int]) -> tuple[list[bytes], list[str]]:
    shards: list[bytes] = []
    first_terms: list[str] = []
    size = SHARD
    for term in sorted(postings, key=lambda one: one.encode("utf-16-be")):  # the order of strings in JavaScript
        entry = text(term) + _posting(postings[term], lengths)
        if size + len(entry) > SHARD:
            shards.append(b"")
            first_terms.append(term)
            size = 0
        shards[-1] += entry
        size += len(entry)
    return shards, first_terms


def _posting(places: Sequence[tuple[int, int]], lengths: Sequence[int]) -> bytes:
    """Of each chunk: how far from the one before, how often the term is in it, and how long it is."""
    data, last = bytearray(), 0
    for chunk, count in places:
        data += number(chunk - last) + number(count) + number(lengths[chunk])
        last = chunk
    return number(len(places)) + number(len(data)) + bytes(data)

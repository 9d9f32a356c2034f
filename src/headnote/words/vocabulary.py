"""The terms of an index that begin alike, and which of them are spelt almost like a word.

A misspelt word is compared with many thousand terms. Two cheap filters, by length and by the set of letters, leave few;
these are compared letter by letter, all at once: a row of the usual table of edit distances is a row for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from headnote.extras import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_COMPARED_CHARS = 40
"""Characters. Longer terms are no words that somebody mistypes."""
_FAR = 60
"""More than any distance between words that are compared; the double of it fits into a byte."""
_LAST_CHARACTER = "\U0010ffff"
"""No word contains it."""


class Vocabulary:
    """Terms with the number of chunks that have them. Immutable, so readers share it."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        """Nobody writes into it."""

    @property
    def bytes(self) -> int:
        """In memory, with the table for comparing."""
        return 300 * len(self.counts)

    def nearest(self, word: str, most: int, *, endings: Sequence[str] = (), is_open: bool = False) -> dict[str, int]:
        """Term → its distance to the word, of those that are at most so many edits away.

        An edit inserts, deletes or replaces a letter, or swaps two neighbours. The word may go on after the term with
        one of the endings, and if it `is_open`, the term after the word. `y` counts as `i`: stems write one for the
        other.
        """
        table, letters, m = self._table, _codes([_with_i(word)])[0], len(word)
        longest = max(map(len, endings), default=0)
        foreign, missing = _bits(table.masks & ~_mask(letters)), _bits(~table.masks & _mask(letters))
        near = (foreign <= most) & (table.lengths <= m + most) & (table.lengths >= m - longest - most)
        if is_open:
            near |= (missing <= most) & (table.lengths >= m - most)
        places = np.flatnonzero(near)
        lengths = table.lengths[places]
        whole, opened = _edits(table.letters[places, : lengths.max(initial=0)], lengths, letters, most)
        distances = (whole + _after(letters, map(_with_i, endings))).min(axis=1)
        if is_open:
            distances = np.minimum(distances, opened)
        found = np.flatnonzero(distances <= most)
        return {table.terms[places[at]]: int(distances[at]) for at in found}

    @cached_property
    def _table(self) -> _Table:
        terms = [term for term in self.counts if len(term) <= MAX_COMPARED_CHARS]
        letters = _codes(list(map(_with_i, terms)))
        lengths = np.fromiter(map(len, terms), np.int8, len(terms))
        masks = np.zeros(len(terms), np.uint32)
        for place in range(letters.shape[1]):
            bits = np.left_shift(np.uint32(1), letters[:, place] & 31)
            masks |= np.where(lengths > place, bits, 0).astype(np.uint32)
        return _Table(terms, letters, lengths, masks)


def past(beginning: str) -> str:
    """What comes after all words that begin like this, in the order of code points."""
    return beginning + _LAST_CHARACTER


class _Table(NamedTuple):
    terms: list[str]
    letters: NDArray[np.uint32]
    """One row a term, filled up with zeros."""
    lengths: NDArray[np.int8]
    masks: NDArray[np.uint32]
    """The letters of each term as a set of bits."""


def distances(word: str, others: Sequence[str], most: int = _FAR, *, is_open: bool = False) -> list[int]:
    """How many edits there are from the word to each of the others; if it `is_open`, to a beginning of them. Distances
    above `most` are above it, and not exact."""
    if not others:
        return []
    lengths = np.fromiter(map(len, others), "int8", len(others))
    whole, opened = _edits(_codes(others), lengths, _codes([word])[0], most)
    return [int(distance) for distance in (opened if is_open else whole[:, -1])]


def _with_i(word: str) -> str:
    return word.replace("y", "i")


def _codes(words: Sequence[str]) -> NDArray[np.uint32]:
    """The characters of each word as numbers, filled up with zeros."""
    width = max(map(len, words), default=0)
    text = "".join(word.ljust(width, "\0") for word in words)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return codes.reshape(len(words), width)


def _mask(letters: NDArray[np.uint32]) -> np.uint32:
    mask: np.uint32 = np.bitwise_or.reduce(np.left_shift(np.uint32(1), letters & 31), initial=np.uint32(0))
    return mask


def _bits(masks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How many bits are set: pairs are added up, then fours, and so on."""
    pairs = masks - ((masks >> 1) & 0x55555555)
    fours = (pairs & 0x33333333) + ((pairs >> 2) & 0x33333333)
    eights = (fours + (fours >> 4)) & 0x0F0F0F0F
    halves = eights + (eights >> 8)
    bits: NDArray[np.uint32] = (halves + (halves >> 16)) & 0x3F
    return bits


def _after(letters: NDArray[np.uint32], endings: Iterable[str]) -> NDArray[np.int8]:
    """How far the rest of a word, from each of its places on, is from the nearest of the endings.

    Endings that are read backwards from the end of the word give all places at once. The empty rest is one of them.
    """
    reversed_endings = ["", *(ending[::-1] for ending in endings)]
    lengths = np.fromiter(map(len, reversed_endings), np.int8, len(reversed_endings))
    whole, _ = _edits(_codes(reversed_endings), lengths, letters[::-1])
    rest: NDArray[np.int8] = whole.min(axis=0)[::-1]
    return rest


def _edits(
    letters: NDArray[np.uint32], lengths: NDArray[np.int8], word: NDArray[np.uint32], most: int = _FAR
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The distance of each term to every beginning of the word; and of its nearest beginning to all of the word.

    Terms that turn out to be farther away than `most` are dropped on the way: their distances are larger, no more.
    """
    columns = np.arange(len(word) + 1, dtype=np.int8)
    whole = np.full((len(letters), len(columns)), _FAR, np.int8)
    whole[lengths == 0] = columns
    opened = np.full(len(letters), len(word), np.int8)
    alive = np.flatnonzero(lengths)
    before = last = np.tile(columns, (len(alive), 1))
    for place in range(letters.shape[1]):
        row = _next_row(letters[alive, max(place - 1, 0) : place + 1], word, before, last)
        left = lengths[alive] - (place + 1)
        whole[alive[left == 0]] = row[left == 0]
        opened[alive] = np.minimum(opened[alive], row[:, -1])
        # A swap may still begin in the row before.
        kept = (left > 0) & ((row.min(axis=1) <= most) | (last.min(axis=1) < most))
        alive, before, last = alive[kept], last[kept], row[kept]
    return whole, opened


def _next_row(
    letters: NDArray[np.uint32], word: NDArray[np.uint32], before: NDArray[np.int8], last: NDArray[np.int8]
) -> NDArray[np.int8]:
    """The row of the table for the last of these letters, of which there are one or two."""
    letter = letters[:, -1:]
    row = last + np.int8(1)
    row[:, 1:] = np.minimum(row[:, 1:], last[:, :-1] + (letter != word))
    if letters.shape[1] > 1:
        is_swapped = (letter == word[:-1]) & (letters[:, :1] == word[1:])
        row[:, 2:] = np.where(is_swapped, np.minimum(row[:, 2:], before[:, :-2] + 1), row[:, 2:])
    # Letters of the word may be inserted: each column is at most one more than the column before it.
    columns = np.arange(len(word) + 1, dtype=np.int8)
    return np.minimum.accumulate(row - columns, axis=1) + columns

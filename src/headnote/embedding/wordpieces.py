"""Text as the word pieces of BERT's uncased vocabulary, exactly as its own tokenizer makes them.

Words are found by their spelling alone: lower case, without accents, punctuation apart. A word that the vocabulary does
not have is cut into the longest pieces that it has. Documentation repeats its words, so what stands between two blanks
is looked at once: that makes plain Python faster than a compiled tokenizer.

The vocabulary has words of Latin scripts. Of others it has the letters at most, so a text in one of them is spelled
rather than read, and what a model makes of that is noise.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

from headnote.words.memory import word_memory

UNKNOWN = 100
"""The piece of a word that cannot be cut into pieces of the vocabulary."""
MAX_WORD_CHARS = 100
"""Characters of a word that are worth cutting; a longer one is unknown."""

VOCABULARY = Path(__file__).parent / "data" / "vocabulary.txt"
"""One piece per line. Its line is its number; `##` begins a piece that continues a word."""

_IDEOGRAPHS = [
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),  # the tokenizer begins this range a little late, and so do we
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
]
"""Each of these characters is a word."""

_INVISIBLE = {"Cc", "Cf", "Co", "Cs"}
_INVISIBLE_BLANKS = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
"""Python takes them for blanks, the vocabulary for nothing."""
_PLAIN_WORD = re.compile(r"[a-z0-9]++|[^a-z0-9]")
"""Without control characters, accents and other scripts, one pattern does what spelling each character does."""
_REMEMBERED = 1 << 17

NUMBER = "q"
"""The type of a piece's number, as `array` and numpy write it."""
_UNKNOWN = array(NUMBER, [UNKNOWN])
NUMBER_BYTES = _UNKNOWN.itemsize


class WordPieces:
    """Cuts texts into the numbers of their pieces. One object serves any number of threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._first = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._longest = max(map(len, vocabulary))
        self._spellings = _Spellings()
        self._vocabulary = vocabulary
        self._packed = word_memory(self._pack, _REMEMBERED)
        self._pieces = word_memory(self._cut, _REMEMBERED)
        self._spelled = word_memory(self._count_spelled, _REMEMBERED)

    @cached_property
    def _following(self) -> dict[str, int]:
        """Most queries have only words that are pieces themselves."""
        return {piece[2:]: number for piece, number in self._first.items() if piece.startswith("##")}

    @cached_property
    def _strange(self) -> set[int]:
        """Pieces that tell nothing but letters. No English text asks for them."""
        return {number for number, piece in enumerate(self._vocabulary) if _is_strange(piece.removeprefix("##"))}

    def ids(self, text: str) -> list[int]:
        """The numbers of the pieces, in the order of the text; empty if nothing is visible in it."""
        return array(NUMBER, self.packed(text)).tolist()

    def packed(self, text: str) -> bytes:
        """The same as an array."""
        if _INVISIBLE_BLANKS.search(text):
            text = _INVISIBLE_BLANKS.sub("", text)
        return b"".join(self._packed.of_words(text))

    def readable_ids(self, text: str) -> list[int]:
        """The numbers of the pieces; none also if more than half of them are only spelled."""
        return self.ids(text) if self.can_read(text) else []

    def can_read(self, text: str) -> bool:
        """Whether at most half of the pieces are only spelled."""
        if text.isascii():
            return True
        visible = _INVISIBLE_BLANKS.sub("", text) if _INVISIBLE_BLANKS.search(text) else text
        spelled = sum([self._spelled[word] for word in visible.split() if not word.isascii()])
        return not spelled or 2 * spelled * NUMBER_BYTES <= len(self.packed(text))

    def _pack(self, written: str) -> bytes:
        """The pieces of what stands between two blanks."""
        return b"".join([self._pieces[word] for word in self._words(written)])

    def _words(self, written: str) -> list[str]:
        """What stands between two blanks as the vocabulary spells it: a word, and the marks that touch it."""
        if written.isascii() and written.isprintable():
            return _PLAIN_WORD.findall(written.lower())
        return written.translate(self._spellings).split()

    def _count_spelled(self, written: str) -> int:
        """How many of its pieces tell nothing but letters. An unknown word counts as if each letter were a piece:
        Thai has no spaces, so that a whole sentence may be one."""
        spelled = 0
        for word in self._words(written):
            pieces = array(NUMBER, self._pieces[word])
            if pieces == _UNKNOWN:
                spelled += max(1, sum(map(_is_strange, word)))
            else:
                spelled += sum(map(self._strange.__contains__, pieces))
        return spelled

    def _cut(self, word: str) -> bytes:
        """The longest piece that the word begins with, then the longest that goes on from there."""
        if len(word) > MAX_WORD_CHARS:
            return _UNKNOWN.tobytes()
        if word in self._first:
            return array(NUMBER, [self._first[word]]).tobytes()
        pieces = array(NUMBER)
        start, known = 0, self._first
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = known.get(word[start:end])
                if number is not None:
                    pieces.append(number)
                    break
            else:
                return _UNKNOWN.tobytes()
            start, known = end, self._following
        return pieces.tobytes()


def _is_strange(piece: str) -> bool:
    """Whether it has letters, and none that English has. Accents do not count: the spelling has removed them."""
    return piece.isalpha() and not any(map(str.isascii, piece))


class _Spellings(dict[int, str]):
    """A table for `str.translate`: what becomes of each character."""

    def __missing__(self, code: int) -> str:
        self[code] = _spelling(chr(code))
        return self[code]


def _spelling(character: str) -> str:
    """The character in lower case without accents; with spaces around it if it is a word by itself."""
    if character in "\t\n\r":
        return " "
    if unicodedata.category(character) in _INVISIBLE or character == "\ufffd":
        return ""
    if character.isspace():
        return " "
    parts = unicodedata.normalize("NFD", character)
    if any(ord(character) in ideographs for ideographs in _IDEOGRAPHS):
        return f" {parts} "
    letters = "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")
    return "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in letters)


def _is_punctuation(letter: str) -> bool:
    return (letter.isascii() and not letter.isalnum()) or unicodedata.category(letter).startswith("P")


def whole_words() -> list[str]:
    """The words that the vocabulary has whole, the most frequent first: English ones, and names."""
    return [piece for piece in _vocabulary() if piece.isascii() and piece.isalpha()]


def _vocabulary() -> list[str]:
    return VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]


@cache
def uncased() -> WordPieces:
    """The word pieces of all models: they have the same vocabulary, and share what is remembered of words."""
    return WordPieces(_vocabulary())

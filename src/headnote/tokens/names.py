"""A name, a file or a function → the counter. The file is a `tokenizer.json` as of Hugging Face."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any

from headnote.arguments import check_types
from headnote.errors import SettingsError
from headnote.extras import install
from headnote.model import CODE_LIKE, Block
from headnote.tokens.bpe import ENCODINGS, as_encodable, open_counter
from headnote.tokens.counter import CharacterCounter, Counter


class HuggingFaceCounter(Counter):
    """Counts the tokens of a text, without the special tokens that a model puts around it.

    Normalizers and templates may do anything, so weights are not assumed to add up anywhere.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._tokenizer = _load(path)

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:  # noqa: ARG002
        return [len(encoding) for encoding in self._encode(texts)]

    def boundaries(self, text: str, code: bool = False) -> Sequence[int]:  # noqa: ARG002
        encoding = self._encode([text])[0]
        boundaries = [0]
        # Text that no token covers (usually whitespace) goes with the token before it. Several tokens in one
        # character have the same offsets, and so the same boundary.
        boundaries.extend(max(start, boundaries[-1]) for start, _ in encoding.offsets[1:])
        if len(encoding):
            boundaries.append(len(text))
        return boundaries

    def _encode(self, texts: Sequence[str]) -> list[Any]:
        try:
            encodings: list[Any] = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        except (TypeError, UnicodeEncodeError):
            return self._encode([as_encodable(text) for text in texts])
        return encodings

    def __reduce__(self) -> tuple[Any, ...]:
        return open_tokenizer, (Path(self.name),)


@cache
def open_tokenizer(path: Path) -> HuggingFaceCounter:
    """The counter for that file, loaded once per process."""
    return HuggingFaceCounter(path)


def _load(path: Path) -> Any:
    try:
        library = import_module("tokenizers")
    except ImportError:
        raise SettingsError(
            "counting with a tokenizer.json needs the package tokenizers",
            path=str(path),
            remedy=f"run: {install('tokenizers')}",
        ) from None
    try:
        tokenizer = library.Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            f"cannot read the tokenizer: {error.strerror}", path=str(path), remedy="give the path of a tokenizer.json"
        ) from None
    except Exception as error:  # noqa: BLE001 - the library raises nothing more precise
        raise SettingsError(
            f"not a tokenizer: {error}", path=str(path), remedy="give a Hugging Face tokenizer.json"
        ) from None
    # The file may truncate or pad for the model's own batches. A count needs the whole text and nothing else.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # read them as ordinary text
    return tokenizer


# -- A function `str → int` as a counter.


class FunctionCounter(Counter):
    """Calls the function once for every text."""

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._function = function

    def weigh(self, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:  # noqa: ARG002
        return [self._size_of(text) for text in texts]

    def _size_of(self, text: str) -> int:
        result = self._function(text)
        try:
            size = index(result)
        except TypeError:
            size = -1
        if size < 0:
            raise SettingsError(
                f"the counter {self.name!r} returned {result!r}", remedy="return the size as a whole number, 0 or more"
            )
        return size

    def _fit_window(self, text: str, limit: int, code: bool) -> int:
        """Fit by bisection, since there are no boundaries. Correct for any function that grows with the text."""
        if self.count(text, code) <= limit:
            return len(text)
        fits, over = 0, len(text)
        while over - fits > 1:
            middle = (fits + over) // 2
            if self.count(text[:middle], code) <= limit:
                fits = middle
            else:
                over = middle
        return fits


# -- A name, a file or a function → the counter


CounterLike = str | PathLike[str] | Callable[[str], int] | Counter
"""What `get_counter` takes: a name, the path of a `tokenizer.json`, a function, a counter."""

NAMES = ("cl100k", "o200k", "chars", "chars4", "estimate")
"""The built-in counters."""

BIASES = {"balanced": "estimate", "prose": "estimate-prose", "code": "estimate-code"}
"""Bias of the estimate → its counter."""

_BY_ENCODING = {encoding: name for name, encoding in ENCODINGS.items()}


def count_tokens(text: str, counter: CounterLike = "cl100k") -> int:
    """Size of a text.

    >>> count_tokens("hello world")
    2
    >>> count_tokens("hello world", "chars")
    11
    """
    check_types(text=(text, str))
    return get_counter(counter).count(text)


def estimate_tokens(block_or_text: Block | str, bias: str = "balanced", *, source: str | None = None) -> int:
    """Estimated size of a text, or of a block by its kind: a token has 4 characters of prose or 2.75 of code.

    A block knows how long it is. What stands in it matters only if it may have wide characters (CJK, emoji), which are
    a token each: then give the text of its document as `source`.

    Args:
        block_or_text: A block of `headnote.parse`, or a text, which counts as prose.
        bias: `balanced`, `prose` (4.4 and 3 characters) or `code` (3.6 and 2.4).
        source: The text that the block was parsed from.

    >>> estimate_tokens("hello world")
    3
    >>> estimate_tokens("hello world", bias="code")
    4
    """
    check_types(block_or_text=(block_or_text, Block | str), bias=(bias, str), source=(source, str | None))
    counter = get_counter("estimate", bias)
    if isinstance(block_or_text, str):
        return counter.count(block_or_text)
    start, end = block_or_text.start, block_or_text.end
    text = " " * (end - start) if source is None else source[start:end]
    return counter.count(text, block_or_text.kind in CODE_LIKE)


def get_counter(counter: CounterLike = "cl100k", bias: str = "balanced") -> Counter:
    """The counter for a name, a file or a function. A name always gives the same object.

    `bias` matters to the counter `estimate` only.
    """
    if bias not in BIASES:
        raise SettingsError(f"unknown bias {bias!r}", remedy=_suggest(bias, list(BIASES)))
    if isinstance(counter, str):
        return _named(counter, bias)
    if isinstance(counter, Counter):
        return counter
    if isinstance(counter, PathLike):
        return _from_file(Path(counter))
    if callable(counter):
        return FunctionCounter(counter)
    raise SettingsError(
        f"{counter!r} is not a counter", remedy=f"use {', '.join(NAMES)}, a tokenizer.json or a function"
    )


def _named(name: str, bias: str) -> Counter:
    name = _BY_ENCODING.get(name, name)
    if name in ENCODINGS:
        return open_counter(name)
    if name == "estimate":
        return _characters(BIASES[bias])
    if name in NAMES or name in BIASES.values():
        return _characters(name)
    if name.endswith(".json") or "/" in name or "\\" in name:
        return _from_file(Path(name))
    raise SettingsError(
        f"unknown counter {name!r}", remedy=_suggest(name, list(NAMES)) + ", or the path of a tokenizer.json"
    )


def _from_file(path: Path) -> Counter:
    return open_tokenizer(path / "tokenizer.json" if path.is_dir() else path)


def _suggest(word: str, known: list[str]) -> str:
    from difflib import get_close_matches  # late: only mistakes need it

    nearest = get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {nearest[0]}?" if nearest else f"known: {', '.join(known)}"


@cache
def _characters(name: str) -> Counter:
    return CharacterCounter(name)

"""Any tokenizer that comes as a Hugging Face `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from headnote.errors import SettingsError
from headnote.extras import install
from headnote.tokens.bpe import as_encodable
from headnote.tokens.counter import Counter


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
            f"cannot read the tokenizer: {error.strerror}",
            path=str(path),
            remedy="give the path of a tokenizer.json",
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

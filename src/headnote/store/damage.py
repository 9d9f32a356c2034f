"""What a database gives back and nobody has stored: one failure for all of it, whatever broke on it first.

A byte that turned over on the disk shows where it is decoded: as text that is no UTF-8, as JSON that ends in the
middle, as a matrix of an odd size. Readers pass through `decoding`, so that none of this goes further as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from headnote.store.base import Reader

REPAIR = "run headnote doctor --repair"

_SIGNS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What decoding raises on data that is not what it was: `UnicodeDecodeError` and `JSONDecodeError` are ValueErrors."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
ReaderClass = TypeVar("ReaderClass", bound=type)


class Damaged(Exception):
    """What is stored cannot be what was stored. The store knows its place, and makes a CorruptIndex of it."""


def decoding(method: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A method that decodes what the database gives, and raises nothing but Damaged if it cannot."""

    @wraps(method)
    def decoded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return method(*args, **kwargs)
        except _SIGNS as error:
            reason = " ".join(str(error).split())
            raise Damaged(f"what is stored cannot be read: {reason}") from error

    return decoded


def decodes_all(reader: ReaderClass) -> ReaderClass:
    """A class whose every answer, as `Reader` lists them, passes through `decoding`."""
    for name, asked in vars(Reader).items():
        if callable(asked) and not name.startswith("_"):
            setattr(reader, name, decoding(getattr(reader, name)))
    return reader


def integer(value: Any) -> int:
    """A number of a row. Whoever computes with it is far from the database, where a text in its place is a surprise."""
    if type(value) is not int:
        raise TypeError(f"{value!r:.40} in place of a number")
    return value

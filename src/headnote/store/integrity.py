"""Stored data that is not what was stored: how it is noticed, and the one error it becomes.

A flipped bit on the disk shows where data is decoded: as text that is not UTF-8, as JSON that ends in the middle, as a
matrix of an odd size. All answers of a reader pass through `decoding`, so none of these errors gets further. Entries of
the manifest would decode to another folder or setting without a sign of damage, so they carry a hash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

REPAIR = "run headnote doctor --repair"

_SIGNS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What decoding raises for damaged data; `UnicodeDecodeError` and `JSONDecodeError` are ValueErrors, and JSON that is
too deep is a RecursionError."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Damaged(Exception):
    """Stored data is damaged. The store, which knows the place, turns this into a CorruptIndex."""


def decoding(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Makes a function raise Damaged, and nothing else, for data that it cannot decode."""

    @wraps(function)
    def decoded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except _SIGNS as error:
            reason = " ".join(str(error).split())
            raise Damaged(f"stored data cannot be read: {reason}") from error

    return decoded


def integer(value: Any) -> int:
    """Check that a column is an integer: text in its place would only fail later, far from the database."""
    if type(value) is not int:
        raise TypeError(f"{value!r:.40} in place of a number")
    return value


# -- signed entries of the manifest

ROOTS = "roots"
"""The entry that says which folders own the index."""
STORED_SETTINGS = "stored_settings"
"""The entry with the settings of this index."""
INSTANT = "instant"
"""The entry with the name of the model that has a vector of every text and name, if there is one."""
SITES = "sites"
"""The entry with the sites by which its links were resolved."""
BROKEN = "broken"
"""The entry of a pack with the places of links that were broken in the folder."""
FOLDERS = "folders"
"""The entry of an index of several folders: where each is, and the settings of its documents."""
COMMITS = "commits"
"""The entry that says how far the commits of each root are known."""
DATES = "dates"
"""The entry with what says when a document was changed, in order."""
READER = "reader"
"""The entry with the version of what has read the documents."""
UNFINISHED = "unfinished"
"""The entry of an index whose files are not all read: for each scope, how many are, and how many there are."""


def signed(value: object) -> str:
    """A hash, followed by the value as JSON."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return f"{_hash(text)} {text}"


def unsigned(entry: str) -> Any:
    """The value that was signed. An entry that does not match its hash is damage."""
    if not _is_sound(entry):
        raise Damaged("an entry of the manifest is damaged")
    return json.loads(entry.partition(" ")[2])


def without_damage(manifest: Mapping[str, str]) -> dict[str, str]:
    """All entries but signed ones that do not match their hash."""
    return {
        key: entry
        for key, entry in manifest.items()
        if key not in (ROOTS, STORED_SETTINGS, SITES, FOLDERS, COMMITS, UNFINISHED) or _is_sound(entry)
    }


def _is_sound(entry: str) -> bool:
    digest, _, text = entry.partition(" ")
    return digest == _hash(text)


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

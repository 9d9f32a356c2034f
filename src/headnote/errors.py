"""Everything headnote raises on purpose, and the words of its messages.

    HeadnoteError
    ├── SourceError           a file that cannot be read as text
    │   ├── MissingSource       it is not there
    │   ├── NotAFile            it is a folder, a socket, …
    │   ├── UnreadableSource    the system refuses to open it
    │   ├── NotText             binary, or in an unknown encoding
    │   └── SkippedSource       it was left out; a warning, which is shown and not raised
    ├── IndexFailure          an index that cannot be used
    │   ├── MissingIndex        there is none
    │   ├── UnreadIndex         no update has read the folder to the end; `Index.search` shows it as a warning
    │   ├── CorruptIndex        its file is damaged, or not an index
    │   ├── NewerIndex          written by a later headnote
    │   ├── ForeignIndex        it belongs to another folder
    │   ├── LockedIndex         another writer is active
    │   ├── UnwritableIndex     the system refuses: disk full, read-only, no permission
    │   └── UnreachableIndex    its server does not answer, refuses the connection, or went away
    ├── EmbeddingError        texts that could not be embedded
    │   └── ServiceError        the service for it failed; of a chat service, the cause of an AnswerError
    │       ├── MissingKey          it needs a key, and the environment has none
    │       ├── RequestRefused      it refuses the request, and would refuse it again
    │       ├── RateLimited         it still asks to wait after several tries
    │       ├── ServiceUnavailable  it fails, does not answer in time, or cannot be reached
    │       └── WrongAnswer         its response makes no sense
    ├── AnswerError           a question that no model could answer
    ├── BulkError             a bulk job that cannot start or continue
    ├── MissingExtra          a package of an extra that is not installed; an ImportError, too
    └── SettingsError         a setting that is invalid
        ├── UntrustedSettings   it is not used until the user trusts the folder; a warning
        └── FilterError         a filter that cannot be understood, and where

Malformed Markdown is not among them: it never raises.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class HeadnoteError(Exception):
    """One line for people: what is wrong, where, and how to fix it."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, remedy: str = "") -> None:
        self.message = message
        self.path = path
        self.line = line
        self.remedy = remedy
        # Not through `__init__`: that of an ImportError would forget the path.
        self.args = (str(self),)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.remedy})" if self.remedy else text


class SourceError(HeadnoteError):
    """A file that cannot be read as text."""


class MissingSource(SourceError):
    """There is no such file."""


class NotAFile(SourceError):
    """The path is a folder or something else that holds no text."""


class UnreadableSource(SourceError):
    """The operating system refuses to open it."""


class NotText(SourceError):
    """Binary, or in an unknown encoding."""


class SkippedSource(SourceError, UserWarning):
    """A file that was left out. It is a warning: `warnings` shows it, and nothing raises it unless you ask for that."""


class IndexFailure(HeadnoteError):
    """An index that cannot be used."""


class MissingIndex(IndexFailure):
    """The folder has no index."""


class UnreadIndex(IndexFailure, UserWarning):
    """No update has read the folder yet. A retriever of a framework raises it; `Index.search` shows it as a warning.
    `Index.broken_links` and `Index.orphans` raise it until an update has read the folder to the end."""


class CorruptIndex(IndexFailure):
    """Its file is damaged, or is not an index at all."""


class NewerIndex(IndexFailure):
    """Written by a later version of headnote; this one leaves it alone."""


class ForeignIndex(IndexFailure):
    """It was made from another folder, and stays as it is."""


class LockedIndex(IndexFailure):
    """Another writer is active and did not finish in time."""


class UnwritableIndex(IndexFailure):
    """The operating system refuses to write it: disk full, read-only folder, no permission."""


class UnreachableIndex(IndexFailure):
    """The server that holds it does not answer, refuses the connection, or went away."""


class EmbeddingError(HeadnoteError):
    """Texts that could not be embedded."""


class ServiceError(EmbeddingError):
    """A service could not be used. A chat service's error only surfaces as the cause of an `AnswerError`."""


class MissingKey(ServiceError):
    """The service needs a key, and the environment has none, or one that cannot be sent."""


class RequestRefused(ServiceError):
    """The service refuses the request: wrong key, unknown model, unacceptable text."""


class RateLimited(ServiceError):
    """The service still asks to wait after several tries."""


class ServiceUnavailable(ServiceError):
    """The service fails, does not answer in time, or cannot be reached."""


class WrongAnswer(ServiceError):
    """The service responds, but not with one vector per text, or not with an answer."""


class AnswerError(HeadnoteError):
    """A question that no model could answer. Its cause is the error of the service."""


class BulkError(HeadnoteError):
    """A bulk job that cannot start or continue. Finished parts stay."""


class MissingExtra(HeadnoteError, ImportError):  # type: ignore[misc]  # whose path may be None, and ours is text
    """A package of an extra is not installed. The remedy is the command that installs it.

    It is an `ImportError`, too, so that tools that try every module go on.
    """


class SettingsError(HeadnoteError):
    """An invalid setting. The remedy says what is valid."""


class UntrustedSettings(SettingsError, UserWarning):
    """Settings of a folder that are not used until the user trusts it. It is a warning: nothing raises it."""


class FilterError(SettingsError):
    """A filter that cannot be understood. `text[position:]` begins where something else was expected."""

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        position: int = 0,
        path: str = "",
        line: int | None = None,
        remedy: str = "",
    ) -> None:
        self.text = text
        self.position = position
        rest = text[position:].split(maxsplit=1)
        where = f"at {rest[0][:40]!r}, character {position + 1}" if rest else "at the end"
        super().__init__(f"{message}, {where}" if text.strip() else message, path=path, line=line, remedy=remedy)


def reason_of(error: OSError | ValueError) -> str:
    """What the system says, as it stands in the middle of a message."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def warn(warning: Warning) -> None:
    """Show a warning, at the line of the program that called headnote."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("headnote."):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


# -- The words of a message


def nearest(
    word: str, known: Sequence[str], otherwise: str = "", spelled: Callable[[str], str] = str, also: Iterable[str] = ()
) -> str:
    """A remedy for an unknown word: the known word that is most like it, else all of them. `also` are words that mean
    one of them: they are suggested, and not listed."""
    from difflib import get_close_matches  # late: only mistakes need it

    matches = get_close_matches(word.lower(), (*known, *also), n=1, cutoff=0.5)
    if matches:
        return f"did you mean {spelled(matches[0])}?" + (f" Otherwise {otherwise}" if otherwise else "")
    return f"known: {', '.join(map(spelled, known))}" + (f"; otherwise {otherwise}" if otherwise else "")


def shown(value: object) -> str:
    """A value for a message of one line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer with more digits than Python prints
        return f"of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."

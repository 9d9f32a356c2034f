"""Everything headnote raises on purpose.

    HeadnoteError
    ├── SourceError           a file that cannot be read as text
    │   ├── MissingSource       it is not there
    │   ├── NotAFile            it is a folder, a socket, …
    │   ├── UnreadableSource    the system refuses to open it
    │   └── NotText             binary, or bytes in no encoding we can tell
    ├── IndexFailure          an index that cannot be used
    │   ├── MissingIndex        there is none
    │   ├── CorruptIndex        its file is damaged, or none of ours
    │   ├── NewerIndex          a later headnote has written it
    │   ├── ForeignIndex        it belongs to another folder
    │   ├── LockedIndex         another writer is at work
    │   ├── UnwritableIndex     the system refuses: disk full, read-only, no permission
    │   └── UnreachableIndex    its server does not answer, refuses us, or went away
    ├── EmbeddingError        texts that could not be made into vectors
    │   └── ServiceError        the service for it failed; of a chat service, the cause of an AnswerError
    │       ├── MissingKey          it needs a key, and the environment has none
    │       ├── RequestRefused      it refuses the request, and would refuse it again
    │       ├── RateLimited         it still asks to wait after several tries
    │       ├── ServiceUnavailable  it fails, does not answer in time, or cannot be reached
    │       └── WrongAnswer         its response makes no sense
    ├── AnswerError           a question that no model could be asked, or that none answered
    ├── BulkError             a job over many documents that cannot begin, or cannot go on
    ├── MissingExtra          a package that an extra brings
    └── SettingsError         a setting that makes no sense

Malformed Markdown is not among them: it never raises.
"""

from __future__ import annotations


class HeadnoteError(Exception):
    """One line for people: what is wrong, where, and what to do about it."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, remedy: str = "") -> None:
        self.message = message
        self.path = path
        self.line = line
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.remedy})" if self.remedy else text


class SourceError(HeadnoteError):
    """A file that cannot be read as text."""


class MissingSource(SourceError):
    """There is no such file."""


class NotAFile(SourceError):
    """The path names a folder or something else that holds no text."""


class UnreadableSource(SourceError):
    """The operating system refuses to open it."""


class NotText(SourceError):
    """Binary, or bytes in no encoding that can be told."""


class IndexFailure(HeadnoteError):
    """An index that cannot be used."""


class MissingIndex(IndexFailure):
    """The folder has no index."""


class CorruptIndex(IndexFailure):
    """Its file is damaged, or is not an index at all."""


class NewerIndex(IndexFailure):
    """A later version of headnote has written it; this one leaves it alone."""


class ForeignIndex(IndexFailure):
    """It was made from another folder, and is left as it is."""


class LockedIndex(IndexFailure):
    """Another writer is at work and did not end in time."""


class UnwritableIndex(IndexFailure):
    """The operating system refuses to write it: disk full, read-only folder, no permission."""


class UnreachableIndex(IndexFailure):
    """The server it is kept on does not answer, refuses us, or went away in the middle."""


class EmbeddingError(HeadnoteError):
    """Texts that could not be made into vectors."""


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
    """A question that no model could be asked, or that none answered; its cause says what the service did."""


class BulkError(HeadnoteError):
    """A job over many documents that cannot begin, or cannot go on; what is finished stays."""


class MissingExtra(HeadnoteError):
    """A package that only an extra brings, with the command that installs it."""


class SettingsError(HeadnoteError):
    """A setting that makes no sense, with the nearest that does."""

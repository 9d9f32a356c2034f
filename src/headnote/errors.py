"""Everything headnote raises on purpose.

    HeadnoteError
    ├── SourceError           a file that cannot be read as text
    │   ├── MissingSource       it is not there
    │   ├── NotAFile            it is a folder, a socket, …
    │   ├── UnreadableSource    the system refuses to open it
    │   └── NotText             binary, or bytes in no encoding we can tell
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


class SettingsError(HeadnoteError):
    """A setting that makes no sense, with the nearest that does."""

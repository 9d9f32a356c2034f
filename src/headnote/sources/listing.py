"""The result of listing a folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class ListedFile(NamedTuple):
    """A file to be read."""

    path: str
    """From the root, with `/` between the parts; always valid Unicode."""
    size: int
    """In bytes."""
    mtime_ns: int
    """When it was last written, in nanoseconds since 1970."""


class SkippedFile(NamedTuple):
    """A file or folder that one might miss, and why it is not listed. Ignored files are not among them."""

    path: str
    """From the root. For display: bytes that are not UTF-8 are shown as `\\xff`."""
    reason: str
    """Why it was left out, in plain words."""
    unreadable: bool = False
    """It could not be read: it may still be there, with everything in it."""
    is_missing: bool = True
    """Whether its content is in no document. Of a link to what is read anyway, it is."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a root, in the order of their paths, part by part."""

    files: list[ListedFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """Every folder that was read, from the root; the root itself is `.`."""
    rules_from: list[str] = field(default_factory=list)
    """Folders above the root, by full path, whose ignore files apply to it."""
    site_marks: list[str] = field(default_factory=list)
    """Files and folders, from the root, that configure the generator of a site."""
    absent: list[SkippedFile] = field(default_factory=list)
    """Of several roots, those that could not be read: what is known of them stays."""


NOT_A_FILE = "a pipe, socket or device, not a file"


def too_large(size: int, max_bytes: int) -> str:
    return f"too large: {size:,} bytes, and {max_bytes:,} are allowed"


def by_parts(path: str) -> str:
    """Sort key that compares paths part by part, so the files of a folder stay together."""
    return path.replace("/", "\0")

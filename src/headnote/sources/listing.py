"""What a look at a folder tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class FoundFile(NamedTuple):
    """A file to be read."""

    path: str
    """From the root, with `/` between the parts; always valid Unicode."""
    size: int
    """In bytes."""
    mtime_ns: int
    """When it was last written, in nanoseconds since 1970."""


class SkippedFile(NamedTuple):
    """A file or folder that one might miss, and why it is not there. What the rules ignore is not among them."""

    path: str
    """From the root. For people: bytes of a name that are no UTF-8 are shown as `\\xff`."""
    reason: str
    unreadable: bool = False
    """It could not be looked at, or into: it may still be there, with all that lies in it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a root, in the order of their paths, part by part."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """Every folder that was looked into, from the root; the root itself is `.`."""
    rules_from: list[str] = field(default_factory=list)
    """Folders outside the root, by full path, whose ignore files have a say in it."""
    site_marks: list[str] = field(default_factory=list)
    """Files and folders, from the root, that say by which program a site is made of what lies around them."""


def by_parts(path: str) -> str:
    """To sort by: a folder's files stand together, as if the parts of the paths were compared one by one."""
    return path.replace("/", "\0")

"""Small folders to look at."""

from __future__ import annotations

from pathlib import Path

from headnote.sources.repository import Listing


def make(root: Path, *names: str, text: str = "text\n") -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def paths(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def reasons(listing: Listing) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in listing.skipped}

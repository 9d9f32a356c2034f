"""Why a folder has no documents, in one line: what was looked for, what was left out, and what is there instead."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath

from headnote.sources.files import SUFFIXES, has_known_suffix
from headnote.sources.listing import Listing

MOST_FILES = 20_000
"""Files that are looked at: whoever names the wrong folder may have named a whole disk."""
MOST_NAMED = 3


def why_no_documents(root: Path, listing: Listing) -> str:
    """For a folder in which `listing` found no file."""
    facts = [f"no Markdown in {root}: looked for {', '.join(SUFFIXES)}"]
    files = list(islice(_files_below(root), MOST_FILES))
    skipped = [f"{file.path} ({file.reason})" for file in listing.skipped]
    known = {file.path for file in listing.skipped}
    excluded = [path for path in files if has_known_suffix(path) and path not in known]
    if skipped:
        facts.append(f"left out {_some(skipped)}")
    if excluded:
        facts.append(f"ignore files or settings exclude {_some(excluded)}")
    others = Counter(PurePath(path).suffix.lower() for path in files if not has_known_suffix(path))
    others.pop("", None)
    if others:
        kinds = [f"{count:,} {suffix}" for suffix, count in others.most_common(MOST_NAMED)]
        facts.append(f"other files there: {', '.join(kinds)}")
    return "; ".join(facts)


def _files_below(root: Path) -> Iterator[str]:
    """Paths from the root, hidden folders and what is in them left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = PurePath(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in sorted(names) if not name.startswith("."))


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")

"""Why a folder has no documents, in one line: what was looked for, what was left out, and what is there instead."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath

from headnote.formats.table import format_of
from headnote.sources.files import suffixes_with
from headnote.sources.listing import Listing
from headnote.sources.tree import Root, Tree

MOST_FILES = 20_000
"""Files that are looked at: whoever names the wrong folder may have named a whole disk."""
MOST_NAMED = 3


def why_no_documents(tree: Tree, listing: Listing) -> str:
    """For folders in which `listing` found no file."""
    away = {one.path: one.reason for one in listing.absent}
    return "; ".join(
        f"{root.name}: {away[root.name]}" if root.name in away else _why_none_in(root, listing) for root in tree.roots
    )


def _why_none_in(folder: Root, listing: Listing) -> str:
    root = Path(folder.folder)
    own = (one for one in listing.skipped if one.path.startswith(folder.prefix))
    left_out = [one._replace(path=one.path.removeprefix(folder.prefix)) for one in own]
    suffixes = suffixes_with(folder.formats)
    facts = [f"no Markdown in {root}: looked for {', '.join(suffixes)}"]
    files = list(islice(_files_below(root), MOST_FILES))
    skipped = [f"{file.path} ({file.reason})" for file in left_out]
    known = {file.path for file in left_out}
    excluded = [path for path in files if path.lower().endswith(suffixes) and path not in known]
    if skipped:
        facts.append(f"left out {_some(skipped)}")
    if excluded:
        facts.append(f"ignore files or settings exclude {_some(excluded)}")
    others = Counter(PurePath(path).suffix.lower() for path in files if not path.lower().endswith(suffixes))
    others.pop("", None)
    if others:
        kinds = [f"{count:,} {suffix}" for suffix, count in others.most_common(MOST_NAMED)]
        facts.append(f"other files there: {', '.join(kinds)}")
    formats = sorted({format_of(path) for path in files} - {"", *folder.formats})
    if formats:
        facts.append(f"to read them: headnote index --formats {','.join(formats)}")
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

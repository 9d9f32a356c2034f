"""Why something is not among the documents: a folder that has none, or one file that exists."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePath

from headnote.formats.table import format_of
from headnote.sources.files import suffixes_with
from headnote.sources.ignore import PRIVATE_FOLDERS
from headnote.sources.listing import NOT_A_FILE, Listing, SkippedFile, too_large
from headnote.sources.repository import rule_against
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


def left_out_hint(left_out: Sequence[SkippedFile]) -> str:
    """For those who look for something in vain: what is left out, and where to read why; empty if nothing is."""
    return f"left out of the index: {_some([one.path for one in left_out])} (status says why)" if left_out else ""


def why_left_out(tree: Tree, path: str, max_bytes: int) -> SkippedFile | None:
    """Why a file that exists is no document, and the file or folder that this is about; None if nobody can miss it:
    there is no such file, or it is none of those that are looked for."""
    place = tree.place(path)
    parts = place.path.split("/") if place else [""]
    hidden = {"", ".", "..", *map(os.fsdecode, PRIVATE_FOLDERS)}
    if place is None or hidden.intersection(parts):
        return None
    root, top = place.root, place.root.real
    if not path.lower().endswith(suffixes_with(root.formats)):
        return None
    try:
        real = Path(os.path.realpath(top.joinpath(*parts), strict=True))
        status = real.stat()
    except (OSError, ValueError):
        return None
    if not real.is_relative_to(top):
        return SkippedFile(path, "a link that leads out of the folder")
    if rule := rule_against(top, parts, root.include, root.exclude):
        return rule._replace(path=root.prefix + rule.path)
    if real != top.joinpath(*parts):
        return SkippedFile(path, f"a link to {root.prefix}{real.relative_to(top).as_posix()}")
    if not stat.S_ISREG(status.st_mode):
        return SkippedFile(path, NOT_A_FILE)
    if status.st_size > max_bytes:
        return SkippedFile(path, too_large(status.st_size, max_bytes))
    return SkippedFile(path, "it has not been read yet: run headnote index")


def _files_below(root: Path) -> Iterator[str]:
    """Paths from the root, hidden folders and what is in them left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = PurePath(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in sorted(names) if not name.startswith("."))


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")

"""Ignore files on the way to a path: above a root, as far as its repository goes, and below it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from headnote.errors import reason_of
from headnote.sources.ignore import (
    OUTPUT_FOLDERS,
    IgnoreScope,
    Rules,
    Verdict,
    outputs_beside,
    parse_globs,
    parse_ignore_file,
)

# -- The result of listing a folder.


class ListedFile(NamedTuple):
    """A file as it is on the disk, or as it was when it was read."""

    path: str
    """From the root, with `/` between the parts; always valid Unicode."""
    size: int
    """In bytes."""
    mtime_ns: int
    """When it was last written, in nanoseconds since 1970."""
    hash: str = ""
    """Of its bytes; empty if they were not read."""


class SkippedFile(NamedTuple):
    """A file or folder that one might miss, and why it is not listed. Ignored files are not among them."""

    path: str
    """From the root. For display: bytes that are not UTF-8 are shown as `\\xff`."""
    reason: str
    """Why it was left out, in plain words."""
    unreadable: bool = False
    """It could not be read: it may still be there, with everything in it."""
    is_missing: bool = True
    """Whether its content is in no document. The target of a link may be read under its own name."""


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


# -- Ignore files on the way to a path


GIT_RULES = ".gitignore"
OWN_RULES = ".headnoteignore"
IGNORE_FILES = frozenset({GIT_RULES, OWN_RULES})

MAX_IGNORE_FILE_BYTES = 4 * 1024 * 1024


class RulesAbove(NamedTuple):
    """The ignore rules of the folders above a root."""

    scope: IgnoreScope
    place: bytes
    """The root as seen from the top of its repository, with a slash at the end; empty if it is the top."""
    folders: list[str]
    """The folders that may have rules, by full path."""
    skipped: list[SkippedFile]


class UnusableRules(Exception):
    """Why an ignore file cannot be used."""


def read_ignore_file(path: str | os.PathLike[str], folder: bytes) -> Rules | None:
    """The rules in `folder`; None if there is no such file or no rule in it."""
    file = Path(path)
    try:
        # Git does not follow links to ignore files either.
        if file.is_symlink():
            raise UnusableRules("ignored: it is a symlink")
        if not file.is_file():
            return None
        if file.stat().st_size > MAX_IGNORE_FILE_BYTES:
            raise UnusableRules(f"ignored: more than {MAX_IGNORE_FILE_BYTES:,} bytes")
        patterns = parse_ignore_file(file.read_bytes())
        return Rules(patterns, folder) if patterns else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnusableRules(f"ignored: {reason_of(error)}") from None


def why_ignored(verdict: Verdict, name: str, maker: str = "") -> str:
    """A verdict on a name in plain words; `maker` is the file that says whose build output it is."""
    reasons = {
        "own": f"a line of {OWN_RULES} excludes it",
        "git": f"git ignores it: `!{name}` in {OWN_RULES} brings it back",
        "hidden": f"its name begins with a dot: `!{name}` in {OWN_RULES} brings it back",
        "fetched": f"taken for downloaded packages: `!{name}/` in {OWN_RULES} brings it back",
        "output": f"taken for build output, beside {maker}: `!{name}/` in {OWN_RULES} brings it back",
        "private": "internal to git or headnote",
    }
    return reasons.get(verdict, "")


def repository_top(root: str | os.PathLike[str]) -> str | None:
    """The folder of the repository that a real path lies in; None without one."""
    folder = Path(root)
    return next((str(top) for top in (folder, *folder.parents) if _exists(top / ".git")), None)


def rules_above(root: Path) -> RulesAbove:
    """`root` is a real path, so there are no links above it."""
    found = repository_top(root)
    top = Path(found) if found else None
    if top is None:
        return RulesAbove(IgnoreScope(), b"", [], [])
    info = git_folder(top).shared / "info"
    folders = [info] if info.is_dir() else []
    skipped: list[SkippedFile] = []
    exclude = _read(info / "exclude", b"", skipped)
    scope = IgnoreScope(git=(exclude,) if exclude else ())
    place = b""
    ignored = False
    for part in root.relative_to(top).parts:
        here = top / os.fsdecode(place)
        folders.append(here)
        own, git = (_read(here / name, place, skipped) for name in (OWN_RULES, GIT_RULES))
        scope = scope.with_rules(own, git)
        name = os.fsencode(part)
        path = place + name
        ignored = ignored or scope.verdict(name, path, is_folder=True) in ("own", "git")
        place = path + b"/"
    # A folder that is named although the repository ignores it is meant to be read: those rules do not apply inside.
    return RulesAbove(IgnoreScope() if ignored else scope, place, [str(folder) for folder in folders], skipped)


def rule_against(
    root: Path, parts: Sequence[str], include: Iterable[str] = (), exclude: Iterable[str] = ()
) -> SkippedFile | None:
    """What leaves out one file, given by the parts of its path from a root, which is a real path: the rules of a walk,
    with the file or folder that one of them is about. None if none does."""
    above = rules_above(root)
    included, excluded = (Rules(parse_globs(globs), above.place) for globs in (include, exclude))
    is_included = not tuple(include)
    for depth, (scope, name, place, is_folder) in enumerate(_way_to(root, parts, above), 1):
        path = "/".join(parts[:depth])
        if verdict := scope.verdict(name, place, is_folder):
            return SkippedFile(path, why_ignored(verdict, parts[depth - 1], scope.outputs.get(name, "")))
        if excluded.verdict(name, place, is_folder):
            return SkippedFile(path, "the setting exclude names it")
        is_included = is_included if (said := included.verdict(name, place, is_folder)) is None else said
    return None if is_included else SkippedFile("/".join(parts), "the setting include does not name it")


def git_ignores(root: Path, parts: Sequence[str]) -> bool:
    """Whether git ignores the file at this path, which need not be there: then a program makes it."""
    way = _way_to(root, parts, rules_above(root))
    return any(scope.verdict(name, place, is_folder) == "git" for scope, name, place, is_folder in way)


def _way_to(root: Path, parts: Sequence[str], above: RulesAbove) -> Iterator[tuple[IgnoreScope, bytes, bytes, bool]]:
    """Each folder on the way to a file, and the file: the rules that apply to it, its name and path, and whether it is
    a folder."""
    scope, place, folder = above.scope, above.place, root
    for depth, part in enumerate(parts, 1):
        scope = _with_rules_in(folder, scope, place, part)
        name = os.fsencode(part)
        place += name
        yield scope, name, place, depth < len(parts)
        folder /= part
        place += b"/"


def _with_rules_in(folder: Path, scope: IgnoreScope, place: bytes, name: str) -> IgnoreScope:
    """The scope for one name in a folder."""
    unusable: list[SkippedFile] = []  # a listing reports them
    scope = scope.with_rules(*(_read(folder / file, place, unusable) for file in (OWN_RULES, GIT_RULES)))
    makers = OUTPUT_FOLDERS.get(os.fsencode(name), ())
    return scope._replace(outputs=outputs_beside({name, *(file for file in makers if _exists(folder / file))}))


def _read(file: Path, folder: bytes, skipped: list[SkippedFile]) -> Rules | None:
    try:
        return read_ignore_file(file, folder)
    except UnusableRules as reason:
        skipped.append(SkippedFile(str(file), str(reason)))
        return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


class GitFolder(NamedTuple):
    """Where a repository keeps its own files."""

    own: Path
    """Those of this worktree."""
    shared: Path
    """Those of all its worktrees."""


def git_folder(top: Path) -> GitFolder:
    """In a worktree or submodule `.git` is a file that says where."""
    entry = top / ".git"
    try:
        if entry.is_dir():
            return GitFolder(entry, entry)
        folder = top / _one_line(entry).removeprefix("gitdir:").strip()
        shared = folder / "commondir"
        return GitFolder(folder, folder / _one_line(shared).strip() if shared.is_file() else folder)
    except (OSError, ValueError):
        return GitFolder(entry, entry)


def _one_line(file: Path) -> str:
    with file.open("rb") as opened:
        return os.fsdecode(opened.read(4096)).rstrip("\r\n")

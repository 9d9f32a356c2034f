"""The folders of an index → the paths that change in them, as they change.

Events only say when to look again; the changes are the difference between two listings. So nothing is reported that
`discover` would not list, and bursts of events, deleted folders, editors that save by renaming, changed ignore files
and lost events are all handled alike.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from headnote.extras import load
from headnote.formats.kinds import format_of
from headnote.sources.discover import MAX_BYTES
from headnote.sources.files import has_known_suffix
from headnote.sources.ignore import OUTPUT_FOLDERS
from headnote.sources.repository import IGNORE_FILES, Listing
from headnote.sources.tree import AnyPath, Tree

DEBOUNCE_MS = 300
MAX_WAIT_MS = 5_000
"""Changes that never pause are still reported this often."""
RESCAN_S = 60.0
POLL_S = 5.0
"""How often to look where the system gives no events, for instance because all its watches are in use."""
LOOK_EVERY_S = 5.0
"""How often to look during other work."""
_IDLE_MS = 250

_RULES = IGNORE_FILES.union(*OUTPUT_FOLDERS.values())
"""Names that say what is left out beside them and below."""
_OUTSIDE = IGNORE_FILES | {"exclude", ".git"}
"""Names that matter above the root and in the repository's own folder."""

_DELETED = 3


def watch(
    tree: Tree | AnyPath,
    *,
    stop: threading.Event,
    max_bytes: int = MAX_BYTES,
    since: Listing | None = None,
    debounce_ms: int = DEBOUNCE_MS,
    rescan_s: float = RESCAN_S,
    others: Sequence[Path] = (),
) -> Iterator[set[str]]:
    """Sets of paths that may have changed, come or gone, until `stop` is set.

    The rules are those of `discover`. When an ignore file changes, the set has every path that comes or goes by it.
    `since` is the listing that the caller knows: changes since then come first, so nothing is missed between a listing
    and the first event. A set is reported after `debounce_ms` without events, and the folder is listed again every
    `rescan_s` seconds without any event. If a single folder disappears, the next listing raises `MissingSource`, and no
    file is reported as gone. One of several roots is looked for again with every listing. `others` are files that are
    no documents, and need not exist: when one of them changes, a set is reported, be it empty.
    """
    load("watchfiles", "watching a folder")
    tree = tree if isinstance(tree, Tree) else Tree.of_folder(tree)
    look = partial(tree.discover, max_bytes)
    return _changes(look, _Folders(tree, others), since, _Timing(max(1, debounce_ms), rescan_s), stop)


class _Folders:
    """Events name real paths, listings those of the tree."""

    def __init__(self, tree: Tree, others: Sequence[Path] = ()) -> None:
        self._roots = [(root, root.real) for root in tree.roots]
        self._tree = tree
        self.others = others
        self.known_stamps = self.stamps()

    def stamps(self) -> list[tuple[int, int] | None]:
        """Size and time of each of the other files; None if it is not there."""
        return [_stamp(file) for file in self.others]

    def real(self, folder: str) -> str:
        """Where a folder of a listing is."""
        place = self._tree.place(folder)
        return str(
            next(real for root, real in self._roots if place and root is place.root) / (place.path if place else "")
        )

    def path_of(self, file: str) -> str | None:
        """The path that a listing gives a file; None if it lies in no root. Of nested roots, the inner one has it."""
        inside = [
            (len(real.parts), root.prefix + _from(real, file)) for root, real in self._roots if _lies_in(real, file)
        ]
        return max(inside)[1] if inside else None


class _Timing(NamedTuple):
    quiet_ms: int
    rescan_s: float


class _Signal(NamedTuple):
    """It is time to look."""

    paths: frozenset[str] = frozenset()
    """Full paths that events named."""
    folders_moved: bool = False
    """Folders came or went, perhaps under the same name: the watches must be set up again."""


def _changes(
    look: Callable[[], Listing], places: _Folders, since: Listing | None, timing: _Timing, stop: threading.Event
) -> Iterator[set[str]]:
    known = look() if since is None else since
    stamps = places.known_stamps
    while not stop.is_set():
        with closing(_signals(places, known, timing, stop)) as signals:
            for signal in signals:
                now = _look_at_rest(look, known, timing, stop)
                changed = _difference(known, now) | _named(signal, places, now)
                same_places = (known.folders, known.rules_from) == (now.folders, now.rules_from)
                known = now
                before, stamps = stamps, places.stamps()
                if changed or stamps != before:
                    yield changed
                if signal.folders_moved or not same_places:
                    break


def _look_at_rest(look: Callable[[], Listing], known: Listing, timing: _Timing, stop: threading.Event) -> Listing:
    """Saving may remove a file for a moment, so a file is gone only if a second listing agrees."""
    now = look()
    if {file.path for file in known.files} - {file.path for file in now.files}:
        stop.wait(timing.quiet_ms / 1000)
        now = look()
    return now


def _difference(before: Listing, after: Listing) -> set[str]:
    # A file is its path, size and time: if one of them differs, it is in one set only.
    return {file.path for file in set(before.files) ^ set(after.files)}


def _named(signal: _Signal, places: _Folders, now: Listing) -> set[str]:
    """Files that events named although they look the same: within a tick of the clock, content can still differ."""
    if not signal.paths:
        return set()
    files = {file.path for file in now.files}
    inside = map(places.path_of, signal.paths)
    return {path for path in inside if path in files}


def _signals(
    places: _Folders, known: Listing, timing: _Timing, stop: threading.Event
) -> Generator[_Signal, None, None]:
    """The first comes as soon as the watches are set up, so that earlier changes are seen."""
    from watchfiles import watch as watch_folders

    # Not the tree as a whole: ignored folders can hold a hundred times as much, and links lead anywhere.
    beside = {str(file.parent) for file in places.others if file.is_file()}
    folders = list(dict.fromkeys([*map(places.real, known.folders), *known.rules_from, *beside]))
    looked: float | None = None
    try:
        for batch in watch_folders(
            *folders,
            watch_filter=None,
            debounce=max(MAX_WAIT_MS, timing.quiet_ms),
            step=timing.quiet_ms,
            stop_event=stop,
            rust_timeout=_IDLE_MS,
            yield_on_timeout=True,
            recursive=False,
            ignore_permission_denied=True,
        ):
            signal = _signal(batch, places, set(folders))
            if signal or looked is None or time.monotonic() - looked >= timing.rescan_s:
                yield signal or _Signal()
                looked = time.monotonic()
    except (FileNotFoundError, RuntimeError):
        # A folder has gone since the listing, or an event has a name that is not UTF-8, which ends the watch.
        stop.wait(timing.quiet_ms / 1000)
        yield _Signal(folders_moved=True)
    except OSError:
        while not stop.wait(min(POLL_S, timing.rescan_s)):
            yield _Signal()


def _signal(batch: Iterable[tuple[int, str]], places: _Folders, watched: set[str]) -> _Signal | None:
    """What a batch of events means; nothing if none of them can matter."""
    paths = set()
    folders_moved = False
    relevant = False
    for change, path in batch:
        name = Path(path).name
        if Path(path) in places.others:
            relevant = True
        elif path in watched or (change != _DELETED and _is_folder(path)):
            folders_moved = relevant = True
        elif places.path_of(path) is None:
            relevant = relevant or name in _OUTSIDE
        elif has_known_suffix(name) or format_of(name):
            paths.add(path)
        else:
            relevant = relevant or name in _RULES
    return _Signal(frozenset(paths), folders_moved) if paths or relevant else None


def _from(folder: Path, file: str) -> str:
    return Path(file).relative_to(folder).as_posix()


def _lies_in(folder: Path, file: str) -> bool:
    return Path(file).is_relative_to(folder)


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except OSError:
        return False


class Lookout:
    """Tells during other work whether files have changed since it was made. It looks now and then."""

    def __init__(self, look: Callable[[], Listing]) -> None:
        self._look = look
        self._files = look().files
        self._looked = time.monotonic()
        self.has_seen_changes = False

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._looked >= LOOK_EVERY_S:
            self.has_seen_changes = self._look().files != self._files
            self._looked = now
        return self.has_seen_changes

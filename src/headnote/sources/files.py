"""A file → its text; which names are documents, and which errors reading may raise."""

from __future__ import annotations

import codecs
import hashlib
import os
import posixpath
import stat
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import nlargest
from pathlib import Path
from typing import Literal, NamedTuple

from headnote.errors import MissingSource, NotAFile, NotText, SourceError, UnreadableSource, reason_of
from headnote.formats.kinds import suffixes_of
from headnote.lines import count_line_ends

# -- Bytes → text, character for character: line ends and byte order mark stay, because offsets count them.


# The marks of UTF-32 begin with those of UTF-16, so they come first.
CODEC_OF_MARK = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

SAMPLE_SIZE = 8192
# A stray NUL or escape in a text is legal Markdown, so a few control characters prove nothing, not even in a
# short file. Real text stays far below a tenth; UTF-16 without a mark has one in every second byte.
STRAY_CONTROLS = 8
CONTROLS_IN_TEXT = 0.1
CONTROL_BYTES = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"

SAVE_AS_UTF8 = "save it as UTF-8, or as UTF-16 with a byte order mark"
NAME_MARKDOWN = "name Markdown files, or folders that hold them"

STDIN = "-"
"""The path that stands for standard input."""

Fallback = Literal["cp1252"]
"""How to read bytes that are not UTF-8: as Windows-1252, which includes all printable characters of Latin-1."""


class Decoded(NamedTuple):
    text: str
    warning: str
    """What had to be guessed, in one line; empty if nothing."""


def decode(data: bytes, path: str) -> str:
    """The text of a file. `path` is only for the message of `NotText`."""
    codec = next((codec for mark, codec in CODEC_OF_MARK if data.startswith(mark)), "utf-8")
    if codec == "utf-8" and _mostly_controls(data):
        raise NotText("binary, not text", path=path, remedy=NAME_MARKDOWN)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise _not_text(data, path, codec, error) from None


def decode_or_guess(data: bytes, path: str, fallback: Fallback | None) -> Decoded:
    """The text of a file, even in a legacy encoding.

    Each byte that is not valid UTF-8 is decoded by the fallback. So a file in the legacy encoding is readable, and one
    bad byte does not spoil a page of UTF-8. Binary files are still refused; without a fallback, so is everything that
    `decode` refuses.
    """
    try:
        return Decoded(decode(data, path), "")
    except NotText:
        if fallback is None or _has_mark(data) or len(data) > len(data.translate(None, CONTROL_BYTES)):
            raise
    escaped = data.decode("utf-8", "surrogateescape")
    text = escaped.translate(_bytes_of(fallback))
    guessed = [at for at, character in enumerate(escaped) if "\udc80" <= character <= "\udcff"]
    line = 1 + count_line_ends(escaped[: guessed[0]])
    what = "1 byte that is" if len(guessed) == 1 else f"{len(guessed)} bytes that are"
    return Decoded(text, f"{what} not UTF-8 read as {fallback}, first in line {line}")


def _has_mark(data: bytes) -> bool:
    return any(data.startswith(mark) for mark, _ in CODEC_OF_MARK)


def _bytes_of(codec: str) -> dict[int, str]:
    """Escaped byte → its character. The few that Windows-1252 leaves undefined become the controls of Latin-1."""
    table = {}
    for byte in range(0x80, 0x100):
        try:
            table[0xDC00 + byte] = bytes([byte]).decode(codec)
        except UnicodeDecodeError:
            table[0xDC00 + byte] = chr(byte)
    return table


def _mostly_controls(data: bytes) -> bool:
    sample = data[:SAMPLE_SIZE]
    controls = len(sample) - len(sample.translate(None, CONTROL_BYTES))
    return controls > STRAY_CONTROLS and controls > CONTROLS_IN_TEXT * len(sample)


def _not_text(data: bytes, path: str, codec: str, error: UnicodeDecodeError) -> NotText:
    if codec == "utf-8" and b"\0" in data[:SAMPLE_SIZE]:
        return NotText("binary, not text", path=path, remedy=NAME_MARKDOWN)
    line = 1 + count_line_ends(data[: error.start].decode(codec))
    bad = f"byte 0x{data[error.start]:02x} at offset {error.start}"
    return NotText(f"not valid {codec.upper()}: {bad}", path=path, line=line, remedy=SAVE_AS_UTF8)


# -- A wrong path, or a wrong name → the nearest ones.


MAX_SUGGESTIONS = 3
"""Paths that an error names."""
_ALIKE_NAMES, _ALIKE_PATHS = 0.6, 0.8
"""Minimum similarity, from 0 to 1. Paths in the same folder are similar anyway."""
_CANDIDATES = 50
"""Paths that are compared letter by letter. That is slow, so a rough comparison preselects them."""
_MAX_CHARS = 200
"""Characters that are compared."""
_ROUGH = 8
"""Names that are compared letter by letter with a wrong name."""
MAX_COMPARED = 1000
"""Names, each counted once for every pair of letters, that are looked at for one name. So many wrong names take no more
time in a large folder than in a small one."""


def without_suffix(path: str) -> str:
    return posixpath.splitext(path)[0]


def nearest_paths(written: str, documents: Sequence[str]) -> list[str]:
    """The paths most like one that is wrong, by the name of the file and by the whole path."""
    wanted = _Shape(written.replace("\\", "/"))
    shapes = nlargest(_CANDIDATES, map(_Shape, documents), wanted.roughly_like)
    likeness = {shape.path: wanted.like(shape) for shape in shapes}
    near = [path for path, (names, paths) in likeness.items() if names >= _ALIKE_NAMES or paths >= _ALIKE_PATHS]
    return sorted(near, key=lambda path: (-sum(likeness[path]), path))[:MAX_SUGGESTIONS]


class SimilarNames:
    """A name → the one that is most like it. Comparing letter by letter takes long, so only names are compared that
    share most pairs of letters, and of these the rarest count: they say most."""

    def __init__(self, names: Iterable[str], alike: float) -> None:
        """`alike`: minimum similarity, from 0 to 1."""
        self._alike = alike
        self._known: dict[str, str] = {}
        self._with: dict[str, list[str]] = defaultdict(list)
        for name in names:
            for pair in _pairs(name):
                self._with[pair].append(name)

    def like(self, name: str) -> str:
        """The most similar one; empty if none is alike."""
        from difflib import get_close_matches  # late: only mistakes need it

        if name not in self._known:
            found = get_close_matches(name, self._roughly_like(name), 1, self._alike)
            self._known[name] = found[0] if found else ""
        return self._known[name]

    def _roughly_like(self, name: str) -> list[str]:
        shared: Counter[str] = Counter()
        left = MAX_COMPARED
        for pair in sorted(_pairs(name) & self._with.keys(), key=lambda pair: (len(self._with[pair]), pair)):
            shared.update(self._with[pair][:left])
            left -= len(self._with[pair])
            if left <= 0:
                break
        return nlargest(_ROUGH, shared, lambda other: (shared[other] / (len(other) + len(name)), other))


def _pairs(name: str) -> set[str]:
    return set(map(str.__add__, name, name[1:]))


class _Shape:
    """A path to be compared with others."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.whole = path.casefold()[:_MAX_CHARS]
        self.name = without_suffix(posixpath.basename(self.whole.rstrip("/")))
        self._of_name = _pieces(self.name)
        self._of_whole = _pieces(self.whole)

    def roughly_like(self, other: _Shape) -> float:
        return _shared(self._of_name, other._of_name) + _shared(self._of_whole, other._of_whole)

    def like(self, other: _Shape) -> tuple[float, float]:
        """How alike the names and the paths are."""
        from difflib import SequenceMatcher  # late: only mistakes need it

        names = SequenceMatcher(None, self.name, other.name).ratio()
        return names, SequenceMatcher(None, self.whole, other.whole).ratio()


def _pieces(text: str) -> set[str]:
    """Letters, and pairs of them: two letters that changed places still count for something."""
    return {*text, *_pairs(text)}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


# -- A file → its text


SUFFIXES = (".markdown", ".md", ".mdx", ".txt")
"""Endings of the files in a folder that are documents. A file that is named explicitly needs none of them."""


def has_known_suffix(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def suffixes_with(formats: Iterable[str]) -> tuple[str, ...]:
    """The endings of documents, if these formats are read too."""
    return (*SUFFIXES, *suffixes_of(formats))


class DatedText(NamedTuple):
    """What a file contains, and since when."""

    text: str
    """With its own line ends and byte order mark."""
    modified: float
    """Seconds since 1970."""


def read_source(path: str | os.PathLike[str]) -> str:
    """The text of a file: UTF-8, or the encoding that its byte order mark names. Nothing is guessed."""
    return read_dated(path).text


def read_dated(path: str | os.PathLike[str]) -> DatedText:
    """The same with the time of the file."""
    name = os.fspath(path)
    try:
        # Pipes are welcome (`<(command)` in a shell); a device may never end.
        status = Path(name).stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or socket"
            raise NotAFile(f"{what}, not a file", path=name, remedy="name a file")
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        failure = source_error(name, error)
        if isinstance(failure, MissingSource) and (near := _files_like(name)):
            failure = MissingSource(failure.message, path=name, remedy=f"nearest: {', '.join(near)}")
        raise failure from None
    return DatedText(decode(data, name), status.st_mtime)


def _files_like(path: str) -> list[str]:
    """The documents beside a file that does not exist, as far as their names are like its own."""
    folder, name = os.path.split(path)
    try:
        beside = sorted(filter(has_known_suffix, os.listdir(folder or ".")))  # noqa: PTH208  names are enough
    except (OSError, ValueError):
        return []
    return [os.path.join(folder, near) for near in nearest_paths(name, beside)]  # noqa: PTH118  spelt like the path


def source_error(path: str, error: OSError | ValueError) -> SourceError:
    # A ValueError is a NUL in the name: no such file can exist.
    if isinstance(error, (FileNotFoundError, NotADirectoryError, ValueError)):
        return MissingSource("no such file or folder", path=path, remedy="check the path")
    return UnreadableSource(f"cannot be read: {reason_of(error)}", path=path, remedy="check its permissions")


# -- A listed file → its text and hash, all of one moment


ATTEMPTS = 5
FIRST_PAUSE = 0.01
"""Seconds before a file that was being written is read again; doubled each time."""

CLOCK_TICK_NS = 12_000_000
"""The clock of a file system is coarser than a nanosecond: within one tick, a file may change and keep its time."""

# If a pipe has replaced the file, opening it must not wait for the writer.
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class FileSnapshot(NamedTuple):
    """A file at one moment: `text`, `hash`, `size` and `mtime_ns` all belong to the same bytes.

    As long as the file has this size and time, it has this text.
    """

    path: str
    """From the root."""
    size: int
    mtime_ns: int
    hash: str
    """Of the bytes, see `content_hash`."""
    text: str
    warning: str
    """What had to be guessed to decode it; empty if nothing."""


def content_hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_snapshot(root: str | os.PathLike[str], path: str, *, fallback: Fallback | None = "cp1252") -> FileSnapshot:
    """The file at `path` below `root`.

    A file that changes meanwhile is read again. Raises `MissingSource` if it is gone, `NotText` if it is binary, and
    `UnreadableSource` if it must not be read, lies outside the root by now, or keeps changing.
    """
    data, status = _read_at_rest(_inside(root, path), path)
    decoded = decode_or_guess(data, path, fallback)
    return FileSnapshot(
        path=path,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        hash=content_hash(data),
        text=decoded.text,
        warning=decoded.warning,
    )


def _inside(root: str | os.PathLike[str], path: str) -> str:
    """The full path, checked again: a link may have replaced a folder since the listing."""
    file = os.path.join(root, path)  # noqa: PTH118  a path object for each file takes as long as reading it
    parent, name = os.path.split(file)
    parent = parent or "."
    try:
        folder = os.stat(parent)  # noqa: PTH116
        safe = _lies_inside(os.fspath(root), parent, (folder.st_dev, folder.st_ino))
        if safe and os.path.islink(file):  # noqa: PTH114
            safe = _real(file).is_relative_to(_real(root))
    except (OSError, ValueError) as error:
        raise source_error(path, error) from None
    if not safe or name in ("", ".", ".."):
        raise UnreadableSource("leads out of the folder", path=path, remedy="name a file inside the folder")
    return file


@lru_cache(maxsize=4096)
def _lies_inside(root: str, folder: str, _identity: tuple[int, int]) -> bool:
    """Resolving every link of a path takes longer than reading a page, so it is done once per folder. `_identity` voids
    the cached answer when another folder has taken its place."""
    return _real(folder).is_relative_to(_real(root))


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(path, strict=True))


def _read_at_rest(file: str, path: str) -> tuple[bytes, os.stat_result]:
    for attempt in range(ATTEMPTS):
        try:
            data, status = _read_once(file, path)
            _outlast_the_tick(status)
            # Compare with the path, not the open file: saving may have replaced it.
            if len(data) == status.st_size and _state(os.stat(file)) == _state(status):  # noqa: PTH116
                return data, status
        except (OSError, ValueError) as error:
            raise source_error(path, error) from None
        time.sleep(FIRST_PAUSE * 2**attempt)
    raise UnreadableSource("keeps changing while it is read", path=path, remedy="try again later")


def _read_once(file: str, path: str) -> tuple[bytes, os.stat_result]:
    opened = os.open(file, _READ_ONLY)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile("not a file", path=path, remedy="name a file")
        return _read_all(opened, status.st_size), status
    finally:
        os.close(opened)


def _read_all(opened: int, size: int) -> bytes:
    """What an open file holds. One byte more than its size is asked for, so that most files are read in one call."""
    data = os.read(opened, size + 1)
    while 0 < len(data) < size and (more := os.read(opened, size + 1 - len(data))):
        data += more
    return data


def _outlast_the_tick(status: os.stat_result) -> None:
    age = time.time_ns() - status.st_mtime_ns
    if 0 <= age < CLOCK_TICK_NS:
        time.sleep((CLOCK_TICK_NS - age) / 1e9)


def _state(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

"""Where files lie: a folder of this machine, or a bucket elsewhere. Both read, list, write all or nothing, remove."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from headnote.errors import BulkError, MissingSource, SourceError, UnreadableSource
from headnote.extras import load
from headnote.scale.arrow import S3
from headnote.sources.files import source_error

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_NO_RIGHTS = "check the key in AWS_ACCESS_KEY_ID or AWS_PROFILE, and what it may do"
_NO_ANSWER = "check the address, AWS_ENDPOINT_URL and the network"


def is_remote(place: str) -> bool:
    """Whether it is an address and not a path."""
    return bool(_SCHEME.match(place))


class Storage(Protocol):
    """A folder for output."""

    def names(self) -> list[str]:
        """Every file below it, sorted, with `/` between folders."""

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, data: bytes) -> None:
        """All of it or nothing, in place of what was there."""

    def remove(self, name: str) -> None:
        """It need not be there."""


def open_storage(place: str) -> Storage:
    return Bucket(place) if is_remote(place) else Folder(Path(place))


class Folder:
    """On this machine, or mounted as if it were."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self) -> list[str]:
        with _output_errors(str(self._root)):
            if self._root.exists() and not self._root.is_dir():
                raise BulkError("a file, not a folder", path=str(self._root), remedy="name a folder for --out")
            files = (path for path in self._root.rglob("*") if not path.is_dir())
            return sorted(path.relative_to(self._root).as_posix() for path in files)

    def read(self, name: str) -> bytes:
        with _output_errors(str(self._root / name)):
            return (self._root / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        file = self._root / name
        # A name of its own: the same part may be written twice at once, where an engine takes a slow worker for dead.
        unfinished = file.with_name(f".{file.name}.{uuid4().hex}")
        with _output_errors(str(file)):
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(data)
                unfinished.replace(file)
            finally:
                unfinished.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        with _output_errors(str(self._root / name)):
            (self._root / name).unlink(missing_ok=True)


class Bucket:
    """Anything fsspec has an address for. An object is there when it is complete, and not before."""

    def __init__(self, place: str) -> None:
        self._place = place.rstrip("/")
        self._files, self._root = remote(self._place)

    def names(self) -> list[str]:
        with _output_errors(self._place):
            self._files.invalidate_cache()
            with suppress(FileNotFoundError):
                return sorted(name[len(self._root) :].lstrip("/") for name in self._files.find(self._root))
        return []

    def read(self, name: str) -> bytes:
        with _output_errors(f"{self._place}/{name}"):
            data: bytes = self._files.cat_file(f"{self._root}/{name}")
            return data

    def write(self, name: str, data: bytes) -> None:
        with _output_errors(f"{self._place}/{name}"):
            self._files.pipe_file(f"{self._root}/{name}", data)

    def remove(self, name: str) -> None:
        with _output_errors(f"{self._place}/{name}"), suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{name}")


def remote(place: str) -> tuple[Any, str]:
    """The file system of an address, and the address as it knows it."""
    return _file_system(place.partition("://")[0]), place.partition("://")[2].rstrip("/")


@lru_cache(maxsize=8)
def _file_system(scheme: str) -> Any:
    fsspec = load("fsspec", f"reading {scheme}://", S3)
    if scheme == "s3":
        load("s3fs", "reading s3://", S3)
    try:
        return fsspec.filesystem(scheme)
    except (ImportError, ValueError) as error:
        raise BulkError(f"{scheme}:// cannot be opened: {error}", remedy="use a folder or s3://") from None


def read_remote(addresses: Sequence[str]) -> list[bytes | SourceError]:
    """Many objects at once, each as its bytes or as why not. A failure of the service itself is raised."""
    if not addresses:
        return []
    files, _ = remote(addresses[0])
    names = [address.partition("://")[2] for address in addresses]
    with input_errors(addresses[0]):
        # Not `cat`: it takes `[slug].mdx` for a pattern.
        found = files.cat_ranges(names, [None] * len(names), [None] * len(names), on_error="return")
    return [
        data if isinstance(data, bytes) else _remote_error(address, data)
        for address, data in zip(addresses, found, strict=True)
    ]


def read_local(path: str) -> bytes | SourceError:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        return source_error(path, error)


@contextmanager
def input_errors(place: str) -> Iterator[None]:
    """What goes wrong at an address, as one of our errors."""
    try:
        yield
    except _failures() as error:
        raise _remote_error(place, error) from None


@contextmanager
def _output_errors(place: str) -> Iterator[None]:
    try:
        yield
    except _failures() as error:
        reason = _reason(error)
        remedy = _NO_RIGHTS if is_remote(place) else "check its permissions and the room on its disk"
        raise BulkError(f"cannot be written: {reason}", path=place, remedy=remedy) from None


def _failures() -> tuple[type[Exception], ...]:
    try:
        from botocore.exceptions import BotoCoreError
    except ImportError:
        return (OSError,)
    return (OSError, BotoCoreError)


def _remote_error(place: str, error: Exception) -> SourceError:
    if isinstance(error, FileNotFoundError):
        return MissingSource("no such file or folder", path=place, remedy="check the address")
    if isinstance(error, PermissionError) or "credential" in str(error).lower():
        return UnreadableSource(f"cannot be read: {_reason(error)}", path=place, remedy=_NO_RIGHTS)
    return UnreadableSource(f"cannot be read: {_reason(error)}", path=place, remedy=_NO_ANSWER)


def _reason(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(said.split()) or type(error).__name__


def absolute(place: str) -> str:
    """So that it means the same to a worker that stands elsewhere."""
    return place if is_remote(place) else os.path.abspath(os.path.expanduser(place))  # noqa: PTH100, PTH111

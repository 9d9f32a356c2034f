"""Where files are: a folder on this machine or a bucket. Both list, read, write atomically and remove."""

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
from headnote.extras import install, load
from headnote.sources.files import source_error

S3 = install("s3")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_CHECK_KEY = "check the key in AWS_ACCESS_KEY_ID or AWS_PROFILE, and its permissions"
_CHECK_ADDRESS = "check the address, AWS_ENDPOINT_URL and the network"


def is_remote(place: str) -> bool:
    """Whether it is an address rather than a path."""
    return bool(_SCHEME.match(place))


class Storage(Protocol):
    """A folder for output."""

    def names(self) -> list[str]:
        """Every file below it, sorted, with `/` between folders."""

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, data: bytes) -> None:
        """Create or replace it, completely or not at all."""

    def remove(self, name: str) -> None:
        """Does nothing if it does not exist."""


def open_storage(place: str) -> Storage:
    return Bucket(place) if is_remote(place) else Folder(Path(place))


class Folder:
    """A folder on this machine, or mounted."""

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
        # A unique name: if an engine takes a slow worker for dead, two workers may write the same part at once.
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
    """Any address that fsspec supports. An object only appears once it is complete."""

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
    """The file system of an address, and the path there."""
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
    """The bytes of each object, or its error. A failure of the service itself is raised."""
    if not addresses:
        return []
    file_system, _ = remote(addresses[0])
    names = [address.partition("://")[2] for address in addresses]
    with input_errors(addresses[0]):
        # Not `cat`: it treats `[slug].mdx` as a pattern.
        results = file_system.cat_ranges(names, [None] * len(names), [None] * len(names), on_error="return")
    return [
        result if isinstance(result, bytes) else _remote_error(address, result)
        for address, result in zip(addresses, results, strict=True)
    ]


def read_local(path: str) -> bytes | SourceError:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        return source_error(path, error)


@contextmanager
def input_errors(place: str) -> Iterator[None]:
    """Turns failures at an address into our errors."""
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
        remedy = _CHECK_KEY if is_remote(place) else "check its permissions and the free disk space"
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
        return UnreadableSource(f"cannot be read: {_reason(error)}", path=place, remedy=_CHECK_KEY)
    return UnreadableSource(f"cannot be read: {_reason(error)}", path=place, remedy=_CHECK_ADDRESS)


def _reason(error: Exception) -> str:
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(message.split()) or type(error).__name__


def absolute(place: str) -> str:
    """An absolute path, so that it means the same to a worker in another folder."""
    return place if is_remote(place) else os.path.abspath(os.path.expanduser(place))  # noqa: PTH100, PTH111

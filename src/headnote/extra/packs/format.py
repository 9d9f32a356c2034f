"""The file of a pack: a database, digests of its blocks, a description, a signature, and a footer.

The database comes first, so that every SQLite tool can read a pack. The footer has a digest of all that is between the
database and itself, the digests in there are those of the database: whoever changes a byte is found out.
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from headnote.errors import CorruptIndex, MissingSource, NewerIndex, NotAFile, UnreadableSource
from headnote.extra.packs.packed import DIGEST

SUFFIX = ".headnote"
FORMAT = 1
"""The version of this layout. Later versions keep the last twelve bytes of the footer, and read the earlier ones."""
BLOCK = 16_384
"""Bytes of the database that have a digest of their own: few enough to be checked whenever some of them are read."""
AGAIN = "get the file again, or ask for it where it comes from"
_MAGIC = b"hnotPACK"
_LENGTHS = struct.Struct("<QIII")
"""Bytes of the database, of the description and of the signature, and the size of a block."""
_ENDING = struct.Struct("<I8s")
"""The version, and the sign of a pack."""
FOOTER = _LENGTHS.size + DIGEST + _ENDING.size
_MAX_DESCRIPTION_BYTES = 1 << 22
"""Bytes: a thousand sentences about folders, in any script, and the rest."""
_MAX_SIGNATURE = 1 << 16
"""Bytes."""
MAX_TEXT = 10_000
"""Characters of a value that people read."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no file and no answer can hold."""
MAX_CREATED = (1 << 63) // 10**9
"""Seconds since 1970: as many as a database can count in nanoseconds."""


@dataclass(frozen=True, slots=True)
class PackInfo:
    """What a pack says about itself."""

    name: str = ""
    """Of the pack; by default that of the folder."""
    version: str = ""
    """Of the documents, as their author counts them."""
    description: str = ""
    """In a sentence."""
    licence: str = ""
    """Of the documents."""
    headnote: str = ""
    """The version of headnote that made it."""
    documents: int = 0
    """How many it has."""
    chunks: int = 0
    """How many it has."""
    models: tuple[str, ...] = ()
    """The models whose vectors it has."""
    times: bool = False
    """Whether it knows when files were changed."""
    created: int | None = None
    """Seconds since 1970, if SOURCE_DATE_EPOCH was set."""
    search: dict[str, Any] = field(default_factory=dict)
    """Defaults of a search that differ from those of headnote."""
    roots: tuple[str, ...] = ()
    """Names of the folders, if it was made of several: with which paths begin."""
    contexts: dict[str, str] = field(default_factory=dict)
    """Path of a folder or document → what is said about it; empty for everything."""
    checksum: str = ""
    """SHA-256 of all its content, in hex."""
    signer: str = ""
    """The fingerprint of the key it is signed with, as the signature says; empty if it is not signed. Whether it holds,
    only a check with the key tells."""
    bytes: int = 0
    """Of the file."""


_KEPT = tuple(one.name for one in fields(PackInfo) if one.name not in ("checksum", "signer", "bytes"))
"""What the description has: the rest follows from the file."""


class Container(NamedTuple):
    """The parts of a pack, without its database."""

    file: Path
    database: int
    """Bytes of the database, with which the file begins."""
    block: int
    digests: bytes
    description: bytes
    signature: bytes
    file_bytes: int

    @property
    def signed(self) -> bytes:
        """What is signed, and what the checksum is made of."""
        return self.digests + self.description

    @property
    def checksum(self) -> str:
        return sha256(self.signed).hexdigest()


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a file which is a pack, or is named like one."""
    file = Path(path)
    try:
        return file.is_file() and (file.suffix == SUFFIX or _ends_like_a_pack(file))
    except OSError:
        return False


def _ends_like_a_pack(file: Path) -> bool:
    with file.open("rb") as opened:
        opened.seek(0, os.SEEK_END)
        if opened.tell() < FOOTER:
            return False
        opened.seek(-_ENDING.size, os.SEEK_END)
        return bool(_ENDING.unpack(opened.read())[1] == _MAGIC)


def write_container(database: Path, description: PackInfo) -> Container:
    """Append everything but signature and footer to a database, which becomes the file of a pack."""
    size = database.stat().st_size
    with database.open("r+b") as opened:
        digests = b"".join(sha256(opened.read(BLOCK)).digest() for _ in range(0, size, BLOCK))
        kept = {name: value for name, value in asdict(description).items() if name in _KEPT}
        text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "replace")
        opened.write(digests + text)
    return Container(database, size, BLOCK, digests, text, b"", 0)


def write_footer(container: Container, signature: bytes) -> None:
    lengths = _LENGTHS.pack(container.database, len(container.description), len(signature), container.block)
    digest = sha256(container.signed + signature + lengths).digest()
    with container.file.open("ab") as opened:
        opened.write(signature + lengths + digest + _ENDING.pack(FORMAT, _MAGIC))
        opened.flush()
        os.fsync(opened.fileno())


def read_container(file: Path) -> Container:
    """The parts of a pack, checked. Its database is not read."""
    try:
        with file.open("rb") as opened:
            return _read(file, opened)
    except FileNotFoundError:
        raise MissingSource("no such pack", path=str(file), remedy="check the path") from None
    except IsADirectoryError:
        remedy = "name the file that headnote pack has made"
        raise NotAFile("a folder, not a pack", path=str(file), remedy=remedy) from None
    except OSError as error:
        raise UnreadableSource(f"cannot be read: {error.strerror}", path=str(file), remedy=AGAIN) from None


def _read(file: Path, opened: BinaryIO) -> Container:
    size = opened.seek(0, os.SEEK_END)
    footer = _bytes_at(opened, size - FOOTER, FOOTER) if size >= FOOTER else b""
    version, magic = _ENDING.unpack(footer[-_ENDING.size :]) if footer else (0, b"")
    if magic != _MAGIC:
        raise _not_a_pack(file, _bytes_at(opened, 0, 16))
    if version > FORMAT:
        message = f"made by a newer headnote (format {version}, this one knows {FORMAT})"
        raise NewerIndex(message, path=str(file), remedy="update headnote")
    lengths, digest = footer[: _LENGTHS.size], footer[_LENGTHS.size : -_ENDING.size]
    database, description, signature, block = _LENGTHS.unpack(lengths)
    digests = -(-database // block) * DIGEST if block else 0
    middle = digests + description + signature
    fits = description <= _MAX_DESCRIPTION_BYTES and signature <= _MAX_SIGNATURE
    if not version or not block or database + middle + FOOTER != size or not fits:
        raise damaged(file, "its parts do not fit together")
    data = _bytes_at(opened, database, middle)
    if sha256(data + lengths).digest() != digest:
        raise damaged(file, "its contents do not match their checksum")
    parts = data[:digests], data[digests : digests + description], data[digests + description :]
    return Container(file, database, block, *parts, size)


def read_pack_info(file: str | os.PathLike[str]) -> PackInfo:
    """What a pack says about itself. Its documents are not read."""
    return read_info(read_container(Path(file)))


def read_info(container: Container) -> PackInfo:
    """The description. A stranger may have written it, so every value is checked."""
    from headnote.extra.packs.signing import signer_of

    try:
        stored = dict(json.loads(container.description))
        values = {name: stored[name] for name in _KEPT if name in stored}
        if not all(_TYPES[name](value) for name, value in values.items()):
            raise TypeError("a value of another type")
    except (ValueError, TypeError, RecursionError):
        raise damaged(container.file, "its description cannot be read") from None
    values |= {name: tuple(values.get(name, ())) for name in ("models", "roots")}
    return PackInfo(
        **values, checksum=container.checksum, signer=signer_of(container.signature), bytes=container.file_bytes
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT and not _NO_TEXT.search(value)


def _is_number(value: Any, most: int = (1 << 63) - 1) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_setting(value: Any) -> bool:
    return isinstance(value, str | int | float | None) or _is_list_of_texts(value)


_TYPES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("name", "version", "description", "licence", "headnote"), _is_text),
    **dict.fromkeys(("documents", "chunks"), _is_number),
    **dict.fromkeys(("models", "roots"), _is_list_of_texts),
    "times": lambda value: isinstance(value, bool),
    "created": lambda value: value is None or _is_number(value, MAX_CREATED),
    "search": lambda value: isinstance(value, dict) and all(map(_is_setting, value.values())),
    "contexts": lambda value: isinstance(value, dict) and all(map(_is_text, (*value, *value.values()))),
}
"""Field of a description → whether a value can be one."""


def damaged(file: Path, why: str) -> CorruptIndex:
    return CorruptIndex(f"the pack is damaged: {why}", path=str(file), remedy=AGAIN)


def _not_a_pack(file: Path, beginning: bytes) -> CorruptIndex:
    if beginning.startswith(b"SQLite format 3"):
        return damaged(file, "its end is missing")
    return CorruptIndex("not a pack", path=str(file), remedy="name a file that headnote pack has made")


def _bytes_at(opened: BinaryIO, offset: int, amount: int) -> bytes:
    opened.seek(offset)
    return opened.read(amount)

"""Packs as programs use them; `Index.pack` makes one."""

from __future__ import annotations

from pathlib import Path

from headnote.api.folders import AnyPath
from headnote.api.index import Index
from headnote.extra.packs.format import PackInfo, read_container, read_info
from headnote.extra.packs.unpacking import verify_pack as _verify_pack


def open_pack(file: AnyPath, *, key: AnyPath | None = None, without_deep: bool = False) -> Index:
    """Open a pack: a file that `Index.pack` or `headnote pack` has made. See `Index.open_pack`."""
    return Index.open_pack(file, key=key, without_deep=without_deep)


def read_pack_info(file: AnyPath) -> PackInfo:
    """What a pack says about itself. Its documents are not read."""
    return read_info(read_container(Path(file)))


def verify_pack(file: AnyPath, key: AnyPath | None = None) -> PackInfo:
    """Check every byte of a pack and its index; with `key`, that a public key in this file has signed it."""
    return _verify_pack(Path(file), Path(key) if key is not None else None)

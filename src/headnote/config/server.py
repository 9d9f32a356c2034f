"""`[server]`: where `headnote serve` listens, and who may use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headnote.config.checks import count, text, texts
from headnote.config.tables import LoadedTable, Table


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where `headnote serve` listens, and who may use it."""

    host: str = "127.0.0.1"
    """Address to listen on; one that others can reach needs a token."""
    port: int | None = None
    """By default 8377, or the next free one."""
    token: str = field(default="", repr=False)
    """Token that clients must send; `new` makes one at every start."""
    allow_host: tuple[str, ...] = ()
    """Host names to accept, besides its address."""


def load_server_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[ServerSettings]:
    """The settings from `[server]` in the file, and from variables and flags of the same names."""
    return SERVER.load(ServerSettings, flags, start, os.environ if environment is None else environment)


SERVER = Table("server", {"host": text, "port": count(0, 65535), "token": text, "allow_host": texts})

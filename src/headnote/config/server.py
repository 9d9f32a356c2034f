"""`[server]`: where `headnote serve` listens, and who may ask."""

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
    """Where `headnote serve` listens, and who may ask."""

    host: str = "127.0.0.1"
    """Address to listen at; one that others reach needs a token."""
    port: int | None = None
    """If it is not given, 8377 or the next that is free."""
    token: str = field(default="", repr=False)
    """What clients have to send; `new` makes one at every start."""
    allow_host: tuple[str, ...] = ()
    """Names this server goes by, besides its address."""


def load_server_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[ServerSettings]:
    """The table `[server]` of the file, the variables and flags of the same names."""
    return SERVER.load(ServerSettings, flags, start, os.environ if environment is None else environment)


SERVER = Table("server", {"host": text, "port": count(0, 65535), "token": text, "allow_host": texts})

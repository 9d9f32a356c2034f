"""`[server]`: where `headnote serve` listens, and who may use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headnote.config.checks import count, text, texts
from headnote.config.editors import editor
from headnote.config.tables import LoadedTable, Table

MOST_WORKERS = 64


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where `headnote serve` listens, and who may use it."""

    host: str = "127.0.0.1"
    """Address to listen on; one that others can reach needs a token."""
    port: int | None = None
    """By default 8377, or the next free one."""
    token: str = field(default="", repr=False)
    """Token that clients must send; `new` makes one at every start, `keep` one for this folder that stays."""
    allow_host: tuple[str, ...] = ()
    """Host names to accept, besides its address; also by `https`, where a proxy is in front of it."""
    workers: int = 1
    """Processes that answer; with more than one, another one keeps the index up to date."""
    editor: str = ""
    """Editor that the page opens documents in, on this machine; by default `obsidian` in a vault of it."""


def load_server_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[ServerSettings]:
    """The settings from `[server]` in the file, and from variables and flags of the same names."""
    return SERVER.load(ServerSettings, flags, start, os.environ if environment is None else environment)


SERVER = Table(
    "server",
    {
        "host": text,
        "port": count(0, 65535),
        "token": text,
        "allow_host": texts,
        "workers": count(1, MOST_WORKERS),
        "editor": editor,
    },
)

"""How the server and its index are."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class FilesReadAnswer(msgspec.Struct):
    """How many files of the folder were read, of how many; 0 of 0 before they are counted. Only these are searched."""

    done: int
    total: int


class Health(msgspec.Struct):
    """`ready` tells that every file was read; until then a search may miss some."""

    ok: bool
    version: str
    ready: bool


class ProgressAnswer(msgspec.Struct):
    """How far an update is."""

    stage: Literal["documents", "vectors"]
    done: int
    total: int
    seconds_left: float | None


class ModelAnswer(msgspec.Struct):
    """A model of the index, and how many of its vectors are missing."""

    role: Literal["instant", "deep"]
    name: str
    pending: int


class RootAnswer(msgspec.Struct):
    """One of several folders, and why it cannot be read; its documents stay as they are."""

    name: str
    documents: int
    problem: str


class LeftOutAnswer(msgspec.Struct):
    """A file or folder that one might miss, and why it is not in the index."""

    path: str
    reason: str


class StatusAnswer(msgspec.Struct):
    root: str
    documents: int
    chunks: int
    links: int
    pending: int
    model: str
    bytes_on_disk: int
    updated: float | None
    generation: int
    problem: str
    elsewhere: str
    """Which other process is updating the index; empty if none is."""
    busy: bool
    progress: ProgressAnswer | None
    settings: dict[str, Any]
    origins: dict[str, str]
    """Where each setting comes from: the line of a settings file, a variable, a flag; defaults are left out."""
    differing: list[str]
    """Where the settings file says something else than the index has."""
    ask_model: str | None
    models: list[ModelAnswer]
    answering: str
    files_read: FilesReadAnswer | None
    roots: list[RootAnswer]
    """The folders of an index of several; empty for a single one."""
    left_out: list[LeftOutAnswer]
    """The first hundred files and folders that one might miss."""
    withheld: list[str]
    """Settings of the folder that are not used before `headnote trust`."""
    page: str
    """Digest of the page that this server has. A page with another one is of another version."""

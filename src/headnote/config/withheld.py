"""What a folder says and may not decide by itself: settings that count only after `headnote trust FOLDER`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from headnote.config.chunk_settings import ROOTS, TABLE, outward_settings
from headnote.config.index_settings import INDEX
from headnote.config.roots import outward_roots
from headnote.config.search_settings import SEARCH
from headnote.config.server_settings import LLM, SERVER
from headnote.config.tables import SettingsFile, nearest_file

GATED = (INDEX, SEARCH, LLM, SERVER)
"""Tables whose checks say what needs trust."""


class OutwardSetting(NamedTuple):
    """A setting that leads out of the folder."""

    table: str
    """In which it stands."""
    name: str
    """As written."""
    value: Any
    """As written, or of a root the folder that it means."""
    place: str
    """Where it stands: `headnote.toml:3`, or in the index."""

    @property
    def setting(self) -> str:
        """`index.embedder`, `llm.url`, `roots.notes`."""
        return f"{self.table}.{self.name}"


def outward_settings_of(file: SettingsFile, start: Path) -> Iterator[OutwardSetting]:
    """All that a file says about the folder `start` and that needs trust."""
    layers = {TABLE: outward_settings(file)} | {table.name: table.outward(file) for table in GATED}
    if file.is_in(start):  # roots in a file above are not about this folder
        layers[ROOTS] = outward_roots(file)
    for table, entries in layers.items():
        yield from (OutwardSetting(table, entry.name, entry.value, entry.place) for entry in entries)


def withheld_of_file(
    start: Path, environment: Mapping[str, str] | None = None, given: Collection[str] = ()
) -> list[OutwardSetting]:
    """What the nearest file says to no effect, unless the environment or flags (`given`) say it in its place."""
    file = nearest_file(start)
    outward = list(outward_settings_of(file, start)) if file else []
    if file is None or not outward or file.is_trusted:
        return []
    variables = os.environ if environment is None else environment
    said = {(table.name, name) for table in GATED for name in table.variable_entries(variables)}
    said |= {(INDEX.name if name in INDEX.checks else TABLE, name) for name in given}
    return [one for one in outward if (one.table, one.name) not in said]


def trust_note(withheld: Sequence[OutwardSetting], folder: Path) -> str:
    """One line about all of them; empty if there are none."""
    listed = ", ".join(f"{one.setting} ({one.place})" for one in withheld)
    return f"not used: {listed}; if you trust it: headnote trust {folder}" if withheld else ""

"""A table of the file, such as `[index]`: its settings from file, variables and flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from headnote.chunking.settings import nearest
from headnote.config.entries import Entry, Meant, Said, blaming, flag_of, is_given
from headnote.config.files import nearest_file
from headnote.errors import SettingsError

VARIABLE_PREFIX = "HEADNOTE_"

Made = TypeVar("Made")


class LoadedTable(NamedTuple, Generic[Made]):
    """The settings in force, and who said so."""

    settings: Made
    origins: dict[str, str]
    """Every setting → `default`, `headnote.toml:3`, `HEADNOTE_STORE`, `--store` …"""


class Table(NamedTuple):
    """Which settings a table has, and how each is read."""

    name: str
    checks: Mapping[str, Callable[[Any], Any]]
    """Setting → what makes its value of whatever was written, be it text or TOML, or refuses it."""
    prefix: str = VARIABLE_PREFIX
    """What the names of its variables begin with."""

    def variable_of(self, setting: str) -> str:
        return self.prefix + setting.upper()

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(map(self.variable_of, self.checks))

    def load(
        self, make: Callable[..., Made], flags: Mapping[str, Any], start: Path, environment: Mapping[str, str]
    ) -> LoadedTable[Made]:
        """What holds for documents in `start`."""
        return self.settled(make, self.understood(self.outside(start, environment) | self.given(flags)))

    def outside(self, start: Path, environment: Mapping[str, str]) -> dict[str, Entry]:
        """What file and environment say; the strongest entry of each setting."""
        file = nearest_file(start)
        entries = {entry.name: entry for entry in file.entries(self.name)} if file else {}
        for name in self.checks:
            variable = self.variable_of(name)
            # A variable that is set to nothing is the usual way to take it back.
            if text := environment.get(variable, "").strip():
                entries[name] = Entry(name, text, variable)
        return entries

    def given(self, flags: Mapping[str, Any]) -> dict[str, Entry]:
        """What flags say; others than those of this table are left alone."""
        return {name: Entry(name, flags[name], flag_of(name)) for name in self.checks if is_given(flags.get(name))}

    def understood(self, entries: Mapping[str, Entry]) -> Said:
        """What they mean; the first that makes no sense is refused with its place."""
        return {name: Meant(self._value(entry), entry.place) for name, entry in entries.items()}

    def settled(self, make: Callable[..., Made], said: Said) -> LoadedTable[Made]:
        """The settings that hold if this was said."""
        origins = {name: said[name].origin if name in said else "default" for name in self.checks}
        return LoadedTable(make(**{name: meant.value for name, meant in said.items()}), origins)

    def _value(self, entry: Entry) -> Any:
        with blaming(entry):
            if entry.name not in self.checks:
                raise SettingsError(f"unknown setting {entry.name}", remedy=nearest(entry.name, tuple(self.checks)))
            return self.checks[entry.name](entry.value)

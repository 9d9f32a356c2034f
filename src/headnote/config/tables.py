"""A table of the settings file, such as `[index]`: its settings from file, variables and flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from headnote.chunking.settings import nearest
from headnote.config.checks import Check
from headnote.config.entries import Entry, Value, Values, errors_at, flag_of, is_given
from headnote.config.files import SettingsFile, nearest_file, user_file, withheld_among
from headnote.errors import SettingsError

VARIABLE_PREFIX = "HEADNOTE_"

TableSettings = TypeVar("TableSettings")


class LoadedTable(NamedTuple, Generic[TableSettings]):
    """The settings of a table, and where each comes from."""

    settings: TableSettings
    origins: dict[str, str]
    """Every setting → `default`, `headnote.toml:3`, `HEADNOTE_STORE`, `--store` …"""


class Table(NamedTuple):
    """Which settings a table has, and how to read each."""

    name: str
    checks: Mapping[str, Check]
    prefix: str = VARIABLE_PREFIX
    """Prefix of its variables."""
    with_others: Callable[[Mapping[str, Entry], Path], dict[str, Entry]] = lambda entries, _: dict(entries)
    """Adds what tables of other systems say to the entries of the file."""

    def variable_of(self, setting: str) -> str:
        return self.prefix + setting.upper()

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(map(self.variable_of, self.checks))

    def load(
        self,
        settings_type: Callable[..., TableSettings],
        flags: Mapping[str, Any],
        start: Path,
        environment: Mapping[str, str],
    ) -> LoadedTable[TableSettings]:
        """The settings for documents in `start`."""
        entries = self.ambient_entries(start, environment) | self.flag_entries(flags)
        return self.resolve(settings_type, self.values(entries))

    def ambient_entries(self, start: Path, environment: Mapping[str, str]) -> dict[str, Entry]:
        """Setting → its entry in the environment, else in the file, else in the user's own."""
        files = [self.file_entries(file) for file in (user_file(), nearest_file(start)) if file]
        entries = {name: entry for entries in files for name, entry in entries.items()}
        return self.with_others(entries, start) | self.variable_entries(environment)

    def file_entries(self, file: SettingsFile) -> dict[str, Entry]:
        """Setting → its entry in a file, without those that the user has not agreed to."""
        withheld = withheld_among(self.outward(file), file)
        return {entry.name: entry for entry in file.entries(self.name) if entry not in withheld}

    def outward(self, file: SettingsFile) -> list[Entry]:
        """The entries of a file that count only if the user trusts it."""
        known = [(entry, self.checks.get(entry.name)) for entry in file.entries(self.name)]
        return [entry for entry, check in known if check and check.needs_trust(entry.value)]

    def variable_entries(self, environment: Mapping[str, str]) -> dict[str, Entry]:
        """Setting → its entry in the environment."""
        # An empty variable counts as unset.
        texts = {name: environment.get(self.variable_of(name), "").strip() for name in self.checks}
        return {name: Entry(name, text, self.variable_of(name)) for name, text in texts.items() if text}

    def flag_entries(self, flags: Mapping[str, Any]) -> dict[str, Entry]:
        """Setting → its flag. Flags of other tables are ignored."""
        return {name: Entry(name, flags[name], flag_of(name)) for name in self.checks if is_given(flags.get(name))}

    def values(self, entries: Mapping[str, Entry]) -> Values:
        """The checked value of each entry. The first bad one raises, with its place."""
        return {name: Value(self._check(entry), entry.place) for name, entry in entries.items()}

    def resolve(self, settings_type: Callable[..., TableSettings], values: Values) -> LoadedTable[TableSettings]:
        """The settings made of these values, and of defaults for the others."""
        origins = {name: values[name].origin if name in values else "default" for name in self.checks}
        return LoadedTable(settings_type(**{name: value.value for name, value in values.items()}), origins)

    def _check(self, entry: Entry) -> Any:
        with errors_at(entry):
            if entry.name not in self.checks:
                raise SettingsError(f"unknown setting {entry.name}", remedy=nearest(entry.name, tuple(self.checks)))
            return self.checks[entry.name](entry.value)

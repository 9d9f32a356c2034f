"""A table of the settings file, such as `[index]`: its settings from file, variables and flags."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from headnote.arguments import Bounds, check_texts, check_whole_number, check_word, read_whole_number
from headnote.config.trust import is_trusted, user_folder
from headnote.errors import SettingsError, nearest
from headnote.markdown.plain_data import TooLarge
from headnote.markdown.untrusted import load_data

# -- A setting as written in a file, a variable or a flag, and as a value with its origin.


class SettingEntry(NamedTuple):
    """One setting as written."""

    name: str
    value: Any
    path: str
    """File, variable or flag."""
    line: int | None = None

    @property
    def place(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


Layer = list[SettingEntry]
"""The entries of one source: the file, the environment or the flags."""


class SettingValue(NamedTuple):
    """The checked value of a setting, and where it comes from."""

    value: Any
    origin: str


Values = dict[str, SettingValue]
"""Setting, by our name → its value. The preset counts as a setting."""


@contextmanager
def errors_at(entry: SettingEntry) -> Iterator[None]:
    """Add the place of the entry to errors raised inside."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=error.remedy) from None


def flag_of(name: str) -> str:
    """`max_tokens` → `--max-tokens`."""
    return "--" + name.replace("_", "-")


def is_given(value: Any) -> bool:
    """Whether a flag was given: None and an empty list stand for flags that were not."""
    return value is not None and value not in ([], ())


# -- Checks of single settings: each turns text or a TOML value into the value of the setting, or raises.


def never(_: Any) -> bool:
    """The check for settings that never lead out of the folder."""
    return False


def if_said(value: Any) -> bool:
    """The check for settings that always lead out of the folder: services, keys, programs."""
    return isinstance(value, str | list) and bool(value)


@dataclass(frozen=True, slots=True)
class Check:
    """Turns text or a TOML value into the value of a setting, or raises."""

    allowed: str
    """What the setting may be, in words, for the reference of the settings."""
    read: Callable[[Any], Any]
    needs_trust: Callable[[Any], bool] = never
    """Whether this value, in the file of a folder, counts only if the user trusts the file."""

    def __call__(self, value: Any) -> Any:
        return self.read(value)


def count(least: int, most: int | None = None) -> Check:
    """A whole number in these bounds."""
    bounds = Bounds(least, most)

    def check(value: Any) -> int:
        number = read_whole_number(value) if isinstance(value, str) else value
        return check_whole_number(number, bounds, outside=("out of range", "out of range"))

    return Check(f"a whole number, {bounds}", check)


def choice(allowed: Sequence[str]) -> Check:
    """One of these words."""
    return Check(", ".join(f"`{word}`" for word in allowed), lambda value: check_word(value, allowed))


def _text(value: Any) -> str:
    """Any string. Errors do not show the value: it may be a secret."""
    if not isinstance(value, str):
        raise SettingsError(f"expected a string, not a {type(value).__name__}", remedy="put it in quotes")
    return value.strip()


# Free text says where something is or who may use it. A stranger may choose among words and numbers, not that.
text = Check("text", _text, if_said)
texts = Check("a list, or text with commas", check_texts, if_said)


# -- The settings file of a folder, that of the user, and the line of each of their entries.


OWN_FILE = "headnote.toml"
PROJECT_FILE = "pyproject.toml"
MAX_CHARACTERS = 1_000_000
"""Maximum characters of a settings file: several times the longest pyproject.toml that people write."""

_HEADER = re.compile(r"\s*\[+([^\[\]]*)\]")
_KEY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.]""")


@dataclass(frozen=True)
class SettingsFile:
    """A file with settings for headnote."""

    path: Path
    text: str
    tables: dict[str, Any]
    """Single settings, and tables of them."""
    prefix: tuple[str, ...]
    """The table that holds them; empty for the whole file."""

    @property
    def shown(self) -> str:
        return _displayed(self.path)

    @property
    def digest(self) -> str:
        """The digest of its content. In a file that other tools use as well, only our table counts."""
        content = json.dumps(self.tables, sort_keys=True, default=str) if self.prefix else self.text
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def is_trusted(self) -> bool:
        """Whether the user agreed to what it says, or wrote it: the maker of a folder has made its file, too."""
        return self.path == _users_path() or is_trusted(self.path, self.digest)

    @cached_property
    def _lines(self) -> Mapping[tuple[str, str], int]:
        return _lines_of(self.text)

    def entries(self, *table: str) -> Layer:
        """The entries of a table, or those at the top."""
        values = _find_table(self.tables, table) or {}
        place = (*self.prefix, *table)
        return [SettingEntry(name, value, self.shown, self._line(name, place)) for name, value in values.items()]

    def _line(self, name: str, table: tuple[str, ...]) -> int | None:
        """The line of a key or of its own table; None if it is written in another form."""
        places = ((_plain_header(".".join(table)), name), (_plain_header(".".join((*table, name))), ""))
        return min((self._lines[place] for place in places if place in self._lines), default=None)

    def is_in(self, folder: Path) -> bool:
        """Whether it lies in the folder itself, and not above it."""
        return self.path.parent == _real(folder)


def withheld_among(outward: Layer, file: SettingsFile) -> Layer:
    """Of the entries of a file that need trust, those that do not count. Most files have none, and nothing is looked
    up."""
    return [] if not outward or file.is_trusted else outward


def settings_file(start: Path) -> str | None:
    """The settings file for documents in `start`, as people see it."""
    file = nearest_file(start)
    return file.shown if file else None


def settings_files(start: Path) -> list[Path]:
    """Where the settings of documents in `start` are, or would be if somebody wrote them there: the nearest file, and
    those that would come before it."""
    files: list[Path] = []
    start, nearest = _real(start), nearest_file(start)
    for folder in (start, *start.parents):
        files += (folder / name for name in (OWN_FILE, PROJECT_FILE))
        if nearest and folder == nearest.path.parent:
            break
    return files


def nearest_file(start: Path) -> SettingsFile | None:
    """The first file with settings for headnote, in this folder or above it."""
    return next((file for path in _candidates(start) if (file := read_settings_file(path))), None)


def user_file() -> SettingsFile | None:
    """The user's own file, which holds for all folders; None if there is none."""
    path = _users_path()
    return read_settings_file(path) if path and _is_file(path) else None


def read_settings_file(path: Path) -> SettingsFile | None:
    """A file with its settings; None if it has none for headnote."""
    prefix = () if path.name == OWN_FILE else ("tool", "headnote")
    text = _read_text(path)
    # Other tools use pyproject.toml as well. Unless it mentions headnote, its errors are none of our business.
    if prefix and "headnote" not in text:
        return None
    tables = _find_table(_parse_toml(path, text), prefix)
    return None if tables is None else SettingsFile(path=path, text=text, tables=tables, prefix=prefix)


def _users_path() -> Path | None:
    folder = user_folder()
    return folder / OWN_FILE if folder else None


def _candidates(start: Path) -> Iterator[Path]:
    start = _real(start)
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            if _is_file(folder / name):
                yield folder / name


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False  # a folder without permission has no settings


def _real(folder: Path) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError):  # a loop of symbolic links
        return folder.absolute()


def _read_text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig") as content:
            return content.read(MAX_CHARACTERS + 1)
    except OSError as error:
        raise SettingsError(
            f"cannot be read: {error.strerror}", path=_displayed(file), remedy="make it readable or remove it"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", path=_displayed(file), remedy="save it as UTF-8") from None


def _parse_toml(file: Path, text: str) -> dict[str, Any]:
    try:
        return _parsed(text)
    except TooLarge as error:
        raise SettingsError(f"cannot be used: {error}", path=_displayed(file), remedy="shorten it") from None
    except (ValueError, RecursionError) as error:
        # Not every mistake raises TOMLDecodeError: endless numbers raise Python's own errors.
        message, line = _without_position(str(error), text)
        raise SettingsError(
            f"is not valid TOML: {message}", path=_displayed(file), line=line, remedy="correct this line"
        ) from None


@lru_cache(maxsize=4)
def _parsed(text: str) -> dict[str, Any]:
    """The data of a file. Every command asks for several of its tables."""
    data: dict[str, Any] = load_data(text, "toml", MAX_CHARACTERS)
    return data


def _without_position(message: str, text: str) -> tuple[str, int | None]:
    """Message and line of a TOML error, whose text ends with the position."""
    if position := re.search(r" \(at line ([0-9]+), column [0-9]+\)$", message):
        return message[: position.start()], int(position[1])
    if message.endswith(" (at end of document)"):
        return message.removesuffix(" (at end of document)"), text.rstrip().count("\n") + 1
    return message, None


def _find_table(data: dict[str, Any], table_path: tuple[str, ...]) -> dict[str, Any] | None:
    table: Any = data
    for name in table_path:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _lines_of(text: str) -> dict[tuple[str, str], int]:
    """Table and key → line, by reading the text once: the reader of TOML does not tell. A table has no key."""
    lines: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _HEADER.match(line):
            table = _plain_header(match[1])
            lines.setdefault((table, ""), number)
        elif match := _KEY.match(line):
            lines.setdefault((table, next(filter(None, match.groups()), "")), number)
    return lines


def _plain_header(header: str) -> str:
    return re.sub(r"[\s\"']", "", header)


def _displayed(file: Path) -> str:
    """The path relative to the current folder, if it is inside."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


# -- A table of the settings file, such as `[index]`


VARIABLE_PREFIX = "HEADNOTE_"

TableSettings = TypeVar("TableSettings")
Entries = dict[str, SettingEntry]
"""Setting → its entry."""


class LoadedTable(NamedTuple, Generic[TableSettings]):
    """The settings of a table, and where each comes from."""

    settings: TableSettings
    origins: dict[str, str]
    """Every setting → `default`, `headnote.toml:3`, `HEADNOTE_STORE`, `--store` …"""


class Table(Generic[TableSettings]):
    """The settings of a table: the fields of a dataclass, each of which says in its type how it is read."""

    def __init__(
        self,
        name: str,
        settings_type: type[TableSettings],
        *,
        checks: Mapping[str, Check] | None = None,
        prefix: str = VARIABLE_PREFIX,
        with_others: Callable[[Mapping[str, SettingEntry], Path], dict[str, SettingEntry]] = lambda known, _: dict(
            known
        ),
    ) -> None:
        """`prefix` is that of its variables. `with_others` adds what tables of other systems say."""
        self.name = name
        self.settings_type = settings_type
        self.checks = checks or _checks_of(settings_type)
        self.prefix = prefix
        self.with_others = with_others

    def variable_of(self, setting: str) -> str:
        return self.prefix + setting.upper()

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(map(self.variable_of, self.checks))

    def load(
        self, flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
    ) -> LoadedTable[TableSettings]:
        """The settings for documents in `start`: from the file, and from variables and flags of the same names."""
        entries = self.ambient_entries(start, os.environ if environment is None else environment)
        return self.resolve(self.values(entries | self.flag_entries(flags)))

    def ambient_entries(self, start: Path, environment: Mapping[str, str]) -> Entries:
        """Setting → its entry in the environment, else in the file, else in the user's own."""
        files = [self.file_entries(file) for file in (user_file(), nearest_file(start)) if file]
        entries = {name: entry for entries in files for name, entry in entries.items()}
        return self.with_others(entries, start) | self.variable_entries(environment)

    def file_entries(self, file: SettingsFile) -> Entries:
        """Setting → its entry in a file, without those that the user has not agreed to."""
        withheld = withheld_among(self.outward(file), file)
        return {entry.name: entry for entry in file.entries(self.name) if entry not in withheld}

    def outward(self, file: SettingsFile) -> list[SettingEntry]:
        """The entries of a file that count only if the user trusts it."""
        known = [(entry, self.checks.get(entry.name)) for entry in file.entries(self.name)]
        return [entry for entry, check in known if check and check.needs_trust(entry.value)]

    def variable_entries(self, environment: Mapping[str, str]) -> Entries:
        """Setting → its entry in the environment."""
        # An empty variable counts as unset.
        texts = {name: environment.get(self.variable_of(name), "").strip() for name in self.checks}
        return {name: SettingEntry(name, text, self.variable_of(name)) for name, text in texts.items() if text}

    def flag_entries(self, flags: Mapping[str, Any]) -> Entries:
        """Setting → its flag. Flags of other tables are ignored."""
        return {
            name: SettingEntry(name, flags[name], flag_of(name)) for name in self.checks if is_given(flags.get(name))
        }

    def values(self, entries: Mapping[str, SettingEntry]) -> Values:
        """The checked value of each entry. The first bad one raises, with its place."""
        return {name: SettingValue(self._check(entry), entry.place) for name, entry in entries.items()}

    def resolve(self, values: Values) -> LoadedTable[TableSettings]:
        """The settings made of these values, and of defaults for the others."""
        origins = {name: values[name].origin if name in values else "default" for name in self.checks}
        return LoadedTable(self.settings_type(**{name: value.value for name, value in values.items()}), origins)

    def _check(self, entry: SettingEntry) -> Any:
        with errors_at(entry):
            if entry.name not in self.checks:
                raise SettingsError(f"unknown setting {entry.name}", remedy=nearest(entry.name, tuple(self.checks)))
            return self.checks[entry.name](entry.value)


def _checks_of(settings_type: type) -> dict[str, Check]:
    hints = get_type_hints(settings_type, include_extras=True)
    return {name: next(one for one in kind.__metadata__ if isinstance(one, Check)) for name, kind in hints.items()}

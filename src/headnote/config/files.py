"""The settings file of a folder, and the line of each of its entries."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from headnote.config.entries import Entry, Layer
from headnote.errors import SettingsError

OWN_FILE = "headnote.toml"
PROJECT_FILE = "pyproject.toml"


class SettingsFile(NamedTuple):
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

    def entries(self, *table: str) -> Layer:
        """The entries of a table, or those at the top."""
        values = _find_table(self.tables, table) or {}
        place = (*self.prefix, *table)
        return [Entry(name, value, self.shown, _line_of(self.text, name, place)) for name, value in values.items()]

    def is_in(self, folder: Path) -> bool:
        """Whether it lies in the folder itself, and not above it."""
        return self.path.parent == _real(folder)


def settings_file(start: Path) -> str | None:
    """The settings file for documents in `start`, as people see it."""
    file = nearest_file(start)
    return file.shown if file else None


def nearest_file(start: Path) -> SettingsFile | None:
    """The first file with settings for headnote, in this folder or above it."""
    for path in _candidates(start):
        prefix = () if path.name == OWN_FILE else ("tool", "headnote")
        text = _read_text(path)
        # Other tools use pyproject.toml as well. Unless it mentions headnote, its errors are none of our business.
        if prefix and "headnote" not in text:
            continue
        tables = _find_table(_parse_toml(path, text), prefix)
        if tables is not None:
            return SettingsFile(path=path, text=text, tables=tables, prefix=prefix)
    return None


def _candidates(start: Path) -> Iterator[Path]:
    start = _real(start)
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            file = folder / name
            try:
                if file.is_file():
                    yield file
            except OSError:
                # A folder without permission has no settings.
                continue


def _real(folder: Path) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError):  # a loop of symbolic links
        return folder.absolute()


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingsError(
            f"cannot be read: {error.strerror}", path=_displayed(file), remedy="make it readable or remove it"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", path=_displayed(file), remedy="save it as UTF-8") from None


def _parse_toml(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not every mistake raises TOMLDecodeError: endless numbers and endless nesting raise Python's own errors.
        message, line = _without_position(str(error), text)
        raise SettingsError(
            f"is not valid TOML: {message}", path=_displayed(file), line=line, remedy="correct this line"
        ) from None


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


def _line_of(text: str, name: str, table_path: tuple[str, ...]) -> int | None:
    """The line of a key, by searching the text: tomllib does not tell. None if the key is written in another form."""
    key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[=.]""")
    header = _plain_header(".".join(table_path))
    own_header = _plain_header(".".join((*table_path, name)))
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.match(r"\s*\[+([^\[\]]*)\]", line):
            table = _plain_header(match[1])
            if table == own_header:
                return number
        elif table == header and key.match(line):
            return number
    return None


def _plain_header(header: str) -> str:
    return re.sub(r"[\s\"']", "", header)


def _displayed(file: Path) -> str:
    """The path relative to the current folder, if it is inside."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)

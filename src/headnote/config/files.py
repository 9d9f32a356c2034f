"""The file that has a say about a folder, and in which line it says what."""

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
    """A file that speaks of us."""

    path: Path
    text: str
    tables: dict[str, Any]
    """What it says: single settings and tables of them."""
    prefix: tuple[str, ...]
    """The table it says it in; empty for the whole file."""

    @property
    def shown(self) -> str:
        return _displayed(self.path)

    def entries(self, table: str = "") -> Layer:
        """The keys of one of its tables, or those at the top."""
        values = self.tables.get(table) if table else self.tables
        place = (*self.prefix, table) if table else self.prefix
        keys = values if isinstance(values, dict) else {}
        return [Entry(name, value, self.shown, _line_of(self.text, name, place)) for name, value in keys.items()]


def settings_file(start: Path) -> str | None:
    """The file that has a say about documents in `start`, as people are shown it."""
    file = nearest_file(start)
    return file.shown if file else None


def nearest_file(start: Path) -> SettingsFile | None:
    """The first file that speaks of us, in this folder or above it."""
    for path in _candidates(start):
        prefix = () if path.name == OWN_FILE else ("tool", "headnote")
        text = _read_text(path)
        # The project's file belongs to others as well. Unless it speaks of us, its mistakes are theirs.
        if prefix and "headnote" not in text:
            continue
        tables = _find_table(_parse_toml(path, text), prefix)
        if tables is not None:
            return SettingsFile(path=path, text=text, tables=tables, prefix=prefix)
    return None


def _candidates(start: Path) -> Iterator[Path]:
    try:
        start = start.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        start = start.absolute()
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            file = folder / name
            try:
                if file.is_file():
                    yield file
            except OSError:
                # A folder that may not be looked into has nothing to say.
                continue


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
        # Only some mistakes have TOML's own error; numbers without end and nesting without end have Python's.
        message, line = _without_position(str(error), text)
        raise SettingsError(
            f"is not valid TOML: {message}", path=_displayed(file), line=line, remedy="correct this line"
        ) from None


def _without_position(message: str, text: str) -> tuple[str, int | None]:
    """The message of the TOML reader, which ends with the position, as message and line."""
    if found := re.search(r" \(at line ([0-9]+), column [0-9]+\)$", message):
        return message[: found.start()], int(found[1])
    if message.endswith(" (at end of document)"):
        return message.removesuffix(" (at end of document)"), text.rstrip().count("\n") + 1
    return message, None


def _find_table(data: dict[str, Any], table_path: tuple[str, ...]) -> dict[str, Any] | None:
    table: Any = data
    for name in table_path:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _line_of(text: str, name: str, table_path: tuple[str, ...]) -> int | None:
    """The line where a key stands, by looking: the TOML reader does not tell. None if it is written some other way."""
    key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[=.]""")
    wanted = ".".join(table_path)
    own_header = ".".join((*table_path, name))
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[+([^\[\]]*)\]", line):
            table = re.sub(r"[\s\"']", "", header[1])
            if table == own_header:
                return number
        elif table == wanted and key.match(line):
            return number
    return None


def _displayed(file: Path) -> str:
    """As short as it can be said from where the user stands."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)

"""What the user agreed to. A folder's own file may come from a stranger, so what it says about services, keys, programs
and places outside the folder counts only after `headnote trust FOLDER`.

Records lie in the folder of the user, one file each, so that two commands never write the same one. A record is a path
and the digest of what lies there: a file that changes is not trusted any more, nor is a copy of it elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import SettingsError

USER_FOLDER = "HEADNOTE_CONFIG_FOLDER"
"""The variable that says where the user's own file and the records are."""
_RECORDS = "trusted"
_MAX_RECORD_BYTES = 100_000
"""Characters of a record."""


class Trusted(NamedTuple):
    """A record: what the user agreed to."""

    path: str
    """A settings file, or the folder of an index."""
    sha256: str
    """Of the content of the file, or of the setting that the index keeps."""
    setting: str = ""
    """The name of that setting; empty for a file."""


def user_folder() -> Path | None:
    """Where the user's own settings and records are; None for a user without a home. A relative path would lead into
    the folder of a stranger, so it does not count."""
    places = [os.environ.get(USER_FOLDER, "").strip(), _platform_folder()]
    for place in filter(None, places):
        with contextlib.suppress(RuntimeError):  # ~ of nobody
            folder = Path(place).expanduser()
            if folder.is_absolute():
                return Path(os.path.realpath(folder))
    return None


def _platform_folder() -> str:
    chosen = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    usual = {"win32": "~/AppData/Roaming", "darwin": "~/Library/Application Support"}.get(sys.platform, "~/.config")
    return f"{chosen if Path(chosen).is_absolute() else usual}/headnote"


def is_inside(path: str, home: Path) -> bool:
    """Whether a path leads nowhere but into this folder, whatever links are on the way."""
    real = os.path.realpath(home)
    try:
        whole = os.path.realpath(os.path.join(real, os.path.expanduser(path)))  # noqa: PTH111 PTH118
        return os.path.commonpath((whole, real)) == real
    except ValueError:  # another drive, or a NUL
        return False


# Records


def digest_of(value: Any) -> str:
    """Of a setting."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def is_trusted(path: Path, sha256: str, setting: str = "") -> bool:
    """Whether the user agreed to what lies there, as it is now."""
    file = _file_of(path, setting)
    return file is not None and _read(file) == Trusted(str(path), sha256, setting)


def trust(path: Path, sha256: str, setting: str = "") -> None:
    """Remember that the user agrees to what lies there."""
    if is_trusted(path, sha256, setting):
        return
    file = _file_of(path, setting)
    if file is None:
        raise SettingsError("there is no folder to remember it in", remedy=f"set {USER_FOLDER} to a folder of yours")
    try:
        from tempfile import mkstemp  # late: a search trusts nobody

        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, new = mkstemp(dir=file.parent, suffix=".new")  # nobody else may read or write it
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as content:
                content.write(json.dumps(Trusted(str(path), sha256, setting)._asdict()))
            os.replace(new, file)  # noqa: PTH105  whole or not at all: another command may write the same
        except BaseException:
            os.unlink(new)  # noqa: PTH108
            raise
    except OSError as error:
        raise _unwritable(file, error) from None


def distrust(record: Trusted) -> None:
    """Forget a record."""
    file = _file_of(Path(record.path), record.setting)
    try:
        if file is not None:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(file, error) from None


def records() -> list[Trusted]:
    """All that the user agreed to, by path."""
    folder = user_folder()
    try:
        files = list((folder / _RECORDS).glob("*.json")) if folder else []
    except OSError as error:
        raise _unwritable(folder, error) from None
    return sorted(record for file in files if (record := _read(file)))


def _file_of(path: Path, setting: str) -> Path | None:
    folder = user_folder()
    name = hashlib.sha256(f"{path}\0{setting}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return folder / _RECORDS / f"{name}.json" if folder else None


def _read(file: Path) -> Trusted | None:
    """Read a record; None if it does not exist or cannot be read."""
    try:
        with file.open(encoding="utf-8") as content:
            stored = json.loads(content.read(_MAX_RECORD_BYTES))
        return Trusted(str(stored["path"]), str(stored["sha256"]), str(stored["setting"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _unwritable(file: Path | None, error: OSError) -> SettingsError:
    remedy = f"make it writable, or set {USER_FOLDER} to another folder"
    return SettingsError(f"cannot be used: {error.strerror}", path=str(file), remedy=remedy)

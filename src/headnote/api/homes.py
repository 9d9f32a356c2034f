"""The home of several folders that a command or a program names without a file: where their index is.

It is a folder of its own, with a `headnote.toml` that lists them, so that it is an index like any other. The same
folders have the same home, in whatever order they are named.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from headnote.api.opening import AnyPath, check_folder
from headnote.config import read_roots
from headnote.config.files import OWN_FILE, nearest_file
from headnote.config.trust import trust
from headnote.errors import SettingsError, UnwritableIndex

HOMES = "HEADNOTE_HOMES"
"""The variable that says where homes are made."""

_NOT_IN_NAMES = re.compile(r"[^\w.+@-]+")
_LONGEST = 60
"""Characters of the name of a home, before its digest."""


def home_of(folders: Sequence[AnyPath], home: AnyPath | None = None) -> Path:
    """The folder that the index of these folders belongs to: the only one itself, or their home, which is made.

    `home` is one that the user chose. It keeps the roots that its file lists.
    """
    real = _real_folders(folders)
    if home is None and len(real) < 2:
        return Path(folders[0]) if folders else Path()
    chosen = place_of_home(folders) if home is None else Path(home)
    if not real:
        return chosen
    if not (chosen / OWN_FILE).exists():
        for folder in folders:
            check_folder(Path(folder))
        _make(chosen, real)
    _trust(chosen, real)
    if {os.path.realpath(entry.root.barred or entry.root.folder) for entry in read_roots(chosen)} != set(real):
        raise SettingsError(
            "lists other folders", path=str(chosen / OWN_FILE), remedy="list them there, or leave them out here"
        )
    return chosen


def place_of_home(folders: Sequence[AnyPath]) -> Path:
    """Where the home of these folders is, or would be; the only one itself."""
    real = _real_folders(folders)
    if len(real) < 2:
        return Path(folders[0]) if folders else Path()
    digest = blake2b("\0".join(real).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return _homes() / f"{'-'.join(names_of(real))[:_LONGEST]}-{digest}"


def names_of(folders: Sequence[str]) -> list[str]:
    """A name for each folder: that of the folder, with that of the one around it where two have the same."""
    names = [_plain(Path(folder).name) for folder in folders]
    for depth in (2, 3, 4):
        taken = Counter(name.casefold() for name in names)
        names = [
            _plain("-".join(Path(folder).parts[-depth:])) if taken[name.casefold()] > 1 else name
            for name, folder in zip(names, folders, strict=True)
        ]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name.casefold()] += 1
        number = seen[name.casefold()]
        unique.append(name if number == 1 else f"{name}-{number}")
    return unique


def _plain(name: str) -> str:
    return _NOT_IN_NAMES.sub("-", name).strip("-.+@ ") or "folder"


def _real_folders(folders: Sequence[AnyPath]) -> list[str]:
    return sorted({os.path.realpath(folder) for folder in folders})


def _homes() -> Path:
    if chosen := os.environ.get(HOMES, "").strip():
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "headnote" / "homes"


def _list_of(folders: Sequence[str]) -> str:
    lines = ["# The folders of this index. headnote made this file; it is yours to change."]
    for name, folder in zip(names_of(folders), folders, strict=True):
        lines += ["", f"[roots.{_text(name)}]", f"path = {_text(folder)}"]
    return "\n".join(lines) + "\n"


def _trust(home: Path, folders: Sequence[str]) -> None:
    """Trust the file if it lists the folders that the user names now, and says nothing else."""
    file = nearest_file(home)
    if file and file.is_in(home) and file.text == _list_of(folders):
        trust(file.path, file.digest)


def _make(home: Path, folders: Sequence[str]) -> None:
    new = home / f"{OWN_FILE}.{os.getpid()}"
    try:
        home.mkdir(parents=True, exist_ok=True)
        new.write_text(_list_of(folders), encoding="utf-8")
        new.replace(home / OWN_FILE)  # whole or not at all: another command may make the same home
    except OSError as error:
        raise UnwritableIndex(
            f"cannot be made: {error.strerror}",
            path=str(home),
            remedy=f"choose another place with --home FOLDER or {HOMES}",
        ) from None


def _text(text: str) -> str:
    """A string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

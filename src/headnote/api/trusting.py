"""What the user trusts: settings of a folder that lead out of it, in its file or kept by its index."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from headnote.api.folders import AnyPath, check_folder, stored_settings
from headnote.config import OutwardSetting, Trusted, kept_outward, outward_settings_of
from headnote.config.tables import OWN_FILE, PROJECT_FILE, SettingsFile, nearest_file, read_settings_file
from headnote.config.trust import digest_of, distrust, records, trust
from headnote.errors import SettingsError


class TrustedFolder(NamedTuple):
    """What was allowed to a folder."""

    file: str | None
    """The settings file of which it is; None if the index alone has something to allow."""
    sha256: str
    """Of the content of the file that is trusted; empty without one."""
    settings: tuple[OutwardSetting, ...]
    """What it may say now. None if nothing needs trust; then nothing is recorded."""


def trust_folder(root: AnyPath) -> TrustedFolder:
    """Let the settings file and the index of a folder name services, programs and places outside it."""
    folder = Path(root)
    check_folder(folder)
    file = nearest_file(folder)
    of_file = tuple(outward_settings_of(file, folder)) if file else ()
    if file and of_file:
        trust(file.path, file.digest)
    of_index = tuple(kept_outward(stored_settings(folder), folder))
    for flag in of_index:
        trust(folder.resolve(), digest_of(flag.value), flag.name)
    if file is None or not of_file:
        return TrustedFolder(None, "", of_index)
    return TrustedFolder(file.shown, file.digest, (*of_file, *of_index))


def distrust_folder(root: AnyPath) -> list[Trusted]:
    """Take it back. The folder need not exist any more. What is no longer trusted is returned."""
    folder = Path(os.path.realpath(root))
    paths = {str(folder), str(folder / OWN_FILE), str(folder / PROJECT_FILE)}
    if file := _readable(nearest_file, folder):
        paths.add(str(file.path))
    removed = [record for record in records() if record.path in paths]
    for record in removed:
        distrust(record)
    return removed


def state_of(record: Trusted) -> str:
    """Whether what the user trusted is still there, in a word or two."""
    path = Path(record.path)
    if not path.exists():
        return "gone"
    file = None if record.setting else _readable(read_settings_file, path)
    return "trusted" if record.setting or (file and file.digest == record.sha256) else "changed since"


def _readable(read: Callable[[Path], SettingsFile | None], path: Path) -> SettingsFile | None:
    """A settings file; None if it cannot be read, which is no reason to keep trusting it."""
    try:
        return read(path)
    except SettingsError:
        return None

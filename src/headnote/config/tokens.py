"""Tokens that outlive a restart of the server, one for each folder or pack that is served.

They lie in the folder of the user, never in the folder they guard: whoever gets a copy of that one, or searches it,
would have the token.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe

from headnote.config.trust import USER_FOLDER, user_folder
from headnote.errors import SettingsError

MIN_LENGTH = 16
"""Characters of a token."""
_MAX_LENGTH = 1000
_RENEW = "make another one with --token renew"


def new_token() -> str:
    return token_urlsafe(24)


def is_token(text: str) -> bool:
    """Whether it is hard enough to guess, and can stand in an address and in a header."""
    return len(text) >= MIN_LENGTH and text.isascii() and text.isprintable() and " " not in text


def kept_token(root: Path, *, renew: bool = False) -> str:
    """The token of this folder; with `renew`, or if it has none yet, a new one, which is kept."""
    file = _file_of(root)
    try:
        return _renewed(file) if renew or not file.exists() else _read(file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(
            f"no token can be kept there: {reason}",
            path=str(file),
            remedy=f"give one in HEADNOTE_TOKEN, or set {USER_FOLDER}",
        ) from None


def _file_of(root: Path) -> Path:
    folder, real = user_folder(), os.path.realpath(root)
    if folder is None:
        raise SettingsError("there is no folder to keep a token in", path="--token", remedy=f"set {USER_FOLDER}")
    if folder.is_relative_to(real):
        raise SettingsError(
            f"the token of {root} would be kept inside of it",
            path=str(folder),
            remedy=f"set {USER_FOLDER} to another folder",
        )
    return folder / "tokens" / sha256(os.fsencode(real)).hexdigest()[:32]


def _read(file: Path) -> str:
    with file.open("rb") as opened:
        if os.name != "nt" and os.fstat(opened.fileno()).st_mode & 0o077:
            raise SettingsError("others may read the token that is kept", path=str(file), remedy=_RENEW)
        token = opened.read(_MAX_LENGTH).decode("ascii", "replace").strip()
    if not is_token(token):
        raise SettingsError("no token is kept there", path=str(file), remedy=_RENEW)
    return token


def _renewed(file: Path) -> str:
    """Written aside, so that nobody reads half of one."""
    token = new_token()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = file.with_name(f"{file.name}.{os.getpid()}")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
        opened.write(f"{token}\n")
    aside.replace(file)
    return token

"""`[server]`: where `headnote serve` listens, and who may use it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

from headnote.arguments import expect
from headnote.config.tables import Check, LoadedTable, Table, count, nearest_file, text, texts, user_file
from headnote.config.trust import USER_FOLDER, user_folder
from headnote.errors import SettingsError, nearest, reason_of, shown

# -- Editors that a document can be opened in: each has an address that the system hands over to it.


NO_EDITOR = "none"
EDITORS = {
    "vscode": "vscode://file{path}:{line}",
    "vscode-insiders": "vscode-insiders://file{path}:{line}",
    "vscodium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "obsidian": "obsidian://open?path={file}",
}
MAX_ADDRESS_CHARS = 500
"""Characters of a template."""

_TEMPLATE = re.compile(r"([a-z][a-z0-9+.-]+):[^\s<>\"'`\\\x00-\x1f\x7f]+")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PLACEHOLDERS = frozenset(("path", "file", "line"))
# A browser opens these itself: it would run them as a script, or send the path of a file to a server.
_NO_EDITORS = frozenset(
    "javascript vbscript data blob file filesystem about view-source chrome http https ws wss ftp mailto".split()
)


def _editor(value: Any) -> str:
    expect(isinstance(value, str), value, "an editor", f"use {', '.join(EDITORS)}")
    text = str(value).strip()
    if text in EDITORS or text in ("", NO_EDITOR):
        return text
    template = _TEMPLATE.fullmatch(text)
    if template is None or len(text) > MAX_ADDRESS_CHARS:
        remedy = nearest(text[:80], (*EDITORS, NO_EDITOR)) if ":" not in text else "write scheme://{path}:{line}"
        raise SettingsError(f"{shown(text[:80])} is not an editor", remedy=remedy)
    if template[1] in _NO_EDITORS:
        raise SettingsError(f"{template[1]}: is opened by the browser itself", remedy="use the scheme of an editor")
    used = set(_PLACEHOLDER.findall(text))
    if not used & {"path", "file"} or not used <= _PLACEHOLDERS:
        raise SettingsError("the address needs the path of a file", remedy="use {path} or {file}, and {line}")
    return text


def _names_program(value: Any) -> bool:
    return isinstance(value, str) and value.strip() not in ("", NO_EDITOR)


EDITOR = Check(
    f"{', '.join(f'`{name}`' for name in EDITORS)}, `none`, or an address with `{{path}}`", _editor, _names_program
)


def template_of(name: str) -> str:
    """The address behind the name of an editor; empty for none."""
    return EDITORS.get(name, "" if name == NO_EDITOR else name)


def editor_address(template: str, file: str) -> str:
    """The address that opens a file, by its absolute path; `{line}` is left in it.

    `{path}` begins with a slash and keeps those inside; `{file}` is for a parameter, where they are encoded.
    """
    plain = file.replace("\\", "/")
    path = quote(plain if plain.startswith("/") else f"/{plain}", safe="/:")
    return template.replace("{path}", path).replace("{file}", quote(file, safe=""))


# -- `[server]`


MAX_WORKERS = 64


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where `headnote serve` listens, and who may use it."""

    host: Annotated[str, text] = "127.0.0.1"
    """Address to listen on; one that others can reach needs a token."""
    port: Annotated[int | None, count(0, 65535)] = None
    """By default 8377, or the next free one."""
    token: Annotated[str, text] = field(default="", repr=False)
    """Token that clients must send; `new` makes one at every start, `keep` one for this folder that stays."""
    allow_host: Annotated[tuple[str, ...], texts] = ()
    """Host names to accept, besides its address; also by `https`, where a proxy is in front of it."""
    workers: Annotated[int, count(1, MAX_WORKERS)] = 1
    """Processes that answer; with more than one, another one keeps the index up to date."""
    editor: Annotated[str, EDITOR] = ""
    """Editor that the page opens documents in, on this machine; by default `obsidian` in a vault of it."""


def allowed_names(given: Iterable[str]) -> frozenset[str]:
    """The names that `--allow-host` gives, as they are compared."""
    for name in given:
        if host_name(name) is None:
            remedy = "give the name alone, such as docs.example, or docs.example:8443"
            raise SettingsError(f"{name!r:.100} is not the name of a host", path="--allow-host", remedy=remedy)
    return frozenset(name.lower() for name in given)


def host_name(host: str) -> str | None:
    """The name in a Host header, without its port; None if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    plain = not (parts.username or parts.password or parts.path or parts.query or parts.fragment)
    return parts.hostname.rstrip(".") if plain and parts.hostname else None


SERVER = Table("server", ServerSettings)
load_server_settings = SERVER.load


# -- `[llm]`: which model answers questions, and where.


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Which model answers questions, and where."""

    model: Annotated[str, text] = ""
    """Its name. Without one, answers quote the passages."""
    url: Annotated[str, text] = ""
    """Address of the service up to `/v1`; by default the one in the environment."""
    key: Annotated[str, text] = field(default="", repr=False)
    """Its API key. Put it in `HEADNOTE_CHAT_KEY` rather than in a file that others read."""


LLM = Table("llm", ChatSettings, prefix="HEADNOTE_CHAT_")


def load_chat_settings(start: Path, environment: Mapping[str, str] | None = None) -> LoadedTable[ChatSettings]:
    """The settings from `[llm]` in the file and from the variables `HEADNOTE_CHAT_MODEL`, `_URL` and `_KEY`.

    A key goes only to the address from the same source: the file of the folder, or the user, who speaks in the
    environment and in a file of their own. Otherwise a file that came with somebody's documents could send the user's
    key to an address of its own.
    """
    variables = LLM.variable_entries(os.environ if environment is None else environment)
    of_folder, of_user = (LLM.file_entries(file) if file else {} for file in (nearest_file(start), user_file()))
    entries = of_user | of_folder | variables
    if "url" in entries:
        source = of_user | variables if "url" in variables or "url" not in of_folder else of_folder
        entries = {name: entry for name, entry in entries.items() if name != "key" or name in source}
        entries |= {"key": source["key"]} if "key" in source else {}
    return LLM.resolve(LLM.values(entries))


def chat_environment(settings: ChatSettings, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment, with variables set to these settings."""
    values = {"model": settings.model, "url": settings.url, "key": settings.key}
    return {
        **(os.environ if environment is None else environment),
        **{LLM.variable_of(name): value for name, value in values.items()},
    }


# -- Tokens that outlive a restart of the server, one for each folder or pack that is served.
#
# They lie in the folder of the user, never in the folder they guard: whoever gets a copy of that one, or searches it,
# would have the token.


MIN_LENGTH = 16
"""Characters of a token."""
_MAX_LENGTH = 1000
_RENEW = "make another one with --token renew"


def new_token() -> str:
    from secrets import token_urlsafe  # late: no search needs it

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
        raise SettingsError(
            f"no token can be kept there: {reason_of(error)}",
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

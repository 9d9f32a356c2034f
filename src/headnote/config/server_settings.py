"""`[server]`: where `headnote serve` listens, and who may use it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import quote

from headnote.arguments import expect
from headnote.config.tables import Check, Table, count, text, texts
from headnote.errors import SettingsError, nearest, shown

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
LONGEST = 500
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
    if template is None or len(text) > LONGEST:
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


MOST_WORKERS = 64


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
    workers: Annotated[int, count(1, MOST_WORKERS)] = 1
    """Processes that answer; with more than one, another one keeps the index up to date."""
    editor: Annotated[str, EDITOR] = ""
    """Editor that the page opens documents in, on this machine; by default `obsidian` in a vault of it."""


SERVER = Table("server", ServerSettings)
load_server_settings = SERVER.load

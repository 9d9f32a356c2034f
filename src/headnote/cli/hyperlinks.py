"""Links in a terminal that open a file in the editor, at its line (OSC 8)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from headnote.config import load_server_settings
from headnote.config.server_settings import editor_address, template_of
from headnote.errors import SettingsError

_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "mintty"})
_TERMINALS = ("xterm-kitty", "alacritty", "foot", "xterm-ghostty", "wezterm", "contour")
_VTE = 5000
"""GNOME Terminal and others show links since this version."""

Link = Callable[[str, int], str]
"""A file and a line → the address that opens it; empty for none."""


def no_link(_: str, __: int) -> str:
    return ""


def editor_links(root: Path, stream: TextIO | None = None) -> Link:
    """How files are linked here: to the editor of the settings, else as files. No links where nobody could follow them:
    outside of a terminal, in one that does not know them, with NO_COLOR, or with FORCE_HYPERLINK=0."""
    if not _shows_links(stream or sys.stdout, os.environ):
        return no_link
    template = _template(root)

    def link(file: str, line: int) -> str:
        path = os.path.realpath(file)
        if not Path(path).exists():
            return ""  # of several folders or of a pack: its path is no file from here
        if not template:
            slashed = path.replace(os.sep, "/")
            return f"file://{quote(slashed if slashed.startswith('/') else f'/{slashed}', safe='/:')}"
        return editor_address(template, path).replace("{line}", str(line))

    return link


def _template(root: Path) -> str:
    try:
        name = load_server_settings({}, root).settings.editor
    except SettingsError:
        return ""  # what is wrong with the settings of the server is no business of a search
    return template_of(name or ("obsidian" if (root / ".obsidian").is_dir() else ""))


def _shows_links(stream: TextIO, environment: Mapping[str, str]) -> bool:
    forced = environment.get("FORCE_HYPERLINK", "")
    if forced:
        return forced != "0"
    if environment.get("NO_COLOR") or environment.get("CI") or not stream.isatty():
        return False
    if environment.get("TMUX") or environment.get("STY"):
        return False  # older ones pass nothing on
    return _is_known(environment)


def _is_known(environment: Mapping[str, str]) -> bool:
    vte = environment.get("VTE_VERSION", "")
    terminal = environment.get("TERM", "")
    return (
        environment.get("TERM_PROGRAM") in _PROGRAMS
        or (vte.isdigit() and int(vte) >= _VTE)
        or "WT_SESSION" in environment
        or "KONSOLE_VERSION" in environment
        or terminal.startswith(_TERMINALS)
    )

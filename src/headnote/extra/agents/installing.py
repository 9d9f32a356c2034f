"""Tell agents about a folder: a server in their settings, a skill, and a few lines in AGENTS.md. And take it all back.

Each agent has a file for all projects of the user. That is the one headnote writes: it names the folder by its whole
path, so it is the same wherever the agent starts. Everything that is written is one piece of text in one place, and a
record in the folder of the user remembers it. So what is taken back leaves the bytes of before, whatever else was
changed in the file since.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from headnote.config.trust import USER_FOLDER, user_folder
from headnote.errors import HeadnoteError, SettingsError
from headnote.extra.agents.jsonc import NotJson, insertion, value_of, without
from headnote.extras import requirement
from headnote.whole_files import written_whole

Entry = dict[str, Any]

STARTUP_SECONDS = 60
"""Codex gives a server ten by default, which a first start on a slow disk may need for itself."""


def _stdio(command: Sequence[str]) -> Entry:
    return {"type": "stdio", "command": command[0], "args": list(command[1:])}


def _plain(command: Sequence[str]) -> Entry:
    return {"command": command[0], "args": list(command[1:])}


def _patient(command: Sequence[str]) -> Entry:
    return {**_plain(command), "startup_timeout_sec": STARTUP_SECONDS}


def _local(command: Sequence[str]) -> Entry:
    return {"type": "local", "command": list(command), "enabled": True}


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, as one user of this machine has it."""

    name: str
    """What `--agent` takes."""
    title: str
    traces: tuple[Path, ...]
    """Any of these is there when the agent is."""
    file: Path
    """Its settings, in TOML if the name says so, otherwise in JSON, which may have comments."""
    keys: tuple[str, ...]
    """Where its servers are in the file."""
    entry: Callable[[Sequence[str]], Entry]
    """Command line of a server → what the file says about it."""
    skills: Path | None = None
    """Where it looks for skills; None if it has none."""

    @property
    def is_there(self) -> bool:
        return any(trace.exists() for trace in self.traces)


def known_agents(home: Path | None = None, environment: Mapping[str, str] = os.environ) -> list[Agent]:
    """All agents that headnote knows, whether they are there or not."""
    home = home or Path.home()

    def place(variable: str, *usual: str) -> Path:
        return Path(environment[variable]) if environment.get(variable) else home.joinpath(*usual)

    settings = place("XDG_CONFIG_HOME", ".config")
    programs = _programs_folder(home, environment, settings)
    claude = place("CLAUDE_CONFIG_DIR", ".claude")
    claude_file = claude / ".claude.json" if environment.get("CLAUDE_CONFIG_DIR") else home / ".claude.json"
    desktop, code = programs / "Claude", programs / "Code" / "User"
    codex, cursor, gemini = place("CODEX_HOME", ".codex"), home / ".cursor", home / ".gemini"
    opencode = settings / "opencode"
    of_opencode = next(
        (file for file in _json_files(opencode / "opencode") if file.exists()), opencode / "opencode.json"
    )
    servers = ("mcpServers",)
    return [
        Agent("claude-code", "Claude Code", (claude, claude_file), claude_file, servers, _stdio, claude / "skills"),
        Agent("codex", "Codex", (codex,), codex / "config.toml", ("mcp_servers",), _patient, codex / "skills"),
        Agent("cursor", "Cursor", (cursor,), cursor / "mcp.json", servers, _plain, cursor / "skills"),
        Agent("vscode", "VS Code", (code,), code / "mcp.json", ("servers",), _stdio, home / ".copilot" / "skills"),
        Agent("gemini", "Gemini CLI", (gemini,), gemini / "settings.json", servers, _plain, gemini / "skills"),
        Agent("opencode", "OpenCode", (opencode,), of_opencode, ("mcp",), _local, opencode / "skills"),
        Agent("claude-desktop", "Claude Desktop", (desktop,), desktop / "claude_desktop_config.json", servers, _plain),
    ]


def _json_files(stem: Path) -> tuple[Path, Path]:
    return stem.with_suffix(".jsonc"), stem.with_suffix(".json")


def _programs_folder(home: Path, environment: Mapping[str, str], settings: Path) -> Path:
    """Where programs with a window keep their settings."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if os.name == "nt":
        return Path(environment["APPDATA"]) if environment.get("APPDATA") else home / "AppData" / "Roaming"
    return settings


# -- Tell agents about a folder: a server in their settings, a skill, and a few lines in AGENTS.md. And take it all
# back.

What = Literal["server", "skill", "instructions"]
Outcome = Literal["added", "unchanged", "removed", "gone", "failed"]

INSTRUCTIONS = "AGENTS.md"
_BLOCK = """<!-- headnote {name}: begin -->
## Search `{name}` before you read files

The MCP server `{name}` has the documents in `{folder}`. Use its `search` with a whole question or an exact name,
then `read` the lines that it names; cite places as `path:first-last`. Without the server:
`headnote search "QUESTION" "{folder}" --json`.
<!-- headnote {name}: end -->
"""
_RECORDS = "installed"


@dataclass(slots=True)
class InstalledPiece:
    """A text that headnote has put into a file, or wants to."""

    what: What
    agent: str
    """Its title; for AGENTS.md, the name of the file."""
    file: str
    text: str
    """What is inserted; all of it if the file is new."""
    keys: list[str] = field(default_factory=list)
    """Of a server: where it is in the file, with its name."""
    folders: list[str] = field(default_factory=list)
    """Those that were made for a new file, the innermost first."""
    is_new_file: bool = False
    outcome: Outcome = "added"
    problem: str = ""
    before: str = ""
    """What the file had when this was planned."""
    after: str = ""
    """What it has then."""

    @property
    def place(self) -> tuple[What, str]:
        return self.what, self.file

    def to_record(self) -> dict[str, Any]:
        names = ("what", "agent", "file", "text", "keys", "folders", "is_new_file")
        return {name: getattr(self, name) for name in names}


Known = dict[tuple[What, str], InstalledPiece]
"""Pieces that were written before, by their place."""


def server_command(folder: Path) -> list[str]:
    """The command line that serves a folder, in words that hold wherever an agent starts it."""
    script = Path(sys.executable).with_name("headnote.exe" if os.name == "nt" else "headnote")
    found = str(script) if script.exists() else shutil.which("headnote")
    if "archive-v0" in script.parts:  # an environment that uv makes for one run, and removes some day
        start = ["uvx", requirement("search", "mcp")]
    else:
        start = [found] if found else [sys.executable, "-m", "headnote"]
    return [*start, "mcp", str(folder)]


def install_in(
    chosen: Sequence[Agent], folder: Path, name: str = "", project: Path | None = None, dry_run: bool = False
) -> list[InstalledPiece]:
    """Tell these agents about a folder. One whose settings cannot be read or written does not stop the others: its
    piece says why. `project`: a folder whose AGENTS.md gets a few lines."""
    folder = folder.resolve()
    recorded = {piece.place: piece for piece in _read_record(folder)}
    others = list(_other_pieces(folder))
    skills = {piece.place: piece for piece in others if piece.what == "skill"}
    planned = list(_plan(folder, chosen, name or _name_of(folder), project, skills | recorded))
    made = {piece.file: piece.folders for piece in others if piece.is_new_file}
    if dry_run:
        return planned
    for piece in planned:
        if piece.outcome == "added":
            _attempt(piece, _write)
        if piece.outcome == "added":
            if piece.file in made:  # for another folder: whoever leaves it last removes it
                piece.is_new_file, piece.folders = True, made[piece.file]
            recorded[piece.place] = piece
        elif piece.outcome == "unchanged" and piece.place in skills:
            recorded.setdefault(piece.place, skills[piece.place])  # it stays until no folder needs it
    _write_record(folder, list(recorded.values()))
    return planned


def uninstall_from(agents: Sequence[str], folder: Path, dry_run: bool = False) -> list[InstalledPiece]:
    """Take back what was written for a folder; for these agents alone, by title, if any are named."""
    folder = folder.resolve()
    pieces = _read_record(folder)
    shared = {piece.place for piece in _other_pieces(folder)}
    ours = [piece for piece in pieces if not agents or piece.agent in agents]
    for piece in ours:
        if piece.what == "skill" and piece.place in shared:
            piece.outcome = "unchanged"  # another folder still needs it
        else:
            _attempt(piece, lambda one: _remove(one, dry_run))
    if not dry_run:
        _write_record(folder, [piece for piece in pieces if piece not in ours or piece.outcome == "failed"])
    return ours


# -- What is to be written


def _plan(
    folder: Path, chosen: Sequence[Agent], name: str, project: Path | None, known: Known
) -> Iterator[InstalledPiece]:
    command = server_command(folder)
    for agent in chosen:
        piece = InstalledPiece("server", agent.title, str(_real(agent.file)), "", [*agent.keys, name])
        yield _attempt(piece, lambda one, agent=agent: _plan_server(one, agent, name, command, known))
        if agent.skills:
            skill = (files(__package__) / "SKILL.md").read_text(encoding="utf-8")
            file = _real(agent.skills / "headnote" / "SKILL.md")
            yield _attempt(InstalledPiece("skill", agent.title, str(file), skill), lambda one: _plan_whole(one, known))
    if project:
        block = _BLOCK.format(name=name, folder=folder)
        piece = InstalledPiece("instructions", INSTRUCTIONS, str(_real(project / INSTRUCTIONS)), block)
        yield _attempt(piece, lambda one: _plan_block(one, known))


def _attempt(piece: InstalledPiece, step: Any) -> InstalledPiece:
    try:
        step(piece)
    except (HeadnoteError, NotJson, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        piece.outcome, piece.problem = "failed", said
    return piece


def _plan_server(piece: InstalledPiece, agent: Agent, name: str, command: Sequence[str], known: Known) -> None:
    text = _without_old(piece, known)
    entry = agent.entry(command)
    keys = list(agent.keys)
    if agent.name == "opencode" and isinstance(_at(_stored(text, agent), keys).get("servers"), dict):
        keys.append("servers")  # as its second version writes it
    piece.keys = [*keys, name]
    if _at(_stored(piece.before, agent), keys).get(name) == entry:
        piece.outcome = "unchanged"
        return
    if name in _at(_stored(text, agent), keys):
        raise SettingsError(f"has another server {name!r}", path=piece.file, remedy="choose another name with --name")
    if not text.strip("\ufeff \t\r\n"):
        at, piece.is_new_file = 0, not text
        piece.text = _toml(keys, name, entry) if _is_toml(agent) else f"{_json(keys, name, entry)}\n"
    elif _is_toml(agent):
        at, piece.text = len(text), ("" if text.endswith("\n") else "\n") + "\n" + _toml(keys, name, entry)
    else:
        at, piece.text = insertion(text, keys, name, entry)
    piece.after = text[:at] + piece.text + text[at:]
    _check(text, piece, agent, entry)


def _without_old(piece: InstalledPiece, known: Known) -> str:
    """What the file has without the piece that was put there before."""
    piece.before = _text_of(piece.file)
    old = known.get(piece.place)
    return piece.before.replace(old.text, "", 1) if old else piece.before


def _check(text: str, piece: InstalledPiece, agent: Agent, entry: dict[str, Any]) -> None:
    """The file says the same as before, and this."""
    after = _stored(piece.after, agent)
    *keys, name = piece.keys
    holder = _at(after, keys)
    before = _stored(text, agent)
    is_there = holder.pop(name, None) == entry
    while keys and not holder and _at(before, keys) == {}:  # made for the entry
        *keys, last = keys
        holder = _at(after, keys)
        if last not in _at(before, keys):
            del holder[last]
    if not is_there or after != before:
        raise SettingsError("cannot be changed safely", path=piece.file, remedy="add the server by hand")


def _plan_whole(piece: InstalledPiece, known: Known) -> None:
    if _text_of(piece.file) == piece.text:
        piece.outcome = "unchanged"
    elif _without_old(piece, known):
        raise SettingsError("is another skill of that name", path=piece.file, remedy="remove it, or keep it")
    piece.after, piece.is_new_file = piece.text, True


def _plan_block(piece: InstalledPiece, known: Known) -> None:
    if piece.text in _text_of(piece.file):
        piece.outcome = "unchanged"
        return
    text = _without_old(piece, known)
    piece.is_new_file = not text
    if text:
        piece.text = ("" if text.endswith("\n") else "\n") + "\n" + piece.text
    piece.after = text + piece.text


# -- Files


def _write(piece: InstalledPiece) -> None:
    file = Path(piece.file)
    if _text_of(piece.file) != piece.before:
        raise SettingsError("has just changed", path=piece.file, remedy="try again")
    piece.folders = [str(folder) for folder in file.parents if not folder.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    _write_text(file, piece.after)


def _remove(piece: InstalledPiece, dry_run: bool) -> None:
    file = Path(piece.file)
    if not file.exists():
        piece.outcome = "gone"
        return
    text = _text_of(piece.file)
    rest = text.replace(piece.text, "", 1) if text.count(piece.text) == 1 else _without_server(piece, text)
    piece.outcome = "gone" if rest == text else "removed"
    if dry_run or rest == text:
        return
    if not (piece.is_new_file and _says_nothing(rest, piece)):
        _write_text(file, rest)
        return
    file.unlink()
    for folder in map(Path, piece.folders):
        if any(folder.iterdir()):
            break
        folder.rmdir()


def _says_nothing(text: str, piece: InstalledPiece) -> bool:
    """Whether nothing is left of a file but what was made for its servers."""
    if not text.strip() or piece.what != "server" or piece.file.endswith(".toml"):
        return not text.strip()
    stored: object = value_of(text)
    for key in piece.keys[:-1]:
        stored = stored[key] if isinstance(stored, dict) and list(stored) == [key] else stored
    return stored == {}


def _without_server(piece: InstalledPiece, text: str) -> str:
    """Take the server out of a file that its program has rewritten since."""
    if piece.what != "server":
        return text
    *keys, name = piece.keys
    if not piece.file.endswith(".toml"):
        return without(text, keys, name)
    header = re.escape(".".join([*keys, name]))
    return re.sub(rf"(?ms)^\[{header}[\].].*?(?=^\[(?!{header}[\].])|\Z)", "", text)


def _real(file: Path) -> Path:
    """The file that a symbolic link leads to: settings that are kept elsewhere stay there."""
    return Path(os.path.realpath(file))


def _text_of(file: str) -> str:
    try:
        return Path(file).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""


def _write_text(file: Path, text: str) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else None
    with written_whole(file) as aside:
        aside.write_bytes(text.encode("utf-8"))
        if mode is not None:
            aside.chmod(mode)


# -- Formats


def _is_toml(agent: Agent) -> bool:
    return agent.file.suffix == ".toml"


def _stored(text: str, agent: Agent) -> dict[str, Any]:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    stored = tomllib.loads(text) if _is_toml(agent) else value_of(text)
    if not isinstance(stored, dict):
        raise NotJson("an object is expected, in braces")
    return stored


def _at(stored: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    for key in keys:
        stored = stored.get(key, {})
        if not isinstance(stored, dict):
            raise NotJson(f"{key} is not an object")
    return stored


def _json(keys: Sequence[str], name: str, entry: dict[str, Any]) -> str:
    whole: dict[str, Any] = {name: entry}
    for key in reversed(keys):
        whole = {key: whole}
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _toml(keys: Sequence[str], name: str, entry: dict[str, Any]) -> str:
    """JSON's strings, numbers and lists of strings are TOML's."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{'.'.join([*keys, name])}]", *lines, ""])


def _name_of(folder: Path) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", folder.name.lower()).strip("-") or "docs"


# -- Records


def _record_file(folder: Path) -> Path:
    home = user_folder()
    if home is None:
        raise SettingsError("there is no folder to remember it in", remedy=f"set {USER_FOLDER} to a folder of yours")
    digest = hashlib.sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return home / _RECORDS / f"{digest}.json"


def _read_record(folder: Path) -> list[InstalledPiece]:
    return _pieces_in(_record_file(folder))


def _other_pieces(folder: Path) -> Iterator[InstalledPiece]:
    own = _record_file(folder)
    yield from (piece for file in own.parent.glob("*.json") if file != own for piece in _pieces_in(file))


def _pieces_in(file: Path) -> list[InstalledPiece]:
    try:
        return [InstalledPiece(**piece) for piece in json.loads(file.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        raise SettingsError(f"cannot be read: {error}", path=str(file), remedy="remove it") from None


def _write_record(folder: Path, pieces: Sequence[InstalledPiece]) -> None:
    file = _record_file(folder)
    if not pieces:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_text(file, json.dumps([piece.to_record() for piece in pieces], indent=1))

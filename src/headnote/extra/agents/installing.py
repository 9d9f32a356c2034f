"""Tell agents about a folder: a server in their settings, a skill, and a few lines in AGENTS.md. And take it all back.

Each agent has a file for all projects of the user. That is the one headnote writes: it names the folder by its whole
path, so it is the same wherever the agent starts. What headnote has in a file is one piece of text, whoever it is for,
and a record in the folder of the user remembers it. So the last one to leave leaves the bytes of before, whatever else
was changed in the file since.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, Literal

from headnote.config.trust import USER_FOLDER, user_folder
from headnote.errors import HeadnoteError, SettingsError
from headnote.extra.agents.settings_text import (
    WrongFormat,
    insertion,
    is_cut_well,
    members_at,
    missing_keys,
    pruned,
    stored_in,
    without,
    written,
)
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
    reads_instructions: bool = True
    """Whether it reads AGENTS.md of a project, unless its settings say otherwise."""

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
    of_desktop = desktop / "claude_desktop_config.json"
    servers = ("mcpServers",)
    claude_skills, vscode_skills, gemini_skills = claude / "skills", home / ".copilot" / "skills", gemini / "skills"
    return [
        Agent("claude-code", "Claude Code", (claude, claude_file), claude_file, servers, _stdio, claude_skills),
        Agent("codex", "Codex", (codex,), codex / "config.toml", ("mcp_servers",), _patient, codex / "skills"),
        Agent("cursor", "Cursor", (cursor,), cursor / "mcp.json", servers, _plain, cursor / "skills"),
        Agent("vscode", "VS Code", (code,), code / "mcp.json", ("servers",), _stdio, vscode_skills),
        Agent("gemini", "Gemini CLI", (gemini,), gemini / "settings.json", servers, _plain, gemini_skills, False),
        Agent("opencode", "OpenCode", (opencode,), of_opencode, ("mcp",), _local, opencode / "skills"),
        Agent("claude-desktop", "Claude Desktop", (desktop,), of_desktop, servers, _plain, None, False),
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


# -- What is written


What = Literal["server", "skill", "instructions"]
Outcome = Literal["added", "unchanged", "removed", "gone", "needed", "changed", "failed"]

INSTRUCTIONS = "AGENTS.md"
_BLOCK = """<!-- headnote {name}: begin -->
## Search `{name}` before you read files

The MCP server `{name}` has the documents in `{folder}`. Use its `search` with a whole question or an exact name,
then `read` the lines that it names; cite places as `path:first-last`. Without the server:
`headnote search "QUESTION" "{folder}" --json`.
<!-- headnote {name}: end -->
"""
_RECORD = "installed.json"


@dataclass(slots=True)
class Recipient:
    """For whom a text is there. It stays until the last of them has left."""

    folder: str
    agent: str
    """Its title."""
    name: str
    """What the server of the folder is called."""
    entry: Entry = field(default_factory=dict)
    """What the settings of the agent say about the server."""

    def is_same(self, other: Recipient) -> bool:
        return (self.folder, self.agent) == (other.folder, other.agent)


Leaves = Callable[[Recipient], bool]
"""Whether somebody is told no more."""


@dataclass(slots=True)
class WrittenText:
    """What headnote has in a file, in one piece."""

    what: What
    file: str
    keys: list[str] = field(default_factory=list)
    """Of servers: where they are in the file."""
    made_keys: int = 0
    """How many of these objects were made for them, the innermost first."""
    text: str = ""
    recipients: list[Recipient] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Of the servers that it is about."""
        return list(dict.fromkeys(one.name for one in self.recipients))


@dataclass(slots=True)
class InstallRecord:
    """Everything that headnote has written on this machine for agents."""

    texts: list[WrittenText] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """Files and folders that were not there before."""

    def find(self, what: What, file: str, name: str = "") -> WrittenText | None:
        """The text in this place. The lines of AGENTS.md about each server are a text of their own."""
        found = (one for one in self.texts if (one.what, one.file) == (what, file))
        return next((one for one in found if what != "instructions" or one.names == [name]), None)

    def remember(self, old: WrittenText, new: WrittenText) -> None:
        texts = [new if one is old else one for one in self.texts]
        texts += [new] if not any(one is old for one in self.texts) else []
        self.texts = [one for one in texts if one.recipients]

    def names_of(self, folder: str) -> set[str]:
        return {one.name for text in self.texts for one in text.recipients if one.folder == folder}

    def other_names(self, folder: str) -> set[str]:
        return {one.name for text in self.texts for one in text.recipients if one.folder != folder}


@dataclass(slots=True)
class InstalledPiece:
    """One thing that an agent is told, and what became of it."""

    what: What
    agent: str
    """Its title; for AGENTS.md, the name of the file."""
    file: str
    text: str = ""
    """What the file says then that it did not say before."""
    outcome: Outcome = "added"
    problem: str = ""


def server_command(folder: Path) -> list[str]:
    """The command line that serves a folder, in words that hold wherever an agent starts it."""
    script = Path(sys.executable).with_name("headnote.exe" if os.name == "nt" else "headnote")
    found = str(script) if script.exists() else shutil.which("headnote")
    if "archive-v0" in script.parts:  # an environment that uv makes for one run, and removes some day
        start = ["uvx", requirement("search", "mcp")]
    else:
        start = [found] if found else [sys.executable, "-m", "headnote"]
    return [*start, "mcp", str(folder)]


def usual_name(folder: Path) -> str:
    """What the server of a folder is called if nothing else is called so."""
    return re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-") or "docs"


def server_name(chosen: Sequence[Agent], folder: Path, given: str = "") -> str:
    """What the server of a folder is called for these agents: as given, as before, or like the folder. Where another
    server has that name, like the folder and its parent."""
    folder = folder.resolve()
    record = _read_record()
    before = sorted(record.names_of(str(folder)))
    taken = record.other_names(str(folder)).union(*(_foreign_names(agent, folder, record) for agent in chosen))
    if given and given in taken:
        raise SettingsError(f"there is another server {given!r}", path="--name", remedy="choose another name")
    usual = usual_name(folder)
    numbered = (f"{usual}-{number}" for number in count(2))
    names = [given] if given else [*before, usual, f"{usual_name(folder.parent)}-{usual}"]
    return next((name for name in names if name not in taken), "") or next(one for one in numbered if one not in taken)


def _foreign_names(agent: Agent, folder: Path, record: InstallRecord) -> set[str]:
    """Servers of other folders that somebody else has put into the settings of an agent."""
    file = _real(agent.file)
    known = record.find("server", file)
    try:
        stored = stored_in(_text_of(file), file)
        servers = members_at(stored, _keys_in(stored, agent))
    except (WrongFormat, HeadnoteError, OSError):
        return set()  # whoever writes there says so
    own = agent.entry(server_command(folder))
    return {name for name, entry in servers.items() if entry != own} - set(known.names if known else ())


def install_in(
    chosen: Sequence[Agent], folder: Path, name: str, project: Path | None = None, dry_run: bool = False
) -> list[InstalledPiece]:
    """Tell these agents about a folder. One whose settings cannot be read or written does not stop the others: its
    piece says why. `project`: a folder around it whose AGENTS.md gets a few lines, for those who read it."""
    folder = folder.resolve()
    record = _read_record()
    titles = {agent.title for agent in chosen}
    if not dry_run:  # under its old name
        _take_back(record, lambda one: one.name != name and _is_of(one, folder, titles))
    pieces, readers = [], []
    for agent in chosen:
        recipient = Recipient(str(folder), agent.title, name, agent.entry(server_command(folder)))
        pieces.append(server := _add_server(record, agent, recipient, dry_run))
        recipient = replace(recipient, entry={})
        readers += [recipient] if agent.reads_instructions and server.outcome != "failed" else []
        if agent.skills:
            skill = (files(__package__) / "SKILL.md").read_text(encoding="utf-8")
            file = _real(agent.skills / "headnote" / "SKILL.md")
            pieces.append(_add(record, InstalledPiece("skill", agent.title, file, skill), [recipient], dry_run))
    if project and readers:
        below = os.path.relpath(folder, project.resolve()).replace(os.sep, "/")
        lines = _BLOCK.format(name=name, folder=below)
        piece = InstalledPiece("instructions", INSTRUCTIONS, _real(project / INSTRUCTIONS), lines)
        pieces.append(_add(record, piece, readers, dry_run))
    if not dry_run:
        _write_record(record)
    return pieces


def uninstall_from(agents: Sequence[str], folder: Path, dry_run: bool = False) -> list[InstalledPiece]:
    """Take back what was written for a folder; for these agents alone, by title, if any are named."""
    record = _read_record()
    pieces = _take_back(record, lambda one: _is_of(one, folder.resolve(), agents), dry_run)
    if not dry_run:
        _write_record(record)
    return pieces


def _is_of(recipient: Recipient, folder: Path, titles: Collection[str]) -> bool:
    return recipient.folder == str(folder) and (not titles or recipient.agent in titles)


def _take_back(record: InstallRecord, leaves: Leaves, dry_run: bool = False) -> list[InstalledPiece]:
    """Take out what nobody needs any more."""
    pieces = []
    for known in list(record.texts):
        leaving = list(filter(leaves, known.recipients))
        if leaving:
            label = INSTRUCTIONS if known.what == "instructions" else leaving[0].agent
            piece = InstalledPiece(known.what, label, known.file, outcome="removed")
            left = replace(known, recipients=[one for one in known.recipients if one not in leaving])
            pieces.append(_change(record, piece, known, left, dry_run))
    if not dry_run:
        _remove_made_folders(record)
    return pieces


def _add_server(record: InstallRecord, agent: Agent, recipient: Recipient, dry_run: bool) -> InstalledPiece:
    piece = InstalledPiece("server", agent.title, _real(agent.file))
    with _reported(piece):
        keys = _keys_in(stored_in(_text_of(piece.file), piece.file), agent)
        piece.text = written(piece.file, keys, recipient.name, recipient.entry)
        _add(record, piece, [recipient], dry_run, keys)
    return piece


def _keys_in(stored: Mapping[str, Any], agent: Agent) -> list[str]:
    """Where an agent has its servers in its settings."""
    if agent.name == "opencode" and isinstance(members_at(stored, agent.keys).get("servers"), dict):
        return [*agent.keys, "servers"]  # as its second version writes it
    return list(agent.keys)


def _add(
    record: InstallRecord,
    piece: InstalledPiece,
    recipients: Sequence[Recipient],
    dry_run: bool,
    keys: Sequence[str] = (),
) -> InstalledPiece:
    known = record.find(piece.what, piece.file, recipients[0].name) or WrittenText(piece.what, piece.file, list(keys))
    others = [one for one in known.recipients if not any(one.is_same(recipient) for recipient in recipients)]
    return _change(record, piece, known, replace(known, recipients=[*others, *recipients]), dry_run)


def _change(
    record: InstallRecord, piece: InstalledPiece, known: WrittenText, new: WrittenText, dry_run: bool
) -> InstalledPiece:
    """Make what is known of a file what is new, if somebody else has not changed it."""
    with _reported(piece):
        before = _text_of(piece.file)
        after = _REVISIONS[piece.what](piece, known, new, before)
        if not dry_run and after != before:
            _write(record, piece.file, before, after)
        is_ours = bool(known.recipients) or piece.outcome == "added"
        if is_ours and not (piece.text and piece.outcome == "changed"):
            record.remember(known, new)
    return piece


@contextmanager
def _reported(piece: InstalledPiece) -> Iterator[None]:
    """An error is told by the piece, so that it stops no other."""
    try:
        yield
    except WrongFormat as error:
        piece.outcome, piece.problem = "failed", f"{error} (mend the file, and try again)"
    except HeadnoteError as error:
        piece.outcome, piece.problem = "failed", str(error)
    except OSError as error:
        piece.outcome, piece.problem = "failed", error.strerror or str(error)


# -- What a file has then


def _with_servers(piece: InstalledPiece, known: WrittenText, new: WrittenText, before: str) -> str:
    """All servers of headnote are one text, as long as nobody else writes into it."""
    stored = stored_in(before, piece.file)
    there = members_at(stored, known.keys)
    if piece.text and (outcome := _standing(known, new.recipients[-1], there)):
        piece.outcome = outcome
        return before
    leaving = [one.name for one in known.recipients if one not in new.recipients]
    if not piece.text and not there.keys() & set(leaving):
        piece.outcome = "gone"
        return before
    rest = before.replace(known.text, "", 1) if known.text and before.count(known.text) == 1 else before
    others = pruned(stored, known.keys, known.names, known.made_keys)
    is_whole = rest != before and is_cut_well(rest, before, piece.file, others)
    added = new.recipients
    if not is_whole:
        added = [one for one in added if one not in known.recipients]
        rest = without(before, piece.file, known.keys, leaving, 0 if new.recipients else known.made_keys)
    if not added:
        return rest
    entries = {one.name: one.entry for one in added}
    at, inserted = insertion(rest, piece.file, known.keys, entries)
    after = rest[:at] + inserted + rest[at:]
    new.made_keys = missing_keys(stored_in(rest, piece.file), known.keys) or known.made_keys
    new.text = inserted if is_whole or not known.recipients else ""
    _check_insertion(rest, after, new, entries)
    return after


def _standing(known: WrittenText, recipient: Recipient, there: Mapping[str, Entry]) -> Outcome | None:
    """Whether a server stays as it stands in the settings; None if it is to be written."""
    if recipient.name not in there:
        return None
    stands = there[recipient.name]
    if stands == recipient.entry:
        return "unchanged"
    ours = [one.entry for one in known.recipients if one.name == recipient.name]
    if not ours:
        raise SettingsError(f"has another server {recipient.name!r}", remedy="choose another name with --name")
    return None if stands in ours else "changed"


def _check_insertion(rest: str, after: str, new: WrittenText, entries: Mapping[str, Entry]) -> None:
    """The file says the same as before, and this."""
    try:
        stored = stored_in(after, new.file)
    except WrongFormat:
        stored = {}
    before = stored_in(rest, new.file)
    without_them = pruned(stored, new.keys, list(entries), missing_keys(before, new.keys))
    there = members_at(stored, new.keys)
    if without_them != before or any(there.get(name) != entry for name, entry in entries.items()):
        place = ".".join(new.keys)
        message = f"nothing can be added to {place} as it is written there"
        raise SettingsError(message, remedy=f"write {place} once, over several lines, or add the server by hand")


def _with_skill(piece: InstalledPiece, known: WrittenText, new: WrittenText, before: str) -> str:
    is_ours = bool(before) and before == known.text
    new.text = piece.text or known.text
    if not piece.text:
        piece.outcome = "needed" if new.recipients else "removed" if is_ours else "changed" if before else "gone"
        return "" if piece.outcome == "removed" else before
    if before and not is_ours and before != piece.text and not known.recipients:
        raise SettingsError("is another skill of that name", remedy="remove it, or keep it")
    piece.outcome = "unchanged" if before == piece.text else "added" if is_ours or not before else "changed"
    return piece.text if piece.outcome == "added" else before


def _with_lines(piece: InstalledPiece, known: WrittenText, new: WrittenText, before: str) -> str:
    """The lines are those between their marks, whatever stands there now."""
    name = re.escape(new.recipients[0].name if piece.text else known.names[0])
    place = re.search(rf"<!-- headnote {name}: begin -->.*?<!-- headnote {name}: end -->\n?", before, re.DOTALL)
    blank = known.text.partition("<")[0]
    if not piece.text:
        piece.outcome = "needed" if new.recipients else "removed" if place else "gone"
        if new.recipients or not place:
            return before
        return before[: place.start()].removesuffix(blank) + before[place.end() :]
    if place:
        is_to_be_written = bool(known.recipients) and place[0] != piece.text
        piece.outcome = "added" if is_to_be_written else "unchanged"
        new.text = blank + piece.text
        return before[: place.start()] + piece.text + before[place.end() :] if is_to_be_written else before
    blank = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    new.text = blank + piece.text
    return before + new.text


_REVISIONS: Mapping[What, Callable[[InstalledPiece, WrittenText, WrittenText, str], str]] = {
    "server": _with_servers,
    "skill": _with_skill,
    "instructions": _with_lines,
}
"""What becomes of a file with a text of headnote: its new content, and the outcome."""


# -- Files


def _real(file: Path) -> str:
    """The file that a symbolic link leads to: settings that are kept elsewhere stay there."""
    return os.path.realpath(file)


def _text_of(file: str) -> str:
    try:
        return Path(file).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError("not UTF-8", remedy="save it as UTF-8, and try again") from None


def _write(record: InstallRecord, file: str, before: str, after: str) -> None:
    place = Path(file)
    if _text_of(file) != before:
        raise SettingsError("has just changed", remedy="try again")
    if file in record.made and _says_nothing(after, file):
        place.unlink()
        record.made.remove(file)
        return
    record.made += [str(one) for one in (place, *place.parents) if not one.exists()]
    place.parent.mkdir(parents=True, exist_ok=True)
    _write_text(place, after)


def _says_nothing(text: str, file: str) -> bool:
    """Whether nothing is left of a file but what was made for headnote."""
    return not text.strip() or (file.endswith((".json", ".jsonc")) and stored_in(text, file) == {})


def _remove_made_folders(record: InstallRecord) -> None:
    """Remove the folders that were made for files which are gone, and forget those that somebody else has filled."""
    folders = sorted((Path(one) for one in record.made if Path(one).is_dir()), key=lambda one: -len(one.parts))
    for folder in folders:
        if not any(folder.iterdir()):
            folder.rmdir()
    record.made = [one for one in record.made if any(Path(text.file).is_relative_to(one) for text in record.texts)]


def _write_text(file: Path, text: str) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else None
    with written_whole(file) as aside:
        aside.write_bytes(text.encode("utf-8"))
        if mode is not None:
            aside.chmod(mode)


# -- The record


def _record_file() -> Path:
    home = user_folder()
    if home is None:
        raise SettingsError("there is no folder to remember it in", remedy=f"set {USER_FOLDER} to a folder of yours")
    return home / _RECORD


def _read_record() -> InstallRecord:
    file = _record_file()
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        return InstallRecord(list(map(_read_text, stored["texts"])), stored["made"])
    except FileNotFoundError:
        return InstallRecord()
    except (ValueError, TypeError, LookupError):
        remedy = "remove it, and the servers of headnote from the settings of your agents"
        raise SettingsError("not a record of what headnote has installed", path=str(file), remedy=remedy) from None


def _read_text(stored: dict[str, Any]) -> WrittenText:
    recipients = [Recipient(**recipient) for recipient in stored["recipients"]]
    return replace(WrittenText(**stored), recipients=recipients)


def _write_record(record: InstallRecord) -> None:
    file = _record_file()
    if not record.texts:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_text(file, json.dumps(asdict(record), indent=1))

"""`headnote install`: every agent reads what was written, as its own format has it, and `uninstall` leaves the bytes of
before."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.cli.main import main
from headnote.extra.agents import settings_text
from headnote.extra.agents.installing import Agent, known_agents, server_command

pytest_plugins = ("folder_fixtures",)
pytest.importorskip("mcp", reason="needs the extra mcp")

Captured = pytest.CaptureFixture[str]
SETTINGS = {
    "claude-code": '{"numStartups": 7, "mcpServers": {"other": {"type": "stdio", "command": "x", "args": []}}}',
    "codex": '# mine\nmodel = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x"\n\n[tools]\nweb_search = true\n',
    "cursor": '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
    "vscode": '{\r\n\t// for all projects\r\n\t"servers": {},\r\n\t"inputs": []\r\n}\r\n',
    "gemini": '{\n  "theme": "Default", // dark\n  "mcp": {"allowed": ["a"]},\n}\n',
    "opencode": '{\n  "$schema": "https://opencode.ai/config.json",\n  /* none yet */\n  "mcp": { },\n}',
    "claude-desktop": "\ufeff{}\n",
}
"""As people have them: comments, trailing commas, tabs, line ends of Windows, a byte order mark."""


@pytest.fixture
def agents(quiet: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Agent]:
    """All agents, with settings of their own; and a folder of documents in a repository."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"):
        quiet.delenv(name, raising=False)
    quiet.setattr(Path, "home", lambda: tmp_path)
    quiet.setenv("HOME", str(tmp_path))
    quiet.setenv("HEADNOTE_CONFIG_FOLDER", str(tmp_path / "own"))
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "docs").mkdir()
    quiet.chdir(tmp_path / "project")
    for agent in known_agents():
        agent.file.parent.mkdir(parents=True, exist_ok=True)
        agent.file.write_bytes(SETTINGS[agent.name].encode())
    return {agent.name: agent for agent in known_agents()}


def everything(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder, with its bytes; without what headnote remembers."""
    own = folder / "own"
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if path != own and own not in path.parents
    }


def servers(agent: Agent) -> dict[str, Any]:
    """What an agent would start."""
    return settings_text.members_at(
        settings_text.stored_in(agent.file.read_bytes().decode(), agent.file.name), agent.keys
    )


def test_each_agent_has_the_server_and_the_bytes_come_back(agents: dict[str, Agent], tmp_path: Path) -> None:
    (tmp_path / "project" / "AGENTS.md").write_text("# Mine\n\nBe kind.", encoding="utf-8")
    before = everything(tmp_path)
    assert main(["install", "docs"]) == 0
    command = server_command(tmp_path / "project" / "docs")
    for name, agent in agents.items():
        entry = servers(agent)["docs"]
        start = entry["command"] if name == "opencode" else [entry["command"], *entry["args"]]
        assert start == command, name
        if "other" in SETTINGS[name]:
            assert servers(agent)["other"]["command"] == "x"
        if agent.skills:
            assert (
                (agent.skills / "headnote" / "SKILL.md").read_text(encoding="utf-8").startswith("---\nname: headnote\n")
            )
    assert servers(agents["vscode"])["docs"]["type"] == "stdio"
    assert servers(agents["opencode"])["docs"]["type"] == "local"
    assert "// dark" in agents["gemini"].file.read_text(encoding="utf-8")
    guide = (tmp_path / "project" / "AGENTS.md").read_text(encoding="utf-8")
    assert guide.startswith("# Mine\n\nBe kind.\n\n<!-- headnote docs: begin -->\n")
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


def test_new_files_and_folders_go_again(agents: dict[str, Agent], tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    for agent in agents.values():
        agent.file.unlink()
    before = everything(tmp_path)
    for _ in range(2):
        assert main(["install", "docs"]) == 0
    assert all("docs" in servers(agent) for agent in agents.values())
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


@pytest.mark.usefixtures("agents")
def test_a_second_time_changes_nothing(tmp_path: Path, capsys: Captured) -> None:
    before = everything(tmp_path)
    assert main(["install", "docs"]) == 0
    once = everything(tmp_path)
    capsys.readouterr()
    assert main(["install", "docs", "--json"]) == 0
    outcomes = {piece["outcome"] for piece in json.loads(capsys.readouterr().out)["pieces"]}
    assert (outcomes, everything(tmp_path)) == ({"unchanged"}, once)
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


@pytest.mark.usefixtures("agents")
def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: Captured) -> None:
    before = everything(tmp_path)
    assert main(["install", "docs", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "Claude Code: server would be added" in shown
    assert "  + [mcp_servers.docs]" in shown
    assert everything(tmp_path) == before
    assert not (tmp_path / "own").exists()


def test_other_changes_since_stay(agents: dict[str, Agent]) -> None:
    """A program that writes its file anew, and a person who adds a line."""
    assert main(["install", "docs", "--agent", "claude-code", "--agent", "codex"]) == 0
    claude, codex = agents["claude-code"].file, agents["codex"].file
    stored = json.loads(claude.read_text(encoding="utf-8")) | {"numStartups": 8}
    claude.write_text(json.dumps(stored, indent=4), encoding="utf-8")
    written = codex.read_text(encoding="utf-8")
    codex.write_text(written.replace("startup_timeout_sec = 60", "startup_timeout_sec = 20") + "[last]\nx = 1\n")
    assert main(["uninstall", "docs"]) == 0
    assert json.loads(claude.read_text(encoding="utf-8")) == json.loads(SETTINGS["claude-code"]) | {"numStartups": 8}
    assert tomllib.loads(codex.read_text()) == tomllib.loads(SETTINGS["codex"] + "[last]\nx = 1\n")


def test_two_folders_share_the_skill(agents: dict[str, Agent], tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    before = everything(tmp_path)
    for folder in ("docs", "../notes"):
        assert main(["install", folder, "--agent", "cursor"]) == 0
    assert set(servers(agents["cursor"])) == {"other", "docs", "notes"}
    assert main(["uninstall", "docs"]) == 0
    assert set(servers(agents["cursor"])) == {"other", "notes"}
    assert (agents["cursor"].file.parent / "skills" / "headnote" / "SKILL.md").exists()
    assert main(["uninstall", "../notes"]) == 0
    assert everything(tmp_path) == before


ONE_AFTER_THE_OTHER = ("install docs", "install ../notes", "uninstall docs", "uninstall ../notes")
ONE_INSIDE_THE_OTHER = ("install docs", "install ../notes", "uninstall ../notes", "uninstall docs")


@pytest.mark.parametrize("commands", [ONE_AFTER_THE_OTHER, ONE_INSIDE_THE_OTHER], ids=["first", "last"])
@pytest.mark.parametrize(
    "text",
    [None, "", "{}", "{}\n", '{"mcpServers": {}}', '{\n  "a": 1, // one\n  "mcpServers": {\n  },\n}', "// none yet"],
)
def test_the_last_of_two_folders_leaves_the_bytes_of_before(
    text: str | None, commands: tuple[str, ...], agents: dict[str, Agent], tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    file = agents["cursor"].file
    file.unlink()
    if text is not None:
        file.write_text(text, encoding="utf-8")
    before = everything(tmp_path)
    for number, command in enumerate(commands):
        assert main([*command.split(), "--agent", "cursor"]) == 0
        if number < 3 and text != "// none yet":
            assert "},\n  }" not in file.read_text(encoding="utf-8"), "a comma behind the last one is none of ours"
    assert everything(tmp_path) == before


def test_a_server_beside_ours_stays_as_it_is(agents: dict[str, Agent]) -> None:
    """Somebody writes into the middle of what headnote has written."""
    file = agents["cursor"].file
    file.write_text("{}", encoding="utf-8")
    assert main(["install", "docs", "--agent", "cursor"]) == 0
    stored = json.loads(file.read_text(encoding="utf-8"))
    stored["mcpServers"] = {"first": {"command": "x"}} | stored["mcpServers"] | {"last": {"command": "y"}}
    file.write_text(json.dumps(stored), encoding="utf-8")
    assert main(["install", "docs", "--agent", "cursor", "--name", "kb"]) == 0
    assert set(servers(agents["cursor"])) == {"first", "last", "kb"}
    assert main(["uninstall", "docs"]) == 0
    assert json.loads(file.read_text(encoding="utf-8"))["mcpServers"] == {
        "first": {"command": "x"},
        "last": {"command": "y"},
    }


def test_a_server_that_was_changed_stays(agents: dict[str, Agent], capsys: Captured) -> None:
    assert main(["install", "docs", "--agent", "codex"]) == 0
    file = agents["codex"].file
    changed = file.read_text(encoding="utf-8").replace("startup_timeout_sec = 60", "startup_timeout_sec = 20")
    file.write_text(changed, encoding="utf-8")
    assert main(["install", "docs", "--agent", "codex"]) == 0
    assert "server left as it is: somebody has changed it" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == changed


@pytest.mark.usefixtures("agents")
def test_empty_files_stay(tmp_path: Path, agents: dict[str, Agent]) -> None:
    (tmp_path / "project" / "AGENTS.md").touch()
    for agent in agents.values():
        agent.file.write_bytes(b"")
    before = everything(tmp_path)
    assert main(["install", "docs"]) == 0
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


@pytest.mark.usefixtures("agents")
def test_the_lines_in_agents_md_are_found_by_their_marks(tmp_path: Path) -> None:
    guide = tmp_path / "project" / "AGENTS.md"
    guide.write_text("# Mine\n", encoding="utf-8")
    assert main(["install", "docs"]) == 0
    written = guide.read_text(encoding="utf-8")
    guide.write_text(written.replace("a whole question", "a short question") + "\nMore.\n", encoding="utf-8")
    assert main(["install", "docs"]) == 0
    assert guide.read_text(encoding="utf-8") == written + "\nMore.\n"
    guide.write_text(written.replace("a whole question", "a short question") + "\nMore.\n", encoding="utf-8")
    assert main(["uninstall", "docs"]) == 0
    assert guide.read_text(encoding="utf-8") == "# Mine\n\nMore.\n"


@pytest.mark.usefixtures("agents")
def test_lines_of_a_colleague_stay(tmp_path: Path) -> None:
    """They came with the repository: whoever did not write them does not remove them."""
    guide = tmp_path / "project" / "AGENTS.md"
    guide.write_text("<!-- headnote docs: begin -->\nours\n<!-- headnote docs: end -->\n", encoding="utf-8")
    before = everything(tmp_path)
    assert main(["install", "docs"]) == 0
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


def test_a_skill_that_was_changed_stays(agents: dict[str, Agent], capsys: Captured) -> None:
    assert main(["install", "docs", "--agent", "cursor"]) == 0
    skill = agents["cursor"].file.parent / "skills" / "headnote" / "SKILL.md"
    changed = skill.read_text(encoding="utf-8") + "\nAnd be kind.\n"
    skill.write_text(changed, encoding="utf-8")
    assert main(["uninstall", "docs"]) == 0
    assert "Cursor: skill left as it is: somebody has changed it" in capsys.readouterr().out
    assert skill.read_text(encoding="utf-8") == changed


def test_folders_that_were_made_go_again(agents: dict[str, Agent], tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / ".codex")
    before = everything(tmp_path)
    assert main(["install", "docs", "--agent", "codex"]) == 0
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before
    assert not agents["codex"].is_there


def test_a_second_folder_of_that_name_gets_another(
    agents: dict[str, Agent], tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("other/.git", "other/docs"):
        (tmp_path / folder).mkdir(parents=True)
    before = everything(tmp_path)
    assert main(["install", "docs"]) == 0
    monkeypatch.chdir(tmp_path / "other")
    assert main(["install", "docs", "--name", "docs"]) == 2
    assert "--name: there is another server 'docs'" in capsys.readouterr().err
    assert not (tmp_path / "other" / "AGENTS.md").exists()
    assert main(["install", "docs"]) == 0
    assert "note: the server is called other-docs; --name gives it another name" in capsys.readouterr().err
    assert {"docs", "other-docs"} <= servers(agents["cursor"]).keys()
    assert "The MCP server `other-docs` has the documents" in (tmp_path / "other" / "AGENTS.md").read_text()
    assert main(["uninstall", "docs"]) == 0
    monkeypatch.chdir(tmp_path / "project")
    assert main(["uninstall", "docs"]) == 0
    assert everything(tmp_path) == before


def test_a_server_of_somebody_else_keeps_its_name(agents: dict[str, Agent]) -> None:
    agents["cursor"].file.write_text('{"mcpServers": {"docs": {"command": "mine"}}}', encoding="utf-8")
    assert main(["install", "docs"]) == 0
    assert servers(agents["cursor"])["docs"] == {"command": "mine"}
    assert "project-docs" in servers(agents["cursor"])


@pytest.mark.usefixtures("agents")
def test_agents_md_has_no_path_of_this_machine(tmp_path: Path) -> None:
    """It is committed."""
    assert main(["install", "docs"]) == 0
    guide = (tmp_path / "project" / "AGENTS.md").read_text(encoding="utf-8")
    assert str(tmp_path) not in guide
    assert 'headnote search "QUESTION" "docs" --json' in guide


@pytest.mark.parametrize("names", [["claude-desktop"], ["gemini"], ["cursor"]])
def test_agents_md_is_for_those_who_read_it_and_have_the_server(
    names: list[str], agents: dict[str, Agent], tmp_path: Path
) -> None:
    agents["cursor"].file.write_text("{ not json", encoding="utf-8")
    main(["install", "docs", *(word for name in names for word in ("--agent", name))])
    assert not (tmp_path / "project" / "AGENTS.md").exists()


@pytest.mark.usefixtures("agents")
def test_agents_md_stays_until_the_last_of_them_leaves(tmp_path: Path) -> None:
    assert main(["install", "docs", "--agent", "cursor", "--agent", "codex"]) == 0
    guide = tmp_path / "project" / "AGENTS.md"
    assert main(["uninstall", "docs", "--agent", "cursor"]) == 0
    assert guide.exists()
    assert main(["uninstall", "docs", "--agent", "codex"]) == 0
    assert not guide.exists()


@pytest.mark.usefixtures("agents")
def test_a_folder_outside_of_a_repository_is_in_no_agents_md(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    assert main(["install", "../notes"]) == 0
    assert not (tmp_path / "project" / "AGENTS.md").exists()


def test_a_link_stays_a_link(agents: dict[str, Agent], tmp_path: Path) -> None:
    """Whoever keeps settings in a repository of their own."""
    kept = tmp_path / "dotfiles.json"
    agents["cursor"].file.rename(kept)
    agents["cursor"].file.symlink_to(kept)
    kept.chmod(0o600)
    assert main(["install", "docs", "--agent", "cursor"]) == 0
    assert agents["cursor"].file.is_symlink()
    assert (kept.stat().st_mode & 0o777, "docs" in servers(agents["cursor"])) == (0o600, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{ not json", "not JSON: line 1, Expecting property name"),
        (b"[]", "an object is expected, in braces"),
        (b'{"mcpServers": []}', "mcpServers is not an object"),
        (b'{\n// one\n"a": 1,\n"b"}', "not JSON: line 4, Expecting ':' delimiter (mend the file, and try again)"),
        (b'{"a": 1', "not JSON: line 1"),
        (b'"\xff"', "not UTF-8 (save it as UTF-8, and try again)"),
        (
            b'{"mcpServers": {}, "mcpServers": {"b": {}}}',
            "nothing can be added to mcpServers as it is written there (write mcpServers once, over several lines, or",
        ),
    ],
)
def test_one_bad_file_stops_nobody_else(text: bytes, said: str, agents: dict[str, Agent], capsys: Captured) -> None:
    agents["cursor"].file.write_bytes(text)
    assert main(["install", "docs"]) == 1
    assert said in capsys.readouterr().out
    assert agents["cursor"].file.read_bytes() == text
    assert all("docs" in servers(agent) for name, agent in agents.items() if name != "cursor")


def test_servers_on_one_line_of_toml(agents: dict[str, Agent], capsys: Captured) -> None:
    text = 'mcp_servers = { x = { command = "y" } }\n'
    agents["codex"].file.write_text(text, encoding="utf-8")
    assert main(["install", "docs", "--agent", "codex"]) == 1
    assert "nothing can be added to mcp_servers as it is written there" in capsys.readouterr().out
    assert agents["codex"].file.read_text(encoding="utf-8") == text


def test_a_skill_of_your_own_stays(agents: dict[str, Agent], capsys: Captured) -> None:
    skill = agents["cursor"].file.parent / "skills" / "headnote" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine", encoding="utf-8")
    assert main(["install", "docs", "--agent", "cursor"]) == 1
    assert "is another skill of that name" in capsys.readouterr().out
    assert main(["uninstall", "docs"]) == 0
    assert skill.read_text(encoding="utf-8") == "mine"


def test_opencode_in_its_second_version(agents: dict[str, Agent]) -> None:
    agents["opencode"].file.write_text('{"mcp": {"servers": {}}}', encoding="utf-8")
    assert main(["install", "docs", "--agent", "opencode"]) == 0
    assert set(servers(agents["opencode"])) == {"servers"}
    assert "docs" in servers(agents["opencode"])["servers"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["install", "docs", "--agent", "emacs"], "unknown agent 'emacs'"),
        (["install", "nowhere"], "is not a folder"),
        (["install", "docs", "--name", "a b"], "'a b' is not a valid name for a server (use letters, digits, - and _)"),
        (["install", "docs", "--name", "é"], "'é' is not a valid name for a server"),
    ],
)
@pytest.mark.usefixtures("agents")
def test_refusals(arguments: list[str], said: str, capsys: Captured) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_nobody_is_there(quiet: pytest.MonkeyPatch, tmp_path: Path, capsys: Captured) -> None:
    quiet.setattr(Path, "home", lambda: tmp_path)
    quiet.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        quiet.delenv(name, raising=False)
    assert main(["install", str(tmp_path)]) == 2
    assert "no agent was found (name yours: --agent, one of claude-code, " in capsys.readouterr().err


def test_nothing_to_take_back(tmp_path: Path, quiet: pytest.MonkeyPatch, capsys: Captured) -> None:
    quiet.setenv("HEADNOTE_CONFIG_FOLDER", str(tmp_path / "own"))
    assert main(["uninstall", str(tmp_path)]) == 0
    assert "nothing is installed for" in capsys.readouterr().out


# Laws

_blanks = st.sampled_from(["", " ", "\n", "\r\n\t", " // a, { comment\n", "/* } */"])
_scalars = st.one_of(st.integers(), st.booleans(), st.none(), st.text(max_size=5))
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def written(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An object, as somebody may have written it."""
    value = draw(st.dictionaries(st.sampled_from(["a", "servers", "z"]), _values, max_size=3))
    if "servers" in value:
        value["servers"] = draw(st.dictionaries(st.text(max_size=3), _values, max_size=2))

    def text(one: Any) -> str:
        if isinstance(one, dict):
            inner = [f"{draw(_blanks)}{json.dumps(key)}{draw(_blanks)}:{text(own)}" for key, own in one.items()]
            return "{" + ",".join(inner) + draw(_blanks) + (draw(st.sampled_from(["", ","])) if inner else "") + "}"
        if isinstance(one, list):
            return "[" + ",".join(map(text, one)) + "]"
        return draw(_blanks) + json.dumps(one, ensure_ascii=False) + draw(_blanks)

    return draw(_blanks) + text(value) + draw(_blanks), value


@given(written())
def test_a_member_goes_in_and_out(sample: tuple[str, dict[str, Any]]) -> None:
    text, value = sample
    assert settings_text.value_of(text) == value
    entries = {"new": {"command": "x", "args": ["{"]}, "other": {"command": "y"}}
    at, inserted = settings_text.insertion(text, "a.json", ["servers"], entries)
    after = text[:at] + inserted + text[at:]
    assert settings_text.value_of(after) == value | {"servers": {**value.get("servers", {}), **entries}}
    made = settings_text.missing_keys(value, ["servers"])
    assert settings_text.value_of(settings_text.without(after, "a.json", ["servers"], list(entries), made)) == value


def test_places_of_other_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    files = {agent.name: agent.file for agent in known_agents(tmp_path, {"CODEX_HOME": os.fspath(tmp_path / "c")})}
    programs = tmp_path / "Library" / "Application Support"
    assert files["claude-desktop"] == programs / "Claude" / "claude_desktop_config.json"
    assert files["vscode"] == programs / "Code" / "User" / "mcp.json"
    assert files["codex"] == tmp_path / "c" / "config.toml"
    assert files["opencode"] == tmp_path / ".config" / "opencode" / "opencode.json"

"""Where agents find headnote: the file of the MCP registry, the plugin, the skill, llms.txt and the Dockerfile."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from headnote import __version__
from headnote.api import trust_folder
from headnote.cli.main import COMMANDS
from headnote.extras import DISTRIBUTION
from headnote.web.security import OPEN_ADDRESS
from headnote.web.workers import PORT

REPOSITORY = Path(__file__).resolve().parents[1]
SERVER: dict[str, Any] = json.loads((REPOSITORY / "server.json").read_text(encoding="utf-8"))
PLUGIN: dict[str, Any] = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
SKILL = (REPOSITORY / "skills" / "headnote" / "SKILL.md").read_text(encoding="utf-8")
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")


def of_registry(folder: str) -> list[str]:
    """The command that a client makes of the registry file."""
    (package,) = SERVER["packages"]
    runtime = [word for one in package["runtimeArguments"] for word in (one["name"], one["value"])]
    own = [one.get("value", folder) for one in package["packageArguments"]]
    return [package["runtimeHint"], *runtime, f"{package['identifier']}=={package['version']}", *own]


def of_plugin(folder: str) -> list[str]:
    (server,) = PLUGIN["mcpServers"].values()
    return [server["command"], *(word.replace("${CLAUDE_PROJECT_DIR}", folder) for word in server["args"])]


@pytest.mark.parametrize("command", [of_registry("/docs"), of_plugin("/docs")], ids=["registry", "plugin"])
def test_both_start_this_version_with_its_extras(command: list[str]) -> None:
    package = f"{DISTRIBUTION}[search,mcp]=={__version__}"
    assert command == ["uvx", "--with", package, f"{DISTRIBUTION}=={__version__}", "mcp", "/docs"]


@pytest.mark.parametrize("make", [of_registry, of_plugin])
def test_their_commands_serve_a_client(make: Any, tmp_path: Path) -> None:
    """Started by a real client, with the program of this environment in place of the one that uvx installs."""
    pytest.importorskip("mcp", reason="needs the SDK")
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    (tmp_path / "a.md").write_text("# Tide\n\nThe tide turns twice a day.\n")
    words = make(str(tmp_path))
    arguments = ["-m", "headnote", *words[words.index(f"{DISTRIBUTION}=={__version__}") + 1 :]]

    async def session() -> set[str]:
        parameters = StdioServerParameters(command=sys.executable, args=arguments)
        async with Client(stdio_client(parameters)) as client:
            assert "documents" in str((await client.call_tool("status", {})).content)
            return {tool.name for tool in (await client.list_tools()).tools}

    tools = asyncio.run(asyncio.wait_for(session(), 60))
    # The skill says when to use which of them, and names no other.
    assert set(re.findall(r"^\| [^|]+\| `(\w+)` \|", SKILL, re.MULTILINE)) == tools


def test_the_registry_file_has_what_the_registry_demands() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert SERVER["version"] == PLUGIN["version"] == __version__
    assert 0 < len(SERVER["description"]) <= 100
    assert SERVER["$schema"].startswith("https://static.modelcontextprotocol.io/schemas/")


def test_the_skill() -> None:
    _, head, text = SKILL.split("---\n", 2)
    fields = yaml.safe_load(head)
    assert re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert 0 < len(fields["description"]) <= 1024
    assert set(re.findall(r"`headnote (\w+)", text)) <= set(COMMANDS)
    assert (REPOSITORY / PLUGIN["skills"] / "headnote" / "SKILL.md").exists()


# -- llms.txt


@pytest.fixture(scope="module")
def generated() -> ModuleType:
    specification = importlib.util.spec_from_file_location("generated_pages", REPOSITORY / "website" / "generated.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_llms_txt_has_every_page(generated: ModuleType) -> None:
    index, full = generated.llms_index(), generated.llms_full()
    pages = re.findall(r"^- \[[^\]]+\]\((.+)\.html\)", index, re.MULTILINE)
    docs = {
        file.relative_to(REPOSITORY / "docs").with_suffix("").as_posix() for file in (REPOSITORY / "docs").rglob("*.md")
    }
    assert docs <= set(pages)
    assert len(pages) == len(set(pages))
    assert index.startswith("# headnote\n\n> ")
    assert all(f"<!-- {page}.md -->" in full for page in pages)
    assert "# Links as a gate" in full


def test_the_skill_that_is_installed_is_the_one_of_the_plugin() -> None:
    installed = REPOSITORY / "src" / "headnote" / "extra" / "agents" / "SKILL.md"
    assert installed.read_bytes() == (REPOSITORY / "skills" / "headnote" / "SKILL.md").read_bytes()


# -- the Dockerfile


def test_the_image_is_not_root_and_writes_into_its_volume_only() -> None:
    user = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert user
    assert user[-1].split(":")[0] not in ("0", "root")
    assert re.findall(r'^VOLUME \["(.+)"\]$', DOCKERFILE, re.MULTILINE) == ["/kb/.headnote"]
    assert not re.search(r"^FROM \S+:latest|^FROM [^:]+$", DOCKERFILE, re.MULTILINE)
    command = json.loads(re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)[0])
    assert command == ["mcp", "/kb"]


def test_its_health_is_what_the_server_says_without_a_token() -> None:
    (check,) = re.findall(r"^HEALTHCHECK (.+?)^ENTRYPOINT", DOCKERFILE, re.MULTILINE | re.DOTALL)
    assert f"http://127.0.0.1:{PORT}{OPEN_ADDRESS}" in check


def test_hadolint_finds_nothing() -> None:
    if not shutil.which("hadolint"):
        pytest.skip("needs hadolint")
    result = subprocess.run(["hadolint", str(REPOSITORY / "Dockerfile")], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")


def test_its_home_serves_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """What the image does, without an engine: its settings file is made by its own command."""
    kb, docs = tmp_path / "kb", tmp_path / "docs"
    (kb / ".headnote").mkdir(parents=True)
    docs.mkdir()
    (docs / "a.md").write_text("# Tide\n\nThe tide turns twice a day.\n")
    (script,) = re.findall(r"(printf '.+?) > /kb/headnote.toml", DOCKERFILE)
    text = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    (kb / "headnote.toml").write_text(text.replace("/docs", docs.as_posix()))
    assert "&& headnote trust /kb " in DOCKERFILE
    trust_folder(kb)
    before = sorted((file, file.stat().st_mtime_ns) for file in [*docs.rglob("*"), kb / "headnote.toml"])
    for folder in (docs, kb):
        folder.chmod(0o555)
    try:
        command = [sys.executable, "-m", "headnote", *shlex.split("search tide --mode keyword --format files"), str(kb)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=kb)
    finally:
        for folder in (docs, kb):
            folder.chmod(0o755)
    assert (result.returncode, result.stdout) == (0, "docs/a.md\n"), result.stderr
    assert sorted((file, file.stat().st_mtime_ns) for file in [*docs.rglob("*"), kb / "headnote.toml"]) == before
    assert sorted(file.name for file in kb.iterdir()) == [".headnote", "headnote.toml"]

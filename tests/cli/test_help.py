"""The help of every command: what it does first, examples that work, options under headings, in 80 columns."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from pathlib import Path
from threading import Timer

import click
import pytest
from folders import COMMAND

from headnote.cli import main as cli
from headnote.cli.command import Command, Example
from headnote.cli.main import main

MODEL = "instant"
"""The model that ships with the package."""
SERVERS = {"serve", "open", "mcp"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = re.compile(r"https?://|\"result\"|documents")
"""What a command that goes on says once it works."""


def command_named(name: str) -> Command:
    command = cli.app.get_command(click.Context(cli.app), name)
    assert isinstance(command, Command)
    return command


def examples_of(name: str) -> list[Example]:
    return [*cli.START] if name == "" else command_named(name).examples


ALL = [(name, example.line) for name in ("", *cli.COMMANDS) for example in examples_of(name)]


def is_endless(line: str) -> bool:
    return line.split()[1] in SERVERS or "--watch" in line


@pytest.fixture(scope="module")
def folder(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook as `docs`, and its questions, with an index of it; a folder of notes beside it; and an agent."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(repository / "examples" / "handbook", folder / "docs", ignore=shutil.ignore_patterns(".headnote"))
    shutil.copy(repository / "examples" / "questions.jsonl", folder)
    (folder / ".codex").mkdir()
    (folder / "notes").mkdir()
    (folder / "notes" / "spares.md").write_text("# Spares\n\nA spare battery is in the red box.\n", encoding="utf-8")
    subprocess.run([*COMMAND, "index", "docs", "--embedder", MODEL], cwd=folder, check=True, capture_output=True)
    subprocess.run([*COMMAND, "pack", "docs", "-o", "docs.headnote"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("HEADNOTE_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", MODEL)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, line in ALL if not is_endless(line)])
@pytest.mark.usefixtures("inside")
def test_an_example_works(name: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "bulk":
        pytest.importorskip("pyarrow", reason="needs the extra bulk")
    line = line.removeprefix('eval "$(').removesuffix(')"')
    program, *arguments = shlex.split(line.partition(" > ")[0])
    assert program == "headnote"
    code = main(arguments)
    output = capsys.readouterr()
    if "--broken" in line:  # the handbook has some, as its own page about them says
        assert code in (0, 1)
    else:
        assert code == 0, output.err
    assert output.out


@pytest.mark.parametrize("line", sorted({line for _, line in ALL if is_endless(line)}))
@pytest.mark.skipif(os.name == "nt", reason="no such signals")
def test_an_example_that_goes_on_starts(line: str, inside: Path) -> None:
    for package in {"serve": ["starlette"], "open": ["starlette"], "mcp": ["mcp"]}.get(line.split()[1], ["watchfiles"]):
        pytest.importorskip(package, reason=f"needs {package}")
    port = free_port()
    arguments = shlex.split(re.sub(r" --port \d+", "", line))[1:]
    if "--http" in arguments or "--port" in line:
        arguments += ["--port", str(port)]
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=inside,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"},
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(INITIALIZE) + "\n")
        process.stdin.flush()
        limit = Timer(60, process.kill)
        limit.start()
        try:
            if "--http" in arguments:
                wait_for_port(port, process)
            else:
                wait_for_words(process)
        finally:
            limit.cancel()
            process.terminate()
            process.stdin.close()


def wait_for_words(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    said = []
    for text in process.stdout:
        said.append(text)
        if READY.search(text):
            return
    pytest.fail("".join(said))


def wait_for_port(port: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    pytest.fail("it ended")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# What the help looks like


def help_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main([*arguments]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_help_begins_with_what_the_command_does(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = help_of(capsys, name, "-h")
    assert lines[0] == cli.COMMANDS[name].summary
    assert lines[2].startswith(f"Usage: headnote {name} [OPTIONS]")
    assert lines == help_of(capsys, name, "--help")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_help_has_two_to_four_examples_of_the_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = command_named(name).examples
    assert 2 <= len(examples) <= 4
    lines = help_of(capsys, name, "-h")
    for example in examples:
        assert f"headnote {name}" in example.line
        assert f"  {example.line}" in lines


@pytest.mark.parametrize("arguments", [[], ["-h"], *([name, "-h"] for name in cli.COMMANDS)])
def test_a_help_fits_a_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in help_of(capsys, *arguments) if len(line) > 80] == []


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_no_section_of_a_help_is_a_wall(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sections = re.split(r"^\S.*:$", "\n".join(help_of(capsys, name, "-h")), flags=re.MULTILINE)
    longest = max(len(re.findall(r"^  -", section, re.MULTILINE)) for section in sections)
    assert longest <= 10


def test_the_command_alone_is_a_friendly_start(capsys: pytest.CaptureFixture[str]) -> None:
    lines = help_of(capsys)
    assert len(lines) <= 15
    assert [line for line in lines if line.startswith("  headnote ")] == [f"  {example.line}" for example in cli.START]
    assert len(cli.START) == 3
    assert "headnote -h" in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["serach", "x"], "Did you mean 'search'?"),
        (["how", "do", "I", "mount"], "to search, write: headnote search how do I mount"),
        (["search", "x", "--expalin"], "'--explain'"),
        (["chunk", "x", "--max-token", "5"], "--max-tokens"),
        (["index", "--exlude", "x"], "--exclude"),
    ],
)
def test_the_nearest_is_suggested(arguments: list[str], suggestion: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert suggestion in capsys.readouterr().err

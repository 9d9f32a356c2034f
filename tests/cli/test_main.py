"""How every command ends: exit codes, error lines, pipes and terminals."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from terminals import read_all, without_colour

import headnote
from headnote.cli import main as cli
from headnote.cli.main import main

COMMAND = [sys.executable, "-m", "headnote"]
LONG_HEADING = "Everything " * 30 + "漢字の見出し"


def plain_environment(**changes: str) -> dict[str, str]:
    # Unbuffered, Python does not notice when only a part of a long line could be written.
    hidden = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "CI", "PYTHONUNBUFFERED"}
    visible = {key: value for key, value in os.environ.items() if key not in hidden}
    return {**visible, "TERM": "xterm-256color", **changes}


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=plain_environment(**environment), timeout=60)


def no_trace(error: bytes) -> bool:
    return b"Traceback" not in error and b"Exception" not in error


# Errors


def missing(folder: Path) -> Path:
    return folder / "nope.md"


def folder_without_markdown(folder: Path) -> Path:
    (folder / "empty").mkdir()
    (folder / "empty" / "notes.png").write_text("text", encoding="utf-8")
    return folder / "empty"


def not_utf8(folder: Path) -> Path:
    (folder / "latin.md").write_bytes("# Titel\n\nGrüße\n".encode("latin-1"))
    return folder / "latin.md"


def binary(folder: Path) -> Path:
    (folder / "logo.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    return folder / "logo.md"


def forbidden(folder: Path) -> Path:
    secret = folder / "secret.md"
    secret.write_text("# A", encoding="utf-8")
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("this user may read everything")
    return secret


def device(_folder: Path) -> Path:
    return Path(os.devnull)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (missing, ": no such file or folder (check the path)"),
        (folder_without_markdown, ": no Markdown in this folder (looked for .markdown .md .mdx .txt; "),
        (not_utf8, ":3: not valid UTF-8: byte 0xfc at offset 11 (save it as UTF-8"),
        (binary, ": binary, not text (name Markdown files"),
        (forbidden, ": cannot be read: permission denied (check its permissions)"),
        (device, ": a device or socket, not a file (name a file)"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_bad_input_is_one_line_with_the_path(
    make: Callable[[Path], Path],
    message: str,
    flags: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = make(tmp_path)
    assert main(["outline", *flags, str(path)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert output.err.startswith(f"error: {path}{message}")


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    not_utf8(tmp_path)
    (tmp_path / "zebra.md").write_text("# Zebra\n", encoding="utf-8")
    assert main(["outline", str(tmp_path)]) == 2
    output = capsys.readouterr()
    assert "Zebra" in output.out
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["outline"], "Missing argument 'PATH...'"),
        (["outline", "--depth", "0", "x"], "--depth"),
        (["outline", "--depth", "7", "x"], "--depth"),
        (["outline", "--depth", "two", "x"], "--depth"),
        (["outline", "--dept", "2", "x"], "--dept"),
        (["outlin", "x"], "Did you mean 'outline'"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_a_bad_argument_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert re.fullmatch(r"error: .*--help\)\n", output.err)
    assert message in output.err


def test_an_error_stays_one_line_whatever_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", "a\nb\x1b[31m.md"]) == 2
    assert capsys.readouterr().err == "error: a b\ufffd[31m.md: no such file or folder (check the path)\n"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode elsewhere")
def test_a_name_that_is_not_unicode(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.md")
    file.write_text("# A\n", encoding="utf-8")
    for flags in ([], ["--json"]):
        result = run("outline", *flags, file)
        assert result.returncode == 0
        assert rb"caf\udce9.md" in result.stdout
    assert run("outline", tmp_path / os.fsdecode(b"no\xe9.md")).returncode == 2


def test_an_unforeseen_failure_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(ZeroDivisionError):
        main([])


# Ways to start and to end


def test_version() -> None:
    assert run("--version").stdout.decode() == f"headnote {headnote.__version__}\n".replace("\n", os.linesep)


@pytest.mark.parametrize("arguments", [["-h"], ["--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert "Usage: headnote [OPTIONS] COMMAND [ARGS]..." in output
    assert "  outline     Show headings as a tree, with line ranges and sizes." in output


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_table_has_the_summary_of_each_command(name: str) -> None:
    command = cli.app.get_command(click.Context(cli.app), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").partition("\n\n")[0] == cli.COMMANDS[name].summary


def test_the_list_of_commands_loads_none_of_them() -> None:
    report = "print([entry.module for entry in cli.COMMANDS.values() if entry.module in sys.modules], file=sys.stderr)"
    code = f"import sys; from headnote.cli import main as cli; cli.main(['--help']); {report}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(entry.summary in result.stdout for entry in cli.COMMANDS.values())
    assert result.stderr == "[]\n"


_WITHOUT_EXTRAS = """
import sys

EXTRAS = {"apsw", "mcp", "numpy", "pyarrow", "starlette", "Stemmer", "uvicorn", "watchfiles"}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from headnote.cli.main import COMMANDS, main

sys.exit(max(main([name, "--help"]) for name in COMMANDS))
"""


def test_help_needs_no_extra() -> None:
    result = subprocess.run([sys.executable, "-c", _WITHOUT_EXTRAS], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("Usage: headnote ") == len(cli.COMMANDS)


@pytest.mark.parametrize(
    ("command", "option"), [("doctor", "--fix"), ("links", "--borken"), ("search", "--ful"), ("status", "--jsn")]
)
def test_an_option_that_is_none_is_named(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "words", option]) == 2
    error = capsys.readouterr().err
    assert re.match(rf"error: No such option:? '?{option}\b", error)
    assert error.endswith(f"(see headnote {command} --help)\n")


def test_interrupt_ends_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupt)
    assert main([]) == 130


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_interrupt_while_reading(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.md"
    os.mkfifo(pipe)
    # Tests that run in the background of a shell inherit that this signal is ignored.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start = f"{listen}; from headnote.cli.main import run; run()"
    command = [sys.executable, "-c", start, "outline", str(pipe)]
    # Opening for writing waits until the command has opened the pipe, so it is certainly reading then.
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process, pipe.open("wb"):
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error == b""


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_reader_that_leaves_is_no_error(flags: list[str], tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("# Heading\n\n" * 20_000, encoding="utf-8")
    command = [*COMMAND, "outline", *flags, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment()) as process:
        assert process.stdout is not None
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
@pytest.mark.parametrize("headings", [1, 20_000])
@pytest.mark.parametrize("line", [["outline"], ["outline", "--json"], ["chunk"]], ids=" ".join)
def test_a_full_disk_is_one_line(line: list[str], headings: int, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Heading\n\n" * headings, encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        command = [*COMMAND, *line, str(tmp_path)]
        process = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=plain_environment())
    error = b"error: the output cannot be written: No space left on device (make room, or write it elsewhere)\n"
    assert (process.returncode, process.stderr) == (2, error)


@pytest.mark.skipif(os.name == "nt", reason="no such shell")
@pytest.mark.parametrize("line", [["outline"], ["outline", "--json"], ["chunk"]], ids=" ".join)
def test_a_closed_output_takes_everything(line: list[str], tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Heading\n", encoding="utf-8")
    command = f"{shlex.join([*COMMAND, *line, str(tmp_path)])} >&- 2>&-"
    assert subprocess.run(command, shell=True, env=plain_environment()).returncode == 0


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no such pipes")
def test_a_pipe_is_read_like_a_file() -> None:
    result = subprocess.run(
        [*COMMAND, "outline", "/dev/fd/0"], input=b"# Piped\n", capture_output=True, env=plain_environment()
    )
    assert result.returncode == 0
    assert "└" not in result.stdout.decode()
    assert "Piped" in result.stdout.decode()


# Terminals


@pytest.fixture
def long_heading(tmp_path: Path) -> Path:
    file = tmp_path / "long.md"
    file.write_text(f"# {LONG_HEADING}\n\n## [bold]not markup[/bold] :smile:\n", encoding="utf-8")
    return file


def test_piped_output_is_plain_and_whole(long_heading: Path) -> None:
    output = run("outline", long_heading).stdout.decode()
    assert LONG_HEADING in output
    assert "bold" in output
    assert "\x1b" not in output


def on_a_terminal(*arguments: str | Path, **environment: str) -> str:
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=theirs, env=plain_environment(**environment)):
            os.close(theirs)
            return read_all(ours)
    finally:
        os.close(ours)


def test_a_terminal_gets_colour_and_the_same_text(long_heading: Path) -> None:
    output = on_a_terminal("outline", long_heading)
    assert "\x1b[" in output
    assert without_colour(output).split() == run("outline", long_heading).stdout.decode().split()


def test_no_colour_when_the_user_says_so(long_heading: Path) -> None:
    assert "\x1b" not in on_a_terminal("outline", long_heading, NO_COLOR="1")


def test_json_is_never_coloured(long_heading: Path) -> None:
    assert "\x1b" not in on_a_terminal("outline", "--json", long_heading)


def test_escape_sequences_in_a_heading_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text("# A\x1b]0;owned\x07B\n", encoding="utf-8")
    output = without_colour(on_a_terminal("outline", tmp_path))
    assert "\x1b" not in output
    assert "\x07" not in output


def test_json_survives_a_terminal_that_knows_only_ascii(long_heading: Path) -> None:
    result = run("outline", "--json", long_heading, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert rb"\u6f22" in result.stdout
    assert run("outline", long_heading, PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        ["search", "word", "closed"],
        ["search", "word", "closed", "--no-update"],
        ["index", "closed"],
        ["status", "closed"],
        ["grep", "word", "closed"],
        ["ask", "word", "closed"],
        ["lint", "closed"],
        ["links", "--broken", "--root", "closed"],
        ["doctor", "closed"],
        ["export", "closed", "--out", "site"],
        ["pack", "closed"],
        ["config", "closed"],
        ["context", "closed/inside", "what it is"],
        ["related", "closed/inside/a.md"],
        ["read", "closed/inside/a.md"],
        ["search", "word", "closed/inside"],
        ["install", "closed", "--agent", "codex", "--dry-run"],
    ],
    ids=" ".join,
)
def test_a_folder_that_nobody_may_enter_is_one_line(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "closed" / "inside").mkdir(parents=True)
    (tmp_path / "closed" / "inside" / "a.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "closed").chmod(0)
    if os.access(tmp_path / "closed", os.X_OK):
        pytest.skip("this user may enter everything")
    monkeypatch.chdir(tmp_path)
    try:
        code = main(line)
    finally:
        (tmp_path / "closed").chmod(0o700)
    errors = capsys.readouterr().err.splitlines()
    assert code == 0 or errors[-1].startswith("error: "), errors


TOO_LONG = "a pasted error message " * 30
"""Longer than the name of any file."""


@pytest.mark.parametrize(
    "line",
    [
        ["search", "crash", TOO_LONG],
        ["search", "crash", TOO_LONG, "docs"],
        ["ask", "crash", TOO_LONG, "--no-model"],
        ["grep", "crash", TOO_LONG],
        ["index", TOO_LONG],
        ["lint", TOO_LONG],
        ["install", TOO_LONG, "--agent", "codex"],
        ["pack", "docs", "--out", TOO_LONG],
        ["export", "docs", "--out", TOO_LONG],
        ["mv", "docs/a.md", TOO_LONG, "--root", "docs"],
        ["mv", TOO_LONG, "b.md", "--root", "docs"],
        ["trust", TOO_LONG],
        ["related", f"docs/{TOO_LONG}"],
    ],
    ids=lambda line: line[0],
)
def test_a_word_that_is_too_long_for_a_name_is_no_folder(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nIt can crash.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "instant")
    code = main(line)
    errors = capsys.readouterr().err.splitlines()
    assert code in (0, 1) or errors[-1].startswith("error: "), errors

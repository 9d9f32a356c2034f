"""What Tab offers, asked by real shells."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import COMMAND
from hypothesis import given
from hypothesis import strategies as st

from headnote.chunking.presets import presets
from headnote.cli.choices import next_steps
from headnote.cli.completion import SCRIPTS, read_line
from headnote.cli.main import main
from headnote.search.query import MODES, OPTIONS

pytest_plugins = ("folder_fixtures",)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such shells")

PAGE = "---\ntags: [start, release notes]\n---\n\n# A page\n\nText about gauges.\n"


@pytest.fixture
def program(quiet: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the command `headnote` on its path, and nobody's settings."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "headnote"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    quiet.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    quiet.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        quiet.delenv(name, raising=False)
    quiet.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def notes(program: Path) -> Path:
    """An index of notes whose names have blanks."""
    for name in ("notes/my gauge.md", "notes/deep/er/one.md", "notes/deep/two.md", "notes/zulu.md"):
        file = program / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE, encoding="utf-8")
    assert main(["index", "notes"]) == 0
    return program


def shell_or_skip(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def offered(line: str) -> list[str]:
    """What bash would offer at the end of the line."""
    bash = shell_or_skip("bash")
    code = f"""{SCRIPTS["bash"]}
COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}
compopt() {{ asked="compopt $*"; }}
_headnote_complete headnote
printf '%s\\n' "${{COMPREPLY[@]-$asked}}"
"""
    result = subprocess.run([bash, "--norc", "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr == "", "nothing is written on the screen"
    return [word for word in result.stdout.splitlines() if word]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("headnote se", ["search", "serve"]),
        ("headnote search x --mode ", list(MODES)),
        ("headnote search x --mode=k", ["keyword"]),
        ("headnote search --mode k", ["keyword"]),
        ("headnote search x --fusion ", list(OPTIONS["fusion"].words)),
        ("headnote search x --expand ", list(OPTIONS["expand"].words)),
        ("headnote index --preset ", list(presets())),
        ("headnote chunk --size ", ["small", "medium", "large"]),
        ("headnote chunk --overlap ", ["none", "low", "medium", "high"]),
        ("headnote chunk --strategy w", ["window"]),
        ("headnote chunk --frontmatter ", ["metadata", "include", "strip"]),
        ("headnote index --embedder ope", ["openai:"]),
        ("headnote index --embedder hashing", ["hashing"]),
        ("headnote bulk docs --engine r", ["ray"]),
        ("headnote completion f", ["fish"]),
        ("headnote search x --expl", ["--explain"]),
        ("NO_COLOR=1 headnote search x --mode k", ["keyword"]),
    ],
)
@pytest.mark.usefixtures("program")
def test_bash_completes_words(line: str, words: list[str]) -> None:
    assert offered(line) == words


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("headnote search how do I do", "compopt -o dirnames"),
        ("headnote search x --root ", "compopt -o dirnames"),
        ("headnote status ", "compopt -o dirnames"),
        ("headnote mcp ", "compopt -o dirnames"),
        ("headnote chunk ", "compopt -o default"),
    ],
)
@pytest.mark.usefixtures("program")
def test_bash_completes_folders_and_files_itself(line: str, how: str) -> None:
    assert offered(line) == [how]


@pytest.mark.usefixtures("program")
def test_files_of_questions() -> None:
    for name in ("questions.jsonl", "notes.md", "sub/more.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("", encoding="utf-8")
    assert offered("headnote eval ") == ["bin/", "questions.jsonl", "sub/"]
    assert offered("headnote eval sub/") == ["sub/more.csv"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("headnote links --root notes ", ["deep/", "my\\ gauge.md", "zulu.md"]),
        ("headnote links --root notes deep/", ["deep/er/", "deep/two.md"]),
        ("headnote links --root notes 'my g", ["my gauge.md"]),
        ("headnote links --root notes my\\ g", ["my\\ gauge.md"]),
        ("headnote search gauges notes --path z", ["zulu.md"]),
        ("headnote search --root notes --path z", ["zulu.md"]),
        ("headnote search how to gauge notes --tag ", ["release\\ notes", "start"]),
        ("headnote search x notes --tag st", ["start"]),
        ("headnote ask -r notes x --tag '#st", ["start"]),
    ],
)
@pytest.mark.usefixtures("notes")
def test_bash_completes_what_is_in_the_index(line: str, words: list[str]) -> None:
    assert offered(line) == words


@pytest.mark.parametrize(
    "line", ["headnote search x docs --tag ", "headnote links --root docs ", "headnote links --root no "]
)
def test_completing_builds_no_index_and_says_nothing(line: str, program: Path) -> None:
    (program / "docs").mkdir()
    (program / "docs" / "a.md").write_text(PAGE, encoding="utf-8")
    assert offered(line) == []
    assert [path.name for path in (program / "docs").iterdir()] == ["a.md"]


def test_a_damaged_index_says_nothing(notes: Path) -> None:
    (notes / "notes" / ".headnote" / "index.db").write_bytes(b"no database" * 100)
    assert offered("headnote search x notes --tag ") == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("headnote se", ["search", "serve"]),
        ("headnote search x --mode ", list(MODES)),
        ("headnote search x --mode=k", ["--mode=keyword"]),
        ("headnote links --root notes ", ["deep/", "my gauge.md", "zulu.md"]),
        ("headnote search x notes --tag ", ["release notes", "start"]),
        ("headnote search x no", ["notes/"]),
    ],
)
@pytest.mark.usefixtures("notes")
def test_fish_completes(line: str, words: list[str]) -> None:
    fish = shell_or_skip("fish")
    code = f"{SCRIPTS['fish']}\ncomplete -C {shlex.quote(line)}"
    result = subprocess.run([fish, "--no-config", "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    assert sorted(text.partition("\t")[0] for text in result.stdout.splitlines()) == sorted(words)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("headnote se", ["values", "search", "serve"]),
        ("headnote search x --mode=k", ["values", "--mode=keyword"]),
        ("headnote links --root notes ", ["values", "deep/", "'my gauge.md'", "zulu.md"]),
        ("headnote links --root notes 'my g", ["values", "'my gauge.md'"]),
        ("headnote links --root notes my` g", ["values", "'my gauge.md'"]),
        ("headnote search x --root no\\\\", ["folders"]),
    ],
)
@pytest.mark.usefixtures("notes")
def test_powershell_is_answered(line: str, answer: list[str]) -> None:
    """The script itself runs nowhere here: there is no PowerShell in the packages that tests install."""
    environment = {**os.environ, "_HEADNOTE_COMPLETE": "powershell_complete", "_HEADNOTE_LINE": line}
    result = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (result.stderr, [text.partition("\t")[0] for text in result.stdout.splitlines()]) == ("", answer)


# As a person types


@contextlib.contextmanager
def typing(command: list[str]) -> Iterator[int]:
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "PS1": "$ "}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        try:
            yield ours
        finally:
            process.kill()
            os.close(ours)


def screen(terminal: int, until: str, seconds: float = 60.0) -> str:
    """What is shown up to these words."""
    shown, end = "", time.monotonic() + seconds
    while until not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    assert until in shown, shown
    return shown


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("headnote search x --mode k", "--mode keyword "),
        ("headnote search x --mode=k", "--mode=keyword "),
        ("headnote links --root notes my", "--root notes my\\ gauge.md "),
        ("headnote links --root notes dee", "--root notes deep/"),
        ("headnote search x no", "search x notes/"),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.usefixtures("notes")
def test_a_key_completes_the_line(shell: str, typed: str, completed: str) -> None:
    path = shell_or_skip(shell)
    Path("script").write_text(SCRIPTS[shell], encoding="utf-8")
    command = [path, "--norc", "-i"] if shell == "bash" else [path, "-f", "-i"]
    with typing(command) as terminal:
        os.write(terminal, b". ./script; echo rea''dy\n")
        screen(terminal, "ready")
        os.write(terminal, f"{typed}\t".encode())
        screen(terminal, completed.rstrip() if shell == "zsh" else completed)


# Installing


def test_a_script_is_installed_once(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program / ".bashrc").write_text("# mine", encoding="utf-8")
    for _ in range(2):
        assert main(["completion", "bash", "--install"]) == 0
    output = capsys.readouterr().out
    assert output.count("added to") == output.count("reads it already") == 1
    mine, line = (program / ".bashrc").read_text(encoding="utf-8").splitlines()
    assert mine == "# mine"
    bash = shell_or_skip("bash")
    check = f"{line}; complete -p headnote headnote-md"
    result = subprocess.run([bash, "--norc", "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout.count("-F _headnote_complete") == 2


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("zsh", ".local/share/headnote/completion.zsh"),
        ("fish", ".config/fish/completions/headnote.fish"),
        ("powershell", ".local/share/headnote/completion.ps1"),
    ],
)
def test_where_a_script_is_installed(shell: str, file: str, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell, "--install"]) == 0
    assert f"wrote {program / file}" in capsys.readouterr().out
    assert (program / file).read_text(encoding="utf-8") == SCRIPTS[shell]


def test_the_profile_of_powershell_reads_the_script(program: Path) -> None:
    assert main(["completion", "pwsh", "--install"]) == 0
    script = program / ".local/share/headnote/completion.ps1"
    line = f"if (Test-Path '{script}') {{ . '{script}' }}"
    assert (program / ".config/powershell/profile.ps1").read_text(encoding="utf-8") == f"{line}\n"


def test_a_startup_file_in_any_encoding_keeps_its_bytes(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = "# für mich".encode("latin-1")
    (program / ".bashrc").write_bytes(mine)
    for _ in range(2):
        assert main(["completion", "bash", "--install"]) == 0
    assert "reads it already" in capsys.readouterr().out
    written = (program / ".bashrc").read_bytes()
    assert written.startswith(mine + b"\n[ -f ")
    assert written.count(b"\n") == 2


def test_an_installed_line_bears_a_quotation_mark_in_its_path(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(program / "o'brien's $(data)"))
    assert main(["completion", "bash", "--install"]) == 0
    check = '. "$HOME/.bashrc" && complete -p headnote'
    result = subprocess.run([shell_or_skip("bash"), "--norc", "-c", check], capture_output=True, text=True, check=True)
    assert "-F _headnote_complete" in result.stdout


def test_a_startup_file_that_cannot_be_written_is_left_to_you(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (program / ".bashrc").mkdir()
    assert main(["completion", "bash", "--install"]) == 2
    error = capsys.readouterr().err
    script = program / ".local/share/headnote/completion.bash"
    assert f"{program / '.bashrc'}: cannot be changed: is a directory" in error
    assert f"(add this line to it: [ -f {script} ] && . {script})" in error


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", 'eval "$(headnote completion bash)"'),
        ("zsh", 'eval "$(headnote completion zsh)"'),
        ("fish", "headnote completion fish | source"),
        ("powershell", "headnote completion powershell | Out-String | Invoke-Expression"),
    ],
)
def test_a_script_that_cannot_be_written_is_left_to_you(
    shell: str, line: str, program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program / "file").touch()
    monkeypatch.setenv("HOME", str(program / "file"))
    assert main(["completion", shell, "--install"]) == 2
    error = capsys.readouterr().err
    assert "cannot be written: not a directory" in error
    assert line in error


def test_the_shell_in_use_is_the_default(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert main(["completion"]) == 0
    assert capsys.readouterr().out == SCRIPTS["fish"]
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert main(["completion"]) == 2
    assert "unknown shell 'tcsh' (use bash, zsh, fish, powershell)" in capsys.readouterr().err


# Laws


@given(st.lists(st.text("ab c'\"\\#\t", min_size=1), max_size=4))
def test_quoted_words_come_back(words: list[str]) -> None:
    assert read_line(f"{shlex.join(words)} ") == (words, "", "")


@given(st.text("ab '\"\\"))
def test_any_line_can_be_read(line: str) -> None:
    assert read_line(line).quote in ("", "'", '"')


@given(st.sets(st.text("ab/", min_size=1)), st.text("ab/", max_size=2))
def test_steps_lead_to_every_path(paths: set[str], start: str) -> None:
    steps = next_steps(sorted(paths), start)
    assert len(steps) == len(set(steps))
    for path in paths:
        assert path.startswith(start) == any(
            path == step or path.startswith(step) for step in steps if step.startswith(start)
        )


def test_the_names_of_commands_load_none_of_them() -> None:
    report = (
        "[name for name in sys.modules if name.startswith(('headnote.cli.search', 'headnote.api', 'numpy', 'rich'))]"
    )
    code = f"""
import os, sys
os.environ.update(_HEADNOTE_COMPLETE="bash_complete", _HEADNOTE_LINE="headnote se")
sys.argv = ["headnote"]
from headnote.cli.main import run
try:
    run()
except SystemExit:
    sys.stderr.write(str({report}))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("values\nsearch\nserve\n", "[]")

"""`headnote completion`: what makes a shell complete commands, options and their values."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

from headnote.cli import choices
from headnote.cli.command import Argument, Command
from headnote.cli.terminal import StyledText, write_lines
from headnote.errors import HeadnoteError, SettingsError, reason_of

# -- The scripts that connect a shell with `headnote`: they pass on the line, and offer what comes back.


BASH = r"""# headnote in bash
_headnote_complete() {
    local kind line
    COMPREPLY=()
    {
        read -r kind
        case $kind in
            folders) compopt -o dirnames 2>/dev/null ;;
            files) compopt -o default 2>/dev/null ;;
            *) while IFS= read -r line; do COMPREPLY+=("$line"); done ;;
        esac
    } < <(_HEADNOTE_COMPLETE=bash_complete _HEADNOTE_LINE="${COMP_LINE:0:COMP_POINT}" \
        _HEADNOTE_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
    # After a folder, or `openai:`, one goes on typing.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o nosort -F _headnote_complete headnote headnote-md 2>/dev/null ||
    complete -F _headnote_complete headnote headnote-md
"""

ZSH = r"""#compdef headnote headnote-md
# headnote in zsh
_headnote_complete() {
    local -a lines names shown beginnings
    local line value
    lines=("${(@f)$(_HEADNOTE_COMPLETE=zsh_complete \
        _HEADNOTE_LINE="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" "$words[1]" 2>/dev/null)}")
    case $lines[1] in
        folders) _path_files -/; return ;;
        files) _files; return ;;
    esac
    compset -P '--*='
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*}
        if [[ $value == *[/:] ]]; then
            beginnings+=("$value")
        elif [[ -n $value ]]; then
            names+=("$value")
            shown+=("${line/$'\t'/  }")
        fi
    done
    if (( $#beginnings )); then compadd -V beginnings -S '' -a beginnings; fi
    if (( $#names )); then compadd -V values -l -d shown -a names; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
compdef _headnote_complete headnote headnote-md
"""

FISH = r"""# headnote in fish
function _headnote_complete
    set -l program (commandline -opc)[1]
    set -l line (commandline -cp | string collect)
    set -l lines (env _HEADNOTE_COMPLETE=fish_complete _HEADNOTE_LINE=$line $program 2>/dev/null)
    switch "$lines[1]"
        case folders
            __fish_complete_directories (commandline -ct)
        case files
            __fish_complete_path (commandline -ct)
        case '*'
            test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
    end
end
complete --no-files --command headnote --arguments '(_headnote_complete)'
complete --no-files --command headnote-md --arguments '(_headnote_complete)'
"""

POWERSHELL = r"""# headnote in PowerShell
Register-ArgumentCompleter -Native -CommandName headnote, headnote-md -ScriptBlock {
    param($word, $line, $cursor)
    $typed = $cursor - $line.Extent.StartOffset
    $env:_HEADNOTE_COMPLETE = 'powershell_complete'
    $env:_HEADNOTE_LINE = $line.ToString().PadRight($typed).Substring(0, $typed)
    try { $lines = @(& $line.CommandElements[0].Extent.Text 2>$null) }
    finally { Remove-Item Env:_HEADNOTE_COMPLETE, Env:_HEADNOTE_LINE }
    # Where nothing comes back, PowerShell offers files and folders.
    if ($lines.Count -lt 2) { return }
    $lines[1..($lines.Count - 1)] | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH, "powershell": POWERSHELL}


# -- `headnote completion`


SHELLS = tuple(SCRIPTS)
_PLAIN = re.compile(r"[\w@%+=:,./-]")
"""What needs no backslash on a command line."""


@click.command(
    "completion",
    cls=Command,
    examples=[
        ("for this shell, now and from now on", "headnote completion bash --install"),
        ("only in this window", 'eval "$(headnote completion bash)"'),
        ("in PowerShell", "headnote completion powershell --install"),
        ("to look at it", "headnote completion fish"),
    ],
)
@click.argument(
    "shell",
    cls=Argument,
    required=False,
    about=f"{', '.join(SHELLS)}; the one in SHELL by default, on Windows powershell.",
    shell_complete=choices.words(*SHELLS),
)
@click.option("--install", is_flag=True, help="Add it to your shell instead of printing it.")
def completion_command(shell: str | None, install: bool) -> None:
    """Make your shell complete commands, options and values.

    Values are completed too: modes, presets, models, tags and documents of the index, folders and files. Nothing is
    built or changed while you type.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name or ("powershell" if os.name == "nt" else "")
    name = {"pwsh": "powershell"}.get(name, name)
    if name not in SCRIPTS:
        problem = f"unknown shell {name!r}" if name else "which shell?"
        raise SettingsError(problem, remedy=f"use {', '.join(SHELLS)}")
    if not install:
        click.echo(SCRIPTS[name], nl=False)
        return
    write_lines([StyledText(line)] for line in install_script(name))


def install_script(shell: str) -> list[str]:
    """Write the script where the shell finds it, and say what was done."""
    file = _script_file(shell)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SCRIPTS[shell], encoding="utf-8")
    except OSError as error:
        remedy = f"add this line to the startup file of {shell}: {_by_hand(shell)}"
        raise HeadnoteError(f"cannot be written: {reason_of(error)}", path=str(file), remedy=remedy) from None
    said = [f"wrote {file}"]
    if shell != "fish":
        said.append(_source(file, _startup_file(shell)))
    return [*said, f"open a new {shell}, then press Tab after: headnote search --"]


def _by_hand(shell: str) -> str:
    """The line that lets a shell ask headnote itself for the script."""
    lines = {
        "fish": "headnote completion fish | source",
        "powershell": "headnote completion powershell | Out-String | Invoke-Expression",
    }
    return lines.get(shell, f'eval "$(headnote completion {shell})"')


def _script_file(shell: str) -> Path:
    if shell == "fish":
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return settings / "fish" / "completions" / "headnote.fish"
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "headnote" / f"completion.{'ps1' if shell == 'powershell' else shell}"


def _startup_file(shell: str) -> Path:
    if shell == "zsh":
        return Path(os.environ.get("ZDOTDIR") or Path.home()) / ".zshrc"
    if shell == "powershell":  # the profile of PowerShell 7 for all hosts
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return (
            Path.home() / "Documents" / "PowerShell" if os.name == "nt" else settings / "powershell"
        ) / "profile.ps1"
    return Path.home() / ".bashrc"


def _source(file: Path, startup: Path) -> str:
    """Let the shell read the file when it starts. What the startup file has may be in any encoding, and stays."""
    quoted = shlex.quote(str(file))
    line = f"[ -f {quoted} ] && . {quoted}"
    if startup.suffix == ".ps1":
        quoted = "'" + str(file).replace("'", "''") + "'"
        line = f"if (Test-Path {quoted}) {{ . {quoted} }}"
    try:
        if not _add_line(startup, os.fsencode(line)):
            return f"{startup} reads it already"
    except OSError as error:
        remedy = f"add this line to it: {line}"
        raise HeadnoteError(f"cannot be changed: {reason_of(error)}", path=str(startup), remedy=remedy) from None
    return f"added to {startup}: {line}"


def _add_line(file: Path, line: bytes) -> bool:
    """Append a line to a file unless it has it, and return whether that was done."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+b") as stream:
        stream.seek(0)
        written = stream.read()
        if line in written.splitlines():
            return False
        stream.write((b"" if not written or written.endswith(b"\n") else b"\n") + line + b"\n")
    return True


# What a shell asks


class Typed(NamedTuple):
    """A command line up to the cursor."""

    words: list[str]
    """Complete words, without their quotes."""
    incomplete: str
    """The word at the cursor; empty if there is none yet."""
    quote: str
    """The quotation mark that is still open; empty if there is none."""


def read_line(line: str, escape: str = "\\") -> Typed:
    """Take a command line apart as a shell does that has this character before one that means nothing special."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    characters = iter(line)
    for character in characters:
        if character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote, word = character, word or ""
        elif character == escape and quote != "'":
            word = (word or "") + next(characters, "")
        elif character.isspace() and not quote:
            words += [word] if word is not None else []
            word = None
        else:
            word = (word or "") + character
    return Typed(words, word or "", quote)


class _Shell(ShellComplete):
    """Answers with lines: `values`, `folders` or `files`, then the values. A failure is no line on the screen."""

    escape = "\\"

    @property
    def source_template(self) -> str:  # type: ignore[override]
        return SCRIPTS[self.name].replace("%", "%%")

    def complete(self) -> str:
        typed = read_line(os.environ.get("_HEADNOTE_LINE", ""), self.escape)
        try:
            items = self.get_completions(_after_program(typed.words), typed.incomplete)
        except Exception:  # noqa: BLE001  whatever is wrong, who presses a key asked for no message
            return "values"
        kinds = {item.type for item in items}
        for kind, name in (("dir", "folders"), ("file", "files")):
            if kind in kinds:
                return name
        return "\n".join(["values", *(self.line(item, typed) for item in items)])

    def line(self, item: CompletionItem, typed: Typed) -> str:  # noqa: ARG002
        return f"{item.value}\t{item.help}" if item.help else str(item.value)


class _Bash(_Shell):
    name = "bash"

    def line(self, item: CompletionItem, typed: Typed) -> str:
        """The part of the value that bash replaces, as it is typed."""
        start = _value_of(typed.incomplete)
        breaks = "" if typed.quote else os.environ.get("_HEADNOTE_BREAKS", "")
        known = max((start.rfind(mark) + 1 for mark in ":=" if mark in breaks), default=0)
        value = str(item.value)[known:]
        return value if typed.quote else "".join(one if _PLAIN.match(one) else f"\\{one}" for one in value)


class _Zsh(_Shell):
    name = "zsh"


class _Fish(_Shell):
    name = "fish"

    def line(self, item: CompletionItem, typed: Typed) -> str:
        """The whole word: fish does not take `--option=` away."""
        return _option_of(typed) + super().line(item, typed)


class _PowerShell(_Shell):
    name = "powershell"
    escape = "`"

    def line(self, item: CompletionItem, typed: Typed) -> str:
        """The whole word, in quotation marks where PowerShell would read more than a word."""
        value = _option_of(typed) + str(item.value)
        word = value if re.fullmatch(r"[\w+=:./\\-]+", value) else "'" + value.replace("'", "''") + "'"
        return f"{word}\t{item.help}" if item.help else word


def _after_program(words: list[str]) -> list[str]:
    """Without the name of the program, and what may stand before it: `NO_COLOR=1 headnote`."""
    names = (number for number, word in enumerate(words) if Path(word).name.startswith("headnote"))
    return words[next(names, 0) + 1 :]


def _value_of(incomplete: str) -> str:
    """`key` of `--mode=key`, otherwise the word itself."""
    return incomplete.partition("=")[2] if re.match(r"--[\w-]+=", incomplete) else incomplete


def _option_of(typed: Typed) -> str:
    """`--mode=` of `--mode=key`."""
    return typed.incomplete.removesuffix(_value_of(typed.incomplete))


for _class in (_Bash, _Zsh, _Fish, _PowerShell):
    add_completion_class(_class)

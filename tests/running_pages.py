"""Runs a page of the documentation from top to bottom in an empty folder, as a reader would.

A fence with a name after the language, ```` ```markdown guide.md ````, is a file. `python` is executed, and the `text`
after it is what it prints. `console` has commands after `$ ` and what each prints. `sql` goes to the database of the
page. Every other fence is only read.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import headnote
from headnote.cli.main import main
from headnote.model import Block

HOME = "/home/me"
"""What pages call the folder in which they run."""

_VARYING = re.compile(
    r"""
      \d+(\.\d+)?(?=\ (s|ms|kB|MB)\b)     # times, sizes on disk
    | \(\d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d\)   # moments
    | (?<=process\ )\d+                  # numbers of processes
    | \b[0-9a-f]{64}\b                   # checksums of packs
    | (?<===)[0-9a-f]{8}(?===)           # the marks around quotations for agents
    """,
    re.VERBOSE,
)
"""What differs from run to run."""


class Fence(NamedTuple):
    block: Block
    language: str
    name: str
    content: str


class Database(NamedTuple):
    """The database of a page."""

    shown: str
    """Its host and name as the page writes them."""
    real: str
    execute: Callable[[str], None]

    def to_real(self, text: str) -> str:
        return text.replace(self.shown, self.real)

    def to_shown(self, text: str) -> str:
        return text.replace(f"{self.real}&", f"{self.shown}?").replace(self.real, self.shown)


NO_DATABASE = Database(shown="postgresql://", real="postgresql://", execute=lambda _: None)


def fences(text: str) -> list[Fence]:
    found = []
    for block in headnote.parse(text):
        if block.kind == "code" and block.info:
            language, _, name = block.info.partition(" ")
            content = "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1])
            found.append(Fence(block=block, language=language, name=name, content=content))
    return found


class Page:
    """One page, run once."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder = folder
        self._database = database
        self._namespace: dict[str, Any] = {"__name__": "__main__"}
        self._printed: str | None = None

    def run(self, text: str) -> str:
        """The page with the current output of everything in it."""
        pieces, done = [], 0
        with settled_in(self._folder):
            for fence in fences(text):
                new = self._content_of(fence)
                if new is not None and not same(new, fence.content):
                    at = text.index(fence.content, fence.block.start) if fence.content else fence.block.end - 3
                    pieces += [text[done:at], new]
                    done = at + len(fence.content)
        return "".join([*pieces, text[done:]])

    def _content_of(self, fence: Fence) -> str | None:
        """What the fence must contain; None if it may contain anything."""
        printed, self._printed = self._printed, None
        if fence.name:
            self._write(fence)
        elif fence.language == "python":
            self._printed = self._executed(fence.content)
        elif fence.language == "text" and printed is not None:
            return printed
        elif fence.language == "sql":
            self._database.execute(fence.content)
        elif fence.language == "console":
            return "".join(self._session(fence.content))
        return None

    def _write(self, fence: Fence) -> None:
        file = self._folder / fence.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(fence.content, encoding="utf-8")

    def _executed(self, code: str) -> str:
        with recorded() as output:
            exec(compile(self._database.to_real(code), "page", "exec"), self._namespace)
        return self._as_shown(output.getvalue())

    def _session(self, content: str) -> Iterator[str]:
        for given in re.findall(r"^\$ (.*(?:\\\n.*)*)", content, re.MULTILINE):
            yield f"$ {given}\n"
            with recorded() as output:
                COMMANDS[shlex.split(given)[0]](shlex.split(self._database.to_real(given.replace("\\\n", "")))[1:])
            yield self._as_shown(output.getvalue())

    def _as_shown(self, output: str) -> str:
        for folder in {str(self._folder.resolve()), str(self._folder)}:
            output = output.replace(folder, HOME)
        return self._database.to_shown(output)


def export(arguments: list[str]) -> None:
    for argument in arguments:
        name, _, value = argument.partition("=")
        os.environ[name] = value


def echo(arguments: list[str]) -> None:
    """`echo TEXT >> FILE`."""
    text, append, file = arguments
    assert append == ">>"
    with Path(file).open("a", encoding="utf-8") as opened:
        opened.write(f"{text}\n")


COMMANDS: dict[str, Callable[[list[str]], object]] = {
    "headnote": main,
    "export": export,
    "echo": echo,
    "cd": lambda arguments: os.chdir(arguments[0]),
    "cp": lambda arguments: shutil.copytree(arguments[1], arguments[2]),
    "mv": lambda arguments: shutil.move(arguments[0], arguments[1]),
    "rm": lambda arguments: Path(arguments[0]).unlink(),
}
"""What a page may type. It works on every system."""


def same(one: str, other: str) -> bool:
    """Whether two outputs differ only in what is different in every run."""
    return _VARYING.sub("…", one) == _VARYING.sub("…", other)


@contextlib.contextmanager
def settled_in(folder: Path) -> Iterator[None]:
    """In the folder, without anybody's settings, and with the model that everybody has."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEADNOTE_", "OPENAI_"))}
    own = {"NO_COLOR": "1", "HEADNOTE_EMBEDDER": "instant", "HEADNOTE_HOMES": str(folder / ".homes")}
    own |= {"HEADNOTE_CONFIG_FOLDER": str(folder / ".user")}
    environment = mock.patch.dict(os.environ, kept | own, clear=True)
    with environment, contextlib.chdir(folder):
        yield


@contextlib.contextmanager
def recorded() -> Iterator[io.StringIO]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output

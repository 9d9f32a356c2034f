"""A folder that changes at random in every way a folder can, and the settings it is indexed with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from index_states import put_file

from headnote.store.sqlite.store import FOLDER

NAMES = "alpha beta gamma index README".split()
FOLDERS = ("", "docs/", "docs/deep/", "notes/")
SUFFIXES = (".md", ".md", ".md", ".mdx", ".txt")
HEADINGS = ("Setup", "Usage", "Setup", "Über uns", "C++ & more", "Options {#opts}", "Alpha")
WORDS = "cluster node pod service volume network policy label selector image container state 猫の手 config_map".split()
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"max_tokens": 64},
    {"max_tokens": 128, "overlap_tokens": 20},
    {"preset": "ragdocs"},
    {"frontmatter": "include"},
    {"mdx": True},
    {"include": ["docs/**"]},
    {"exclude": ["*.txt", "notes/"]},
    {"max_file_bytes": 900},
)
EMBEDDERS = ("hashing:16", "hashing:16", "hashing:24", "none")


class ChangingFolder:
    """Each change has a time of its own, as changes made by people have."""

    def __init__(self, root: Path, random: Random) -> None:
        self.root = root
        self.random = random
        self.settings: dict[str, Any] = {}
        self.embedder = "hashing:16"
        self.log: list[str] = []
        """What was done, to be read when a test fails."""
        self._clock = 0
        root.mkdir(parents=True)
        for _ in range(4):
            self.add()

    def change(self) -> None:
        operations: list[Callable[[], None]] = [
            *(self.add, self.edit, self.edit, self.rename, self.rename, self.delete, self.touch, self.copy, self.swap),
            *(self.rename_and_edit, self.move_over, self.rename_folder, self.edit_heading, self.edit_alias),
            *(self.garble, self.ignore, self.configure, self.choose_embedder),
        ]
        operation = self.random.choice(operations)
        before = len(self.log)
        operation()
        if len(self.log) == before:
            self.log.append(f"{operation.__name__}: nothing to do")

    # -- files

    def add(self) -> None:
        self._write(self._new_name(), self._text().encode())

    def edit(self) -> None:
        if file := self._any_file():
            text = file.read_bytes() if self.random.random() < 0.6 else b""
            more = self._paragraph().encode()
            self._write(file, text + b"\n\n" + more if self.random.random() < 0.5 else more + b"\n\n" + text)

    def edit_heading(self) -> None:
        """Links to a section elsewhere begin or cease to lead somewhere."""
        if file := self._any_file():
            lines = file.read_bytes().split(b"\n")
            at = [number for number, line in enumerate(lines) if line.startswith(b"#")]
            if at:
                lines[self.random.choice(at)] = f"## {self.random.choice(HEADINGS)}".encode()
                self._write(file, b"\n".join(lines))

    def edit_alias(self) -> None:
        if file := self._any_file():
            body = file.read_bytes()
            if body.startswith(b"---\n") and b"\n---\n" in body:
                body = body.partition(b"\n---\n")[2]
            self._write(file, self._frontmatter().encode() + body)

    def rename(self) -> None:
        if file := self._any_file():
            self._move(file, self._new_name(file.suffix if self.random.random() < 0.8 else None))

    def rename_and_edit(self) -> None:
        if file := self._any_file():
            new = self._new_name(file.suffix)
            self._move(file, new)
            self._write(new, new.read_bytes() + b"\n\nedited\n")

    def move_over(self) -> None:
        one, other = self._any_file(), self._any_file()
        if one and other and one != other:
            self._move(one, other)

    def rename_folder(self) -> None:
        here, there = self.root / "docs", self.root / "moved"
        if there.exists():
            here, there = there, here
        if here.exists() and not there.exists():
            self._move(here, there)

    def delete(self) -> None:
        if file := self._any_file():
            file.unlink()
            self._note("delete", file)

    def touch(self) -> None:
        if file := self._any_file():
            self._write(file, file.read_bytes())

    def copy(self) -> None:
        if file := self._any_file():
            new = self._new_name(file.suffix)
            if new == file:
                return
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, new)
            if self.random.random() < 0.5:
                self._write(new, new.read_bytes())
            self._note("copy", file, new)

    def swap(self) -> None:
        one, other = self._any_file(), self._any_file()
        if one and other and one != other:
            aside = self.root / "aside.tmp"
            one.rename(aside)
            other.rename(one)
            aside.rename(other)
            self._note("swap", one, other)

    def garble(self) -> None:
        """No text any more, or text in an encoding that must be guessed."""
        if file := self._any_file():
            self._write(file, self.random.choice((bytes(range(32)) * 20, b"caf\xe9 in an old encoding\n", b"")))

    # -- what tests need of them

    def ignore(self) -> None:
        rules = self.root / ".headnoteignore"
        if rules.exists():
            rules.unlink()
        else:
            rules.write_text(self.random.choice(("notes/\n", "alpha*\n", "*.mdx\n")), encoding="utf-8")
        self._note("ignore", rules)

    def configure(self) -> None:
        self.settings = self.random.choice(SETTINGS)
        self.log.append(f"settings {self.settings}")

    def choose_embedder(self) -> None:
        self.embedder = self.random.choice(EMBEDDERS)
        self.log.append(f"embedder {self.embedder}")

    # -- how

    def _any_file(self) -> Path | None:
        files = [file for file in sorted(self.root.rglob("*")) if file.is_file() and FOLDER not in file.parts]
        files = [file for file in files if file.suffix in SUFFIXES]
        return self.random.choice(files) if files else None

    def _new_name(self, suffix: str | None = None) -> Path:
        random = self.random
        stem = random.choice((*NAMES, f"page{random.randrange(20)}"))
        return self.root / f"{random.choice(FOLDERS)}{stem}{suffix or random.choice(SUFFIXES)}"

    def _write(self, file: Path, data: bytes) -> None:
        self._clock += 1
        put_file(file, data, self._clock)
        self._note("write", file)

    def _move(self, here: Path, there: Path) -> None:
        there.parent.mkdir(parents=True, exist_ok=True)
        # Over another file, as a save does; its time goes with it.
        os.replace(here, there)  # noqa: PTH105
        self._note("move", here, there)

    def _note(self, what: str, *files: Path) -> None:
        self.log.append(" ".join([what, *(file.relative_to(self.root).as_posix() for file in files)]))

    def _text(self) -> str:
        random = self.random
        parts = [self._frontmatter() if random.random() < 0.4 else ""]
        for _ in range(random.randint(0, 5)):
            if random.random() < 0.6:
                parts.append(f"{'#' * random.randint(1, 3)} {random.choice(HEADINGS)}")
            parts.append(self._paragraph())
        return "\n\n".join(parts)

    def _frontmatter(self) -> str:
        random = self.random
        lines = [f"aliases: [{random.choice(('Another', 'alpha', 'Mr. X'))}]", f"tags: [{random.choice('abc')}]"]
        if random.random() < 0.4:
            lines.append(f"title: {random.choice(HEADINGS)}")
        if random.random() < 0.1:
            lines.append("bad: [")
        return "---\n" + "\n".join(lines) + "\n---\n"

    def _paragraph(self) -> str:
        random = self.random
        words = [random.choice(WORDS) for _ in range(random.randint(3, 60))]
        for _ in range(random.randint(0, 3)):
            words.insert(random.randrange(len(words)), self._link())
        return " ".join(words)

    def _link(self) -> str:
        random = self.random
        name = random.choice((*NAMES, "docs", "deep/alpha", "docs/beta"))
        section = random.choice(("", "", "#setup", "#Usage", "#opts", "#Setup#Options", "#über-uns"))
        forms = (
            *(f"[x]({name}.md{section})", f"[x](/docs/{name}{section})", f"[x](../{name}/{section})"),
            *(f"[[{name}{section}]]", f"[[Another{section}]]", "[[Mr. X]]", f"![[{name}]]", "![p](p.png)"),
            *(f"[x]({section or '#setup'})", "<https://example.com>", "#tag"),
        )
        return random.choice(forms)

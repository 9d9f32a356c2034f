"""The lines of an ignore file → a verdict on every name below it, as git would give it.

A verdict is about one file or folder, never about its content: a walk does not enter an ignored folder, and that is how
a rule reaches everything below. The last matching line decides, and `!` brings a name back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from headnote.sources.globs import NeverMatches, glob_regex, is_literal

UTF8_MARK = b"\xef\xbb\xbf"

# Made or downloaded by tools, never written by people.
FETCHED_FOLDERS = frozenset(b"node_modules bower_components __pycache__ venv virtualenv site-packages".split())
_MAKE = frozenset("Makefile makefile GNUmakefile make.bat".split())
_PYTHON = frozenset("pyproject.toml setup.py setup.cfg".split())
# Name of a folder → files whose tools make it beside themselves. People write in folders with these names, too: without
# such a file they are folders like any other, and with one, leaving them out is reported.
OUTPUT_FOLDERS = {
    b"target": frozenset("Cargo.toml pom.xml build.sbt build.sc project.clj dbt_project.yml".split()),
    b"build": _MAKE
    | _PYTHON
    | frozenset("package.json CMakeLists.txt meson.build build.gradle build.gradle.kts build.xml pubspec.yaml".split()),
    b"dist": _MAKE | _PYTHON | frozenset("package.json angular.json .goreleaser.yml .goreleaser.yaml".split()),
    b"_build": _MAKE
    | frozenset("conf.py _config.yml _toc.yml myst.yml mix.exs rebar.config dune-project dune-workspace".split()),
}
# Not even `.headnoteignore` brings these back: their content belongs to programs.
PRIVATE_FOLDERS = frozenset(b".git .headnote".split())

_NOTHING: Mapping[bytes, str] = MappingProxyType({})

Verdict = Literal["", "own", "git", "hidden", "fetched", "output", "private"]
"""Why a name is ignored: by a line of our own ignore file or of git's, because it begins with a dot, is downloaded or
made by tools, or because programs own it. Empty: it is not ignored."""


class Pattern(NamedTuple):
    glob: bytes
    brings_back: bool
    folders_only: bool
    by_path: bool
    """It has a slash, so it is compared with the path from the folder of the ignore file, not with the bare name."""


class Rules:
    """The patterns of one ignore file, or of one list of globs in the settings."""

    def __init__(self, patterns: Sequence[Pattern], folder: bytes = b"") -> None:
        """`folder` is where the rules are, with a slash at the end, or empty for the top. All paths count from the top;
        only paths in the folder are looked up."""
        self._patterns = patterns
        self._cut = len(folder)

    def verdict(self, name: bytes, path: bytes, is_folder: bool) -> bool | None:
        """True to ignore, False to bring back, None if no pattern says anything. `name` is the last part of `path`."""
        table = self._for_folders if is_folder else self._for_files
        number = table.last_match(name, path[self._cut :])
        return None if number < 0 else not self._patterns[number].brings_back

    @cached_property
    def _for_folders(self) -> _Table:
        return _Table(enumerate(self._patterns))

    @cached_property
    def _for_files(self) -> _Table:
        return _Table((at, pattern) for at, pattern in enumerate(self._patterns) if not pattern.folders_only)


class _Table:
    """Numbered patterns, arranged so that a name is looked up instead of being compared with each of them."""

    def __init__(self, patterns: Iterable[tuple[int, Pattern]]) -> None:
        self._names: dict[bytes, int] = {}
        self._paths: dict[bytes, int] = {}
        self._endings: dict[bytes, int] = {}
        name_globs: list[tuple[int, bytes]] = []
        path_globs: list[tuple[int, bytes]] = []
        for at, pattern in patterns:
            if is_literal(pattern.glob):
                (self._paths if pattern.by_path else self._names)[pattern.glob] = at
            elif pattern.by_path:
                path_globs.append((at, pattern.glob))
            elif pattern.glob.startswith(b"*") and is_literal(pattern.glob[1:]):
                self._endings[pattern.glob[1:]] = at  # `*.log`: half of all globs, and no regex is as fast
            else:
                name_globs.append((at, pattern.glob))
        self._any_ending = tuple(self._endings)
        self._name_globs = _Alternatives(name_globs) if name_globs else None
        self._path_globs = _Alternatives(path_globs) if path_globs else None

    def last_match(self, name: bytes, path: bytes) -> int:
        """The number of the pattern, or -1."""
        last = self._names.get(name, -1)
        if self._paths:
            last = max(last, self._paths.get(path, -1))
        if name.endswith(self._any_ending):
            last = max(last, *(at for ending, at in self._endings.items() if name.endswith(ending)))
        if self._name_globs:
            last = max(last, self._name_globs.last_match(name))
        if self._path_globs:
            last = max(last, self._path_globs.last_match(path))
        return last


class _Alternatives:
    """Globs as one regex. The last glob comes first, because a regex takes the first alternative that matches."""

    def __init__(self, globs: list[tuple[int, bytes]]) -> None:
        self._numbers: list[int] = []
        alternatives: list[bytes] = []
        for at, glob in reversed(globs):
            try:
                alternatives.append(b"(" + glob_regex(glob) + b")")
            except NeverMatches:
                continue
            self._numbers.append(at)
        self._regex = re.compile(b"|".join(alternatives), re.DOTALL) if alternatives else None

    def last_match(self, text: bytes) -> int:
        match = self._regex.fullmatch(text) if self._regex else None
        return self._numbers[match.lastindex - 1] if match and match.lastindex else -1


class Scope(NamedTuple):
    """All ignore files that apply to one folder, the nearest first."""

    own: tuple[Rules, ...] = ()
    """`.headnoteignore`: the last word."""
    git: tuple[Rules, ...] = ()
    """`.gitignore`, and the repository's `info/exclude`."""
    outputs: Mapping[bytes, str] = _NOTHING
    """Folders in it that are build output, see `outputs_beside`. Those of another folder do not count here."""

    def with_rules(self, own: Rules | None, git: Rules | None) -> Scope:
        """The scope of a folder that has ignore files itself."""
        return self._replace(own=(own, *self.own) if own else self.own, git=(git, *self.git) if git else self.git)

    def verdict(self, name: bytes, path: bytes, is_folder: bool) -> Verdict:
        """As `Rules` takes them."""
        if is_folder and name in PRIVATE_FOLDERS:
            return "private"
        if self.own and (own := _first_verdict(self.own, name, path, is_folder)) is not None:
            return "own" if own else ""
        if self.git and _first_verdict(self.git, name, path, is_folder):
            return "git"
        if name.startswith(b"."):
            return "hidden"
        if not is_folder:
            return ""
        return "fetched" if name in FETCHED_FOLDERS else "output" if name in self.outputs else ""


def outputs_beside(names: Collection[str]) -> Mapping[bytes, str]:
    """Of the names in a folder, those of folders that are build output → the file beside them that says so."""
    return {
        folder: min(makers)
        for folder, known in OUTPUT_FOLDERS.items()
        if os.fsdecode(folder) in names and (makers := known.intersection(names))
    }


def _first_verdict(chain: tuple[Rules, ...], name: bytes, path: bytes, is_folder: bool) -> bool | None:
    for rules in chain:
        verdict = rules.verdict(name, path, is_folder)
        if verdict is not None:
            return verdict
    return None


def parse_ignore_file(data: bytes) -> list[Pattern]:
    lines = data.removeprefix(UTF8_MARK).split(b"\n")
    return [pattern for line in lines if (pattern := _pattern(line.removesuffix(b"\r")))]


def parse_globs(globs: Iterable[str]) -> list[Pattern]:
    """Globs from the settings, read like lines of an ignore file. A leading `./`, which git would not understand, is
    dropped."""
    lines = (glob.removeprefix("./").encode("utf-8", "surrogateescape") for glob in globs)
    return [pattern for line in lines if (pattern := _pattern(line))]


def _pattern(line: bytes) -> Pattern | None:
    glob = b"" if line.startswith(b"#") else _without_trailing_spaces(line.partition(b"\0")[0])
    brings_back = glob.startswith(b"!")
    glob = glob[brings_back:]
    folders_only = glob.endswith(b"/")
    glob = glob[: len(glob) - folders_only]
    if not glob:
        return None
    by_path = b"/" in glob
    return Pattern(glob.removeprefix(b"/"), brings_back, folders_only, by_path)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Trailing spaces are dropped, except one after a backslash."""
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    held = backslashes % 2 == 1 and len(stripped) < len(line)
    return line[: len(stripped) + held]

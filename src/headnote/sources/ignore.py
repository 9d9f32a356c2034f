"""The lines of an ignore file → a verdict on every name below it, as git would give it.

A verdict is about one file or folder itself, never about what lies in it: whoever walks does not enter a folder that
is ignored, and that is how a rule reaches everything below. The last line that fits decides, and `!` brings back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from headnote.sources.globs import NeverMatches, glob_regex, is_literal

UTF8_MARK = b"\xef\xbb\xbf"

# What tools made or fetched, and never what people wrote.
FETCHED_FOLDERS = frozenset(b"node_modules bower_components __pycache__ venv virtualenv site-packages".split())
# Usual names of build output. People do write in folders of these names, so passing over one is reported.
BUILD_FOLDERS = frozenset(b"build _build dist target".split())
# Not even a rule of `.headnoteignore` brings these back: what is in there belongs to programs.
PRIVATE_FOLDERS = frozenset(b".git .headnote".split())


Verdict = Literal["", "rule", "usual", "private"]
"""Why a name is ignored: a line says so, such names usually are, or it is never looked at. Empty: it is not."""


class Pattern(NamedTuple):
    glob: bytes
    brings_back: bool
    folders_only: bool
    by_path: bool
    """It has a slash, so it is held against the path from the file's own folder and not against the bare name."""


class Rules:
    """The patterns of one ignore file, or of one list of globs in the settings."""

    def __init__(self, patterns: Sequence[Pattern], folder: bytes = b"") -> None:
        """`folder` is where the rules stand, with a slash at the end, or empty for the top. All paths count from the
        top; only those in the folder are ever asked about."""
        self._patterns = patterns
        self._cut = len(folder)

    def verdict(self, name: bytes, path: bytes, is_folder: bool) -> bool | None:
        """True to ignore, False to bring back, None if no pattern says anything. `name` is the last part of `path`."""
        table = self._for_folders if is_folder else self._for_files
        fitting = table.last_that_fits(name, path[self._cut :])
        return None if fitting < 0 else not self._patterns[fitting].brings_back

    @cached_property
    def _for_folders(self) -> _Table:
        return _Table(enumerate(self._patterns))

    @cached_property
    def _for_files(self) -> _Table:
        return _Table((at, pattern) for at, pattern in enumerate(self._patterns) if not pattern.folders_only)


class _Table:
    """Numbered patterns, arranged so that a name is looked up and not held against each of them in turn."""

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

    def last_that_fits(self, name: bytes, path: bytes) -> int:
        """The number of the pattern, or -1."""
        found = self._names.get(name, -1)
        if self._paths:
            found = max(found, self._paths.get(path, -1))
        if name.endswith(self._any_ending):
            found = max(found, *(at for ending, at in self._endings.items() if name.endswith(ending)))
        if self._name_globs:
            found = max(found, self._name_globs.last_that_fits(name))
        if self._path_globs:
            found = max(found, self._path_globs.last_that_fits(path))
        return found


class _Alternatives:
    """Globs as one regex. The last stands first in it, because the first alternative that fits is the one found."""

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

    def last_that_fits(self, text: bytes) -> int:
        match = self._regex.fullmatch(text) if self._regex else None
        return self._numbers[match.lastindex - 1] if match and match.lastindex else -1


class Scope(NamedTuple):
    """All ignore files that have a say in one folder, the nearest first."""

    own: tuple[Rules, ...] = ()
    """`.headnoteignore`: the last word."""
    git: tuple[Rules, ...] = ()
    """`.gitignore`, and the repository's `info/exclude`."""

    def with_rules(self, own: Rules | None, git: Rules | None) -> Scope:
        """The scope of a folder that has ignore files itself."""
        return Scope((own, *self.own) if own else self.own, (git, *self.git) if git else self.git)

    def verdict(self, name: bytes, path: bytes, is_folder: bool) -> Verdict:
        """As `Rules` takes them."""
        if is_folder and name in PRIVATE_FOLDERS:
            return "private"
        if self.own and (own := _first_verdict(self.own, name, path, is_folder)) is not None:
            return "rule" if own else ""
        if self.git and _first_verdict(self.git, name, path, is_folder):
            return "rule"
        return "usual" if is_usually_ignored(name, is_folder) else ""


def is_usually_ignored(name: bytes, is_folder: bool) -> bool:
    return name.startswith(b".") or (is_folder and (name in FETCHED_FOLDERS or name in BUILD_FOLDERS))


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
    """Globs from the settings: as a line of an ignore file would be read; a `./` in front, which git would not
    understand, says nothing."""
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
    """Spaces at the end go, except one that a backslash holds."""
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    held = backslashes % 2 == 1 and len(stripped) < len(line)
    return line[: len(stripped) + held]

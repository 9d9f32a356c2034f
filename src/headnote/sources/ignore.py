"""The lines of an ignore file → a verdict on every name below it, as git would give it.

A verdict is about one file or folder, never about its content: a walk does not enter an ignored folder, and that is how
a rule reaches everything below. The last matching line decides, and `!` brings a name back.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

# -- One glob of an ignore file → one regex that decides as git does.
#
# Git compares bytes, so `?` is one byte and not one letter, and names that are no UTF-8 are names like any other. No
# glob makes the regex try a name in more than a few ways: what stands before a later star is settled where it first
# fits, which loses nothing because everything between two stars has a fixed size.


SPECIAL = b"*?[\\"
SLASH = b"/"
STAR = b"*"
DEEP = b"**"
"""Tokens of a glob that are not one character; every other token is the regex of exactly one."""

MAX_RULE_CHARS = 4096
"""Bytes of a glob. No path is longer where it matters, and compiling a line of megabytes would take minutes."""

_ANY_BYTE = b"[^/]"
_ANY_NAME = b"[^/]*"
_ANY_FOLDERS = b"(?:[^/]*/)*"

_CLASSES = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, [*range(0x20), 0x7F])),
    b"digit": string.digits,
    b"graph": "".join(map(chr, range(0x21, 0x7F))),
    b"lower": string.ascii_lowercase,
    b"print": "".join(map(chr, range(0x20, 0x7F))),
    b"punct": string.punctuation,
    b"space": " \t\n\r",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}


class NeverMatches(Exception):
    """A glob that matches no name, such as a bracket that is never closed. Git ignores it silently."""


def is_literal(glob: bytes) -> bool:
    return not any(sign in glob for sign in SPECIAL)


def glob_regex(glob: bytes) -> bytes:
    """A regex for `fullmatch` with DOTALL, without groups that count."""
    if len(glob) > MAX_RULE_CHARS:
        raise NeverMatches
    first, *later = _split(_tokens(glob), DEEP)
    regex = _segments(first)
    for position, tokens in enumerate(later, start=1):
        if not tokens:  # `**` at the very end: all that lies below
            return regex + b".*"
        below = _segments(tokens[1:])  # the slash after `**` goes with the folders it stands for
        last = position == len(later)
        regex += _ANY_FOLDERS + below if last else b"(?>" + _ANY_FOLDERS + b"?" + below + b")"
    return regex


def _segments(tokens: list[bytes]) -> bytes:
    return SLASH.join(map(_segment, _split(tokens, SLASH)))


def _segment(tokens: list[bytes]) -> bytes:
    first, *later = (b"".join(part) for part in _split(tokens, STAR))
    if not later:
        return first
    *middle, last = later
    return first + b"".join(b"(?>" + _ANY_NAME + b"?" + part + b")" for part in middle) + _ANY_NAME + last


def _split(tokens: list[bytes], separator: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _tokens(glob: bytes) -> list[bytes]:
    tokens: list[bytes] = []
    at = 0
    while at < len(glob):
        sign = glob[at : at + 1]
        if sign == b"*":
            end = at
            while glob[end : end + 1] == b"*":
                end += 1
            tokens.append(DEEP if _stands_alone(glob, at, end) else STAR)
            at = end
        elif sign == b"[":
            token, at = _bracket(glob, at + 1)
            tokens.append(token)
        elif sign == b"?":
            tokens.append(_ANY_BYTE)
            at += 1
        else:
            at += sign == b"\\"
            tokens.append(_character(glob, at))
            at += 1
    return tokens


def _stands_alone(glob: bytes, start: int, end: int) -> bool:
    """Two stars mean folders only where they are all there is between two slashes. Git also takes them so where all
    before them is plain text (`a**/b`), because it compares that first and then sees them at the start."""
    opens = glob[start - 1 : start] == b"/" or is_literal(glob[:start])
    closes = end == len(glob) or glob.startswith((b"/", b"\\/"), end)
    return end - start > 1 and opens and closes


def _character(glob: bytes, at: int) -> bytes:
    if at >= len(glob):
        raise NeverMatches
    sign = glob[at : at + 1]
    return sign if sign == SLASH else re.escape(sign)


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """The regex for what stands in brackets, and where the glob goes on. `at` is just past the opening one."""
    negated = glob[at : at + 1] in (b"!", b"^") and at < len(glob)
    at += negated
    members: set[int] = set()
    before: int | None = None  # what a hyphen would begin its range with
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        if glob.startswith(b"[:", at) and (named := _named_class(glob, at)):
            name, at = named
            members.update(_CLASSES[name].encode())
            before = None
        elif glob[at : at + 1] == b"-" and before is not None and glob[at + 1 : at + 2] not in (b"", b"]"):
            end, at = _member(glob, at + 1)
            members.update(range(before, end + 1))
            before = None
        else:
            before, at = _member(glob, at)
            members.add(before)
    allowed = (set(range(256)) - members if negated else members) - {SLASH[0]}
    regex = b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(allowed)) + b"]" if allowed else b"(?!)"
    return regex, at + 1


def _member(glob: bytes, at: int) -> tuple[int, int]:
    at += glob[at : at + 1] == b"\\"
    if at >= len(glob):
        raise NeverMatches
    return glob[at], at + 1


def _named_class(glob: bytes, at: int) -> tuple[bytes, int] | None:
    """The name in `[:name:]` and where it ends; nothing if the bracket is only a bracket."""
    end = glob.find(b"]", at + 2)
    if end < 0:
        raise NeverMatches
    if end == at + 2 or glob[end - 1 : end] != b":":
        return None
    name = glob[at + 2 : end - 1]
    if name not in _CLASSES:
        raise NeverMatches
    return name, end + 1


# -- The lines of an ignore file → a verdict on every name below it, as git would give it


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
    def _for_folders(self) -> _RuleTable:
        return _RuleTable(enumerate(self._patterns))

    @cached_property
    def _for_files(self) -> _RuleTable:
        return _RuleTable((at, pattern) for at, pattern in enumerate(self._patterns) if not pattern.folders_only)


class _RuleTable:
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


class IgnoreScope(NamedTuple):
    """All ignore files that apply to one folder, the nearest first."""

    own: tuple[Rules, ...] = ()
    """`.headnoteignore`: the last word."""
    git: tuple[Rules, ...] = ()
    """`.gitignore`, and the repository's `info/exclude`."""
    outputs: Mapping[bytes, str] = _NOTHING
    """Folders in it that are build output, see `outputs_beside`. Those of another folder do not count here."""

    @property
    def has_rules(self) -> bool:
        """Whether any file has rules for this folder."""
        return bool(self.own or self.git)

    def with_rules(self, own: Rules | None, git: Rules | None) -> IgnoreScope:
        """The scope of a folder that has ignore files itself."""
        return self._replace(own=(own, *self.own) if own else self.own, git=(git, *self.git) if git else self.git)

    def verdict(self, name: bytes, path: bytes, is_folder: bool) -> Verdict:
        """The verdict on a name, which is given as to `Rules`."""
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
    """Name of each folder of build output among these names → the file beside it that says so."""
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

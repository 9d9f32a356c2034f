"""One glob of an ignore file → one regex that decides as git does.

Git compares bytes, so `?` is one byte and not one letter, and names that are no UTF-8 are names like any other.
No glob makes the regex try a name in more than a few ways: what stands before a later star is settled where it first
fits, which loses nothing because everything between two stars has a fixed size.
"""

from __future__ import annotations

import re
import string

SPECIAL = b"*?[\\"
SLASH = b"/"
STAR = b"*"
DEEP = b"**"
"""Tokens of a glob that are not one character; every other token is the regex of exactly one."""

LONGEST = 4096
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
    """A glob that no name can fit, such as a bracket that is never closed. Git passes over it in silence."""


def is_literal(glob: bytes) -> bool:
    return not any(sign in glob for sign in SPECIAL)


def glob_regex(glob: bytes) -> bytes:
    """A regex for `fullmatch` with DOTALL, without groups that count."""
    if len(glob) > LONGEST:
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

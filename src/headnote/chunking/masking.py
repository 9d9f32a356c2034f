"""What a text holds and nobody reads: comments, pictures as base64, and codes in addresses.

Comments of a document are masked, character by character, so that every offset stays one of the source. Whoever makes
a text of a masked one, to embed, to search or to show it, leaves the masks out here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MASK = "\x1a"
"""The control character that stands for one that is not there."""

_IN_LINE = re.compile(r"[^\r\n]++")
_LINES = re.compile(rf"(?<![^\r\n])[ \t]*+{MASK}[ \t{MASK}]*+(?:\r\n?|\n|\Z)(?:[ \t{MASK}]*+(?:\r\n?|\n))*+")
"""Lines with nothing but masks, and the blank ones behind them."""


def masked(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with masks in these places, which are in order. Line ends stay."""
    pieces: list[str] = []
    at = 0
    for start, end in extents:
        pieces += [text[at:start], _IN_LINE.sub(lambda line: MASK * len(line[0]), text[start:end])]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def unmasked(text: str) -> str:
    """A masked text for readers. It has the lines of the source."""
    return text.replace(MASK, "") if MASK in text else text


def condensed(text: str) -> str:
    """A masked text that is embedded: lines that were nothing but comments are gone."""
    return unmasked(_LINES.sub("", text)) if MASK in text else text


def condensed_chunk(text: str) -> str:
    """The same for the own text of a chunk, which does not end in blanks because a comment did."""
    return condensed(text).rstrip() if MASK in text else text


# -- Pictures that the text holds as base64: megabytes that tell a reader or a model nothing.

_DATA = re.compile(r"(data:[\w.+-]{1,64}/[\w.+-]{1,64}(?:;[\w=.+-]{1,64}){0,4};base64,)[A-Za-z0-9+/=_%-]{32,}+")


def may_hold_data_uris(text: str) -> bool:
    """Whether there may be a picture."""
    return ";base64," in text


def strip_data_uris(text: str) -> str:
    """Each picture replaced by a short placeholder that keeps its type."""
    return _DATA.sub(r"\1…", text) if may_hold_data_uris(text) else text


# -- Codes in addresses, which are no words: `20Concepts` of `Some%20Concepts.md`.

_BEGIN_ADDRESSES = ("](", "://", "]:", "href=", "src=")
_TARGET = r"""(?: [^\s()<>"'] | \([^\s()<>"']*+\) )++"""
_ADDRESS = re.compile(
    rf"""\]\(<?{_TARGET}
    | \[(?:(?<=^\[)|(?<=^[ ]\[)|(?<=^[ ]{{2}}\[)|(?<=^[ ]{{3}}\[))[^\]\n]++\]:[ \t]++<?{_TARGET}
    | =(?:(?<=\bhref=)|(?<=\bsrc=))["']{_TARGET}
    | ://[^\s()<>\[\]"'`|]++
    """,
    re.VERBOSE | re.MULTILINE,
)
"""The target of a link, or an address that is read as text. Each begins with a sign that few characters are, and what
stands before it is looked at afterwards: so the search skips the others at once."""
_ESCAPED = re.compile(r"""(?<![^/?#&=:(<"' \t])[^/?#&=:(<"' \t%]*+%[0-9A-Fa-f]{2}[^/?#&]*+""")
_UNSPOKEN = re.compile(
    rf"{_ESCAPED.pattern}|\?[^#]*+"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9]*+[a-f])(?=[a-f]*+[0-9])[0-9a-f]{12,}+\b"
)
"""Escaped parts, the query, and hashes."""
_CODE = re.compile(r"\?|%[0-9A-Fa-f]{2}|[0-9a-f]{8}")
"""What each of them has."""
_HEXADECIMAL = bytes(ord("x" if chr(code) in "0123456789abcdef" else " ") for code in range(256))
_HASH = b"x" * 12
"""What every hash has, with an `x` for each digit."""


def strip_address_codes(text: str) -> str:
    """The text without the parts of addresses that are percent-encoded, and without hashes and queries of targets.

    >>> strip_address_codes("[Some Concepts](notes/Some%20Concepts.md#basics)")
    '[Some Concepts](notes/#basics)'
    """
    # A few fast searches rule out most texts.
    if any(begin in text for begin in _BEGIN_ADDRESSES) and ("%" in text or "?" in text or _may_hold_hash(text)):
        return _ADDRESS.sub(_without_codes, text)
    return text


def _may_hold_hash(text: str) -> bool:
    return _HASH in text.encode("utf-8", "surrogatepass").translate(_HEXADECIMAL)


def _without_codes(address: re.Match[str]) -> str:
    written = address[0]
    if not _CODE.search(written):
        return written
    return (_ESCAPED if written.startswith("://") else _UNSPOKEN).sub("", written)

"""Bytes → text, character for character: line ends and byte order mark stay, because offsets count them."""

from __future__ import annotations

import codecs
from typing import Literal, NamedTuple

from headnote.errors import NotText
from headnote.lines import count_line_ends

# The marks of UTF-32 begin with those of UTF-16, so they come first.
CODEC_OF_MARK = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

SAMPLE_SIZE = 8192
# A stray NUL or escape in a text is legal Markdown, so a few control characters prove nothing, not even in a
# short file. Real text stays far below a tenth; UTF-16 without a mark has one in every second byte.
STRAY_CONTROLS = 8
CONTROLS_IN_TEXT = 0.1
CONTROL_BYTES = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"

SAVE_AS_UTF8 = "save it as UTF-8, or as UTF-16 with a byte order mark"
NAME_MARKDOWN = "name Markdown files, or folders that hold them"

Fallback = Literal["cp1252"]
"""How to read bytes that are not UTF-8: as Windows-1252, which includes all printable characters of Latin-1."""


class Decoded(NamedTuple):
    text: str
    warning: str
    """What had to be guessed, in one line; empty if nothing."""


def decode(data: bytes, path: str) -> str:
    """The text of a file. `path` is only for the message of `NotText`."""
    codec = next((codec for mark, codec in CODEC_OF_MARK if data.startswith(mark)), "utf-8")
    if codec == "utf-8" and _mostly_controls(data):
        raise NotText("binary, not text", path=path, remedy=NAME_MARKDOWN)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise _not_text(data, path, codec, error) from None


def decode_or_guess(data: bytes, path: str, fallback: Fallback | None) -> Decoded:
    """The text of a file, even in a legacy encoding.

    Each byte that is not valid UTF-8 is decoded by the fallback. So a file in the legacy encoding is readable, and one
    bad byte does not spoil a page of UTF-8. Binary files are still refused; without a fallback, so is everything that
    `decode` refuses.
    """
    try:
        return Decoded(decode(data, path), "")
    except NotText:
        if fallback is None or _has_mark(data) or len(data) > len(data.translate(None, CONTROL_BYTES)):
            raise
    escaped = data.decode("utf-8", "surrogateescape")
    text = escaped.translate(_bytes_of(fallback))
    guessed = [at for at, character in enumerate(escaped) if "\udc80" <= character <= "\udcff"]
    line = 1 + count_line_ends(escaped[: guessed[0]])
    what = "1 byte that is" if len(guessed) == 1 else f"{len(guessed)} bytes that are"
    return Decoded(text, f"{what} not UTF-8 read as {fallback}, first in line {line}")


def _has_mark(data: bytes) -> bool:
    return any(data.startswith(mark) for mark, _ in CODEC_OF_MARK)


def _bytes_of(codec: str) -> dict[int, str]:
    """Escaped byte → its character. The few that Windows-1252 leaves undefined become the controls of Latin-1."""
    table = {}
    for byte in range(0x80, 0x100):
        try:
            table[0xDC00 + byte] = bytes([byte]).decode(codec)
        except UnicodeDecodeError:
            table[0xDC00 + byte] = chr(byte)
    return table


def _mostly_controls(data: bytes) -> bool:
    sample = data[:SAMPLE_SIZE]
    controls = len(sample) - len(sample.translate(None, CONTROL_BYTES))
    return controls > STRAY_CONTROLS and controls > CONTROLS_IN_TEXT * len(sample)


def _not_text(data: bytes, path: str, codec: str, error: UnicodeDecodeError) -> NotText:
    if codec == "utf-8" and b"\0" in data[:SAMPLE_SIZE]:
        return NotText("binary, not text", path=path, remedy=NAME_MARKDOWN)
    line = 1 + count_line_ends(data[: error.start].decode(codec))
    bad = f"byte 0x{data[error.start]:02x} at offset {error.start}"
    return NotText(f"not valid {codec.upper()}: {bad}", path=path, line=line, remedy=SAVE_AS_UTF8)

"""Bytes → text, character for character: line ends and byte order mark stay, because offsets count them."""

from __future__ import annotations

import codecs

from headnote.errors import NotText

# The marks of UTF-32 begin with those of UTF-16, so they are asked for first.
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


def decode(data: bytes, path: str) -> str:
    """The text of a file. `path` is only for the message of `NotText`."""
    codec = next((codec for mark, codec in CODEC_OF_MARK if data.startswith(mark)), "utf-8")
    if codec == "utf-8" and _mostly_controls(data):
        raise NotText("binary, not text", path=path, remedy=NAME_MARKDOWN)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise _not_text(data, path, codec, error) from None


def count_line_ends(text: str) -> int:
    """How many of the three line ends of Markdown; those that only `str.splitlines` knows are characters."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def count_lines(text: str) -> int:
    """Lines as an editor numbers them; a last one without a line end counts too."""
    return count_line_ends(text) + (text != "" and text[-1] not in "\r\n")


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

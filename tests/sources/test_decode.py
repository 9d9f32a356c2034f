"""Bytes → text, and what is refused."""

from __future__ import annotations

import codecs
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.errors import NotText
from headnote.sources.files import decode, decode_or_guess

CODECS = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
TEXT = "# Überschrift\r\nline\rline\n漢字 🎈\0"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_every_character_stays(mark: bytes, codec: str) -> None:
    expected = ("\ufeff" if mark else "") + TEXT
    assert decode(mark + TEXT.encode(codec), "a.md") == expected


def test_an_empty_file_is_empty_text() -> None:
    assert decode(b"", "a.md") == ""


@pytest.mark.parametrize("data", [b"\0", b"a\0b", b"# A\n\0\0\n", b"\x1b[1mbold\x1b[0m", b"text\n" * 50 + b"\0"])
def test_stray_control_characters_are_text(data: bytes) -> None:
    assert decode(data, "a.md") == data.decode()


def png() -> bytes:
    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + part(b"IDAT", zlib.compress(b"\0\0\0\0")) + part(b"IEND", b"")


EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00\x01" + bytes(30)
UTF16_WITHOUT_MARK = "# A heading and text".encode("utf-16-le")


EVERY_BYTE = bytes(range(256))


@pytest.mark.parametrize("data", [png(), EMPTY_ZIP, ELF, UTF16_WITHOUT_MARK, bytes(100), EVERY_BYTE])
def test_binary_is_refused_with_path_and_remedy(data: bytes) -> None:
    with pytest.raises(NotText) as caught:
        decode(data, "docs/logo.md")
    assert str(caught.value).startswith("docs/logo.md: binary, not text (")


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        ("one\ntwo\r\nthree\rcafé\n".encode("latin-1"), 4, "not valid UTF-8: byte 0xe9 at offset 18"),
        (b"\xff", 1, "not valid UTF-8: byte 0xff at offset 0"),
        (b"text\n\xed\xa0\x80", 2, "not valid UTF-8: byte 0xed at offset 5"),
        (b"text\n\xe6\xbc", 2, "not valid UTF-8: byte 0xe6 at offset 5"),
        (b"\xff\xfea\0\n\0b\0x", 2, "not valid UTF-16-LE: byte 0x78 at offset 8"),
    ],
)
def test_bad_bytes_are_refused_with_their_line(data: bytes, line: int, what: str) -> None:
    with pytest.raises(NotText) as caught:
        decode(data, "a.md")
    assert caught.value.line == line
    assert str(caught.value) == f"a.md:{line}: {what} (save it as UTF-8, or as UTF-16 with a byte order mark)"


@given(st.binary())
def test_any_bytes_are_text_or_our_error(data: bytes) -> None:
    try:
        text = decode(data, "a.md")
    except NotText as refused:
        error = refused
    else:
        assert data in [text.encode(codec) for codec in CODECS]
        return
    assert error.path == "a.md"
    assert error.remedy


# With a fallback.

GUESSES = [
    ("café".encode("latin-1"), "café", "1 byte that is not UTF-8 read as cp1252, first in line 1"),
    ("a\r\n“b” – €5".encode("cp1252"), "a\r\n“b” – €5", "4 bytes that are not UTF-8 read as cp1252, first in line 2"),
    ("grüße, 漢字\n".encode() + b"\xe9", "grüße, 漢字\né", "1 byte that is not UTF-8 read as cp1252, first in line 2"),
    (b"\xef\xbb\xbfcaf\xe9", "\ufeffcafé", "1 byte that is not UTF-8 read as cp1252, first in line 1"),
    (b"text\n\xe6\xbc", "text\næ¼", "2 bytes that are not UTF-8 read as cp1252, first in line 2"),
    (b"\x81\x8d open", "\x81\x8d open", "2 bytes that are not UTF-8 read as cp1252, first in line 1"),
]


@pytest.mark.parametrize(("data", "text", "warning"), GUESSES)
def test_bytes_that_are_no_utf8_are_read_as_the_fallback_has_them(data: bytes, text: str, warning: str) -> None:
    assert decode_or_guess(data, "a.md", "cp1252") == (text, warning)
    with pytest.raises(NotText):
        decode_or_guess(data, "a.md", None)


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb"
BROKEN_UTF16 = b"\xff\xfea\0\n\0b\0x"


@pytest.mark.parametrize(
    "data", [png(), EMPTY_ZIP, ELF, UTF16_WITHOUT_MARK, bytes(100), EVERY_BYTE, JPEG, BROKEN_UTF16, b"caf\xe9\x01"]
)
def test_a_fallback_does_not_make_text_of_binary(data: bytes) -> None:
    with pytest.raises(NotText):
        decode_or_guess(data, "a.md", "cp1252")


@given(st.binary())
def test_a_fallback_changes_nothing_that_can_be_read_without(data: bytes) -> None:
    try:
        text = decode(data, "a.md")
    except NotText:
        return
    assert decode_or_guess(data, "a.md", "cp1252") == (text, "")


@given(st.lists(st.characters(codec="cp1252", categories=["L", "N", "P", "Zs"])))
def test_every_character_of_the_old_encoding_is_read(characters: list[str]) -> None:
    text = "x".join(characters)  # two of them side by side can happen to be UTF-8
    assert decode_or_guess(text.encode("cp1252"), "a.md", "cp1252").text == text

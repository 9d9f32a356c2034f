"""Text and values of any kind come back as they were."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from headnote.store.codec import escaped, packed, packed_strings, unescaped, unpacked, unpacked_strings

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | ANY_TEXT
    | st.dates()
    | st.datetimes()
    | st.times()
)
KEYS = st.sampled_from(["a", "b", "$headnote", "mapping"]) | ANY_TEXT
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)


@given(ANY_TEXT | st.text(st.sampled_from("\uffff0dc80\0\udce9a")))
def test_escaped_text_comes_back(text: str) -> None:
    stored = escaped(text)
    stored.encode()
    assert "\0" not in stored
    assert unescaped(stored) == text


@given(st.dictionaries(KEYS, DATA))
def test_metadata_come_back(data: dict[str, Any]) -> None:
    assert unpacked(packed(data)) == data


@given(st.lists(ANY_TEXT))
def test_strings_come_back(strings: list[str]) -> None:
    assert unpacked_strings(packed_strings(strings)) == tuple(strings)

from __future__ import annotations

import struct
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from headnote.store.codec import unescaped
from headnote.store.postgres.keywords import COLUMNS, MAX_SMALLINT, Postings, word_counts
from headnote.store.rows import KeywordFields

_WORDS = st.one_of(
    st.sampled_from(["a", "alpha", "größe", "漢字", "\ud800", "x\0y", "\\.", "\\N"]),
    st.text(st.characters(exclude_categories=("Z", "Cc")), min_size=1, max_size=4).filter(
        lambda text: text.split() == [text]
    ),
)
_LINES = st.lists(_WORDS, max_size=8).map(" ".join)
_CHUNKS = st.lists(st.builds(KeywordFields, _LINES, _LINES, _LINES, _LINES, _LINES), min_size=1, max_size=6)


Decoded = list[tuple[str, tuple[int, ...]]]


def decoded(data: bytes) -> Decoded:
    """Rows in the binary format of COPY, as (word, (chunk, length, how often in each field))."""
    rows: Decoded = []
    at = 0
    while at < len(data):
        values = []
        (columns,) = struct.unpack_from(">h", data, at)
        at += 2
        for _ in range(columns):
            (size,) = struct.unpack_from(">i", data, at)
            values.append(data[at + 4 : at + 4 + size])
            at += 4 + size
        assert columns == len(COLUMNS)
        rows.append((unescaped(values[-1].decode()), tuple(int.from_bytes(value, "big") for value in values[:-1])))
    return rows


def expected(chunks: list[int], fields: list[KeywordFields]) -> dict[tuple[str, int], tuple[int, ...]]:
    return {
        (word, chunk): (
            chunk,
            sum(len(field.split()) for field in own),
            *(min(count, MAX_SMALLINT) for count in counts),
        )
        for chunk, own in zip(chunks, fields, strict=True)
        for word, counts in word_counts(own).items()
    }


@given(_CHUNKS)
def test_rows_have_every_word_of_every_chunk_once_and_how_often_it_is_where(fields: list[KeywordFields]) -> None:
    chunks = [5_000_000_000 + 7 * number for number in range(len(fields))]
    postings = Postings(chunks, fields)
    rows = decoded(b"".join(postings.records()))
    assert len(rows) == len(postings)
    assert {(word, numbers[0]): numbers for word, numbers in rows} == expected(chunks, fields)
    assert postings.lengths.tolist() == [sum(len(field.split()) for field in own) for own in fields]


@given(_CHUNKS)
def test_rows_of_a_word_stand_together_in_the_order_of_the_chunks(fields: list[KeywordFields]) -> None:
    rows = decoded(b"".join(Postings(range(len(fields)), fields).records()))
    words = [word for word, _ in groupby(rows, key=lambda row: row[0])]
    assert len(words) == len(set(words))
    assert all(one[1][0] < other[1][0] for one, other in pairwise(rows) if one[0] == other[0])


def test_a_word_counts_as_often_as_the_column_can_hold() -> None:
    fields = KeywordFields("", "", "word " * (MAX_SMALLINT + 9), "", "")
    assert decoded(b"".join(Postings([1], [fields]).records())) == [
        ("word", (1, MAX_SMALLINT + 9, 0, 0, MAX_SMALLINT, 0, 0))
    ]

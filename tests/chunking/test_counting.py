"""What is counted, and how often: a tokenizer takes a third of the time of a chunk."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.chunking.masking import may_hold_data_uris
from headnote.chunking.records import DocumentChunks
from headnote.tokens import bpe

CODE = "".join(f"    if number == {number}:\n        return {number * 7} + offset(number)\n\n" for number in range(300))
ITEMS = "".join(f"- item {number} of a long list, with enough words for a line\n" for number in range(300))
ROWS = "| a | b |\n|---|---|\n" + "".join(f"| row {number} | {number * 7} |\n" for number in range(300))


@pytest.mark.parametrize("block", [f"```py\n{CODE}```\n", ITEMS, ROWS], ids=["code", "list", "table"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_large_block_is_counted_once(block: str, line_end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"# Heading\n\nA paragraph.\n\n{block}\nThe end.\n".replace("\n", line_end)
    counted: list[int] = []
    weigh = bpe.BpeCounter.weigh

    def noting(self: bpe.BpeCounter, texts: Sequence[str], code: Sequence[bool] | None = None) -> list[int]:
        counted.append(sum(map(len, texts)))
        return weigh(self, texts, code)

    monkeypatch.setattr(bpe.BpeCounter, "weigh", noting)
    chunks = headnote.chunk(text, counter="cl100k", max_tokens=256)
    assert len(chunks) > 5
    # Beside the text itself: breadcrumbs, what is carried, and chunks near the cap.
    assert len(text) <= sum(counted) < 1.5 * len(text)


def test_chunks_keep_no_weights_of_lines() -> None:
    first, *_ = headnote.chunk(f"```py\n{CODE}```\n", counter="cl100k", max_tokens=256)
    assert isinstance(first.origin, DocumentChunks)
    assert first.origin.context.weight_before == {}
    assert first.origin.context.totals[-1] > 256


@given(st.text(alphabet=";base64,x\u00e9\U0001f600", max_size=40) | st.just("a;b;base64,AA"))
def test_a_picture_is_never_overlooked(text: str) -> None:
    assert may_hold_data_uris(text) == (";base64," in text)
    assert may_hold_data_uris(f"{text};base64,{text}")

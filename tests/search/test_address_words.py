"""Codes in addresses are no words, wherever words of documents are used; what links say is found as before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.chunking.masking import strip_address_codes
from headnote.extra.export.shards import words_of

pytest_plugins = ("store_fixtures",)

NOTES = {
    "Some Concepts.md": "# Some Concepts\n\nA hull is varnished in spring, and sails are stored dry.\n",
    "boats.md": "# Boats\n\nVarnish, as in [the theory of hulls](Some%20Concepts.md#the%20Sails). Oars float.\n",
    "harbour.md": "# Harbour\n\nOars float. [Theory](a/Some%20Concepts.md). ![Map](img/3f2a9bc0d1e2f3a4.png)\n",
    "films.md": '# Films\n\n[A launch](https://example.org/?zyzzx=1), <img src="Some%20Concepts.png" alt="keel">\n',
}
CODES = ["20concepts", "20sails", "conceptsmd", "zyzzx", "3f2a9bc0d1e2f3a4"]


@pytest.fixture(params=["hashing:64", "none"])
def index(request: pytest.FixtureRequest, store_target: str, tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text)
    with Index.open(tmp_path / "notes", store=store_target or None, embedder=request.param) as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[Some Concepts](Some%20Concepts.md)", "[Some Concepts]()"),
        ("[a](x/Some%20(old)%20b.md#part) rest", "[a](x/#part) rest"),
        ("[a](<Some%20b.md> 'Title')", "[a](<> 'Title')"),
        ("[ref]: Some%20b.md\nText", "[ref]: \nText"),
        ("see https://example.org/wiki/Caf%C3%A9?limit=1&name=a%20b", "see https://example.org/wiki/?limit=1&name="),
        ("[v](https://example.org/watch?v=1#top)", "[v](https://example.org/watch#top)"),
        ("![](img/3f2a9bc0d1e2f3a4.png)", "![](img/.png)"),
        ("[day](202401011200.md) and [pods](../concepts/pods.md)", None),
        ("`a %20b` is 50% of it? (100%25)", None),
    ],
)
def test_what_is_said_stays(text: str, words: str | None) -> None:
    assert strip_address_codes(text) == (text if words is None else words)


def test_codes_are_no_terms(index: Index) -> None:
    with index._store.reading() as reader:
        assert reader.term_frequencies([*CODES, "oar"]) == dict.fromkeys(CODES, 0) | {"oar": 2}
        chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
    words = b"".join(words_of(chunks).shards)  # of an exported site
    assert b"oar" in words
    assert not [code for code in CODES if code.encode() in words]


def test_what_a_link_says_is_found_and_its_target_is_not(index: Index) -> None:
    for query in ("theory of hulls", "a launch", "keel"):
        assert index.search(query, 1, mode="keyword")
    for hit in index.search("some concepts", mode="keyword"):
        assert hit.path == "Some Concepts.md"
        assert {word.casefold() for word in hit.why.matched} <= {"some", "concepts"}


def test_notes_with_links_to_one_place_share_words_and_no_codes(index: Index) -> None:
    found = {entry.path: entry for entry in index.related("boats.md")}
    assert {"theory", "float", "oars"} <= set(found["harbour.md"].words)
    assert not [word for word in found["harbour.md"].words if "20" in word or "concept" in word.casefold()]

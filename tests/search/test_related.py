"""Passages near one, and links to make, on every store, with vectors and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index, MissingSource, SettingsError
from headnote.search.related import LinkStyle, MentionNames
from headnote.store.rows import DocumentHead, DocumentRow

pytest_plugins = ("store_fixtures",)

NOTES = {
    "bread/sourdough.md": "# Sourdough\n\nFeed the leaven and knead the dough. See [[ovens]].\n\nBaking stones help.\n",
    "bread/rye.md": "# Rye bread\n\nRye dough needs leaven; knead the dough briefly.\n",
    "ovens.md": "# Ovens\n\nHeat the oven before you knead the dough.\n",
    "stones.md": "# Baking stones\n\nA slab of granite keeps warm. `Rye bread` in code, and [[rye]] as a link.\n",
    "boats.md": "# Boats\n\nVarnish the hull in spring.\n\n## Sails\n\nStore the sails dry.\n",
    "harbour.md": "# Harbour\n\nThe hull and the sails: varnish in spring, and store dry.\n",
    "empty.md": "",
}


@pytest.fixture(params=["hashing:64", "none"])
def index(request: pytest.FixtureRequest, store_target: str, tmp_path: Path) -> Iterator[Index]:
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text(text)
    with Index.open(tmp_path / "notes", store=store_target or None, embedder=request.param) as opened:
        opened.update()
        yield opened


def test_what_is_near_and_not_linked_yet(index: Index) -> None:
    found = index.related("bread/sourdough.md")
    paths = [entry.path for entry in found]
    assert set(paths[:2]) == {"bread/rye.md", "stones.md"}
    rye = found[paths.index("bread/rye.md")]
    assert {"leaven", "knead"} <= set(rye.words)
    assert len(set(paths)) == len(paths)
    assert "bread/sourdough.md" not in paths
    assert "ovens.md" not in paths
    assert [entry.score for entry in found] == sorted((entry.score for entry in found), reverse=True)
    everything = {entry.path: entry for entry in index.related("bread/sourdough.md", linked=True)}
    assert everything["ovens.md"].linked == "to"
    assert index.related("bread/sourdough.md", limit=1) == found[:1]


def test_a_line_and_a_heading_name_a_passage(index: Index) -> None:
    by_line = index.related("boats.md", 7)
    assert by_line == index.related("boats.md:7") == index.related("boats.md#Sails")
    assert by_line[0].path == "harbour.md"
    with pytest.raises(MissingSource, match="no heading"):
        index.related("boats.md#Oars")
    with pytest.raises(MissingSource):
        index.related("bots.md:7")
    with pytest.raises(SettingsError, match="past the end"):
        index.related("boats.md:700")


def test_links_to_make_in_one_document(index: Index) -> None:
    (stones, *others) = [entry for entry in index.related("bread/sourdough.md", unlinked=True) if entry.mention]
    assert not others
    assert (stones.path, stones.mention, stones.source) == ("stones.md", "Baking stones", "bread/sourdough.md:5")
    assert stones.link == "[[stones|Baking stones]]"
    assert [entry.path for entry in index.related("stones.md", unlinked=True) if entry.mention] == []


def test_links_to_make_anywhere(index: Index) -> None:
    found = index.related(unlinked=True, limit=50)
    pairs = {frozenset((entry.source.rpartition(":")[0], entry.path)) for entry in found}
    assert len(pairs) == len(found)
    assert frozenset(("bread/sourdough.md", "stones.md")) in pairs
    assert frozenset(("bread/sourdough.md", "ovens.md")) not in pairs
    assert all(entry.link for entry in found)


def test_an_empty_document_and_a_wrong_question(index: Index) -> None:
    assert index.related("empty.md") == []
    with pytest.raises(SettingsError, match="no document is given"):
        index.related()
    with pytest.raises(SettingsError, match="limit 0 is too small"):
        index.related("boats.md", limit=0)


# -- mentions and links


def _mentions(text: str, *titles: str) -> list[tuple[str, int, str]]:
    names = MentionNames(DocumentHead(f"{title}.md", title, {}, ()) for title in titles)
    return [(path, line, found) for path, line, found in names.mentions(DocumentRow("own.md", 0, 0, "", "", text, {}))]


def test_names_are_found_in_prose_alone() -> None:
    text = (
        "---\ntitle: red bus\n---\n# Red bus\n\n`red bus` [red bus](x.md) [[red bus]] https://x/red-bus\n\n"
        "```\nred bus\n```\n\nAt last the *red*\nbus. The Red Bus, red-bus.\n"
    )
    assert _mentions(text, "Red bus") == [("Red bus.md", 13, "Red Bus")]


def test_one_word_is_a_name_only_as_it_is_written() -> None:
    assert _mentions("We git push; Docker and docker.", "Docker", "Git", "Index") == [("Docker.md", 1, "Docker")]


def test_the_longest_name_counts_and_each_document_once() -> None:
    text = "A red bus line, a red bus, and the red bus line again.\n"
    assert _mentions(text, "Red bus", "Red bus line") == [
        ("Red bus line.md", 1, "red bus line"),
        ("Red bus.md", 1, "red bus"),
    ]


def test_a_name_of_several_documents_names_none() -> None:
    names = MentionNames([DocumentHead("a/x.md", "Red bus", {}, ()), DocumentHead("b/x.md", "Red bus", {}, ())])
    assert names.mentions(DocumentRow("own.md", 0, 0, "", "", "A red bus.", {})) == []


def test_links_are_written_as_the_folder_writes_them() -> None:
    paths = ["a/one.md", "b/one.md", "b/my note.md"]
    markdown = LinkStyle([], paths)
    assert markdown.link("a/one.md", "b/my note.md", "my [note]") == r"[my \[note\]](../b/my%20note.md)"
    assert markdown.link("b/one.md", "b/my note.md", "x") == "[x](my%20note.md)"
    wiki = LinkStyle([], paths)
    wiki.has_wikilinks = True
    assert wiki.link("a/one.md", "b/my note.md", "my note") == "[[my note]]"
    assert wiki.link("a/one.md", "b/one.md", "One") == "[[b/one|One]]"

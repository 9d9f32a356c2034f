"""A passage that stands below every note neither wins a search nor makes two notes related."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.everywhere import EVERYWHERE, common_share, said_everywhere
from headnote.search.query import MODES, Mode

THINGS = "walnut harbour violin glacier pottery falcon orchid lantern meadow compass saffron turbine".split()
FOOTER = "\n\n---\n\nThis note in [GitHub](https://github.com/me/notes/blob/main/20Concepts/{number}.md)\n"
WRITERS = {
    "mirrors.md": "# Mirrors\n\nEvery evening a script copies the folder. It pushes what changed, so a note can be "
    "read in GitHub from anywhere, and the history says who wrote what. The other copy lies on a disk in the drawer.\n",
    "leaves.md": "# Why leaves fall\n\nNot yet written.\n",
    "forest.md": "# A walk in the forest\n\nThe beeches had lost half of their foliage, the oaks kept theirs, and in "
    "autumn every tree gives up what would freeze: sugar is drawn in before the frost, and the stems are sealed.\n",
}


def make_vault(root: Path, notes: int, footer: str = FOOTER) -> Index:
    """Stubs with a footer, and notes that say something."""
    for number in range(notes):
        thing, other = THINGS[number % 12], THINGS[(number // 12 + number) % 12]
        (root / f"{number}.md").write_text(f"# {thing.title()} {number}\n\nA {other}.{footer.format(number=number)}")
    for name, text in WRITERS.items():
        (root / name).write_text(text + footer.format(number=name))
    index = Index.open(root)
    index.update()
    return index


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with make_vault(tmp_path_factory.mktemp("vault"), EVERYWHERE + 30) as index:
        yield index


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["this note in GitHub", "note github"])
def test_who_says_it_is_before_those_that_only_have_the_footer(vault: Index, query: str, mode: Mode) -> None:
    assert vault.search(query, limit=5, mode=mode)[0].path == "mirrors.md"
    if mode != "semantic":  # by its meaning alone, a page has only what is near by itself
        assert vault.search_page(query, limit=5, mode=mode).hits[0].path == "mirrors.md"


def test_pages_follow_each_other_as_without_a_limit(vault: Index) -> None:
    everything = [hit.path for hit in vault.search_page("note github", limit=24).hits]
    pages = [vault.search_page("note github", limit=8, offset=offset).hits for offset in (0, 8, 16)]
    assert [hit.path for page in pages for hit in page] == everything


def test_the_footer_relates_no_notes(vault: Index) -> None:
    assert vault.related("leaves.md", limit=1)[0].path == "forest.md"


def test_what_a_few_documents_share_is_what_someone_may_ask_for(tmp_path: Path) -> None:
    with make_vault(tmp_path, 30) as index:
        assert index.search("this note in GitHub", limit=1, mode="semantic")[0].path != "mirrors.md"


def test_a_search_that_meets_no_repeated_passage_asks_nothing_of_the_index(vault: Index) -> None:
    texts = [(hit.path, hit.text.partition("---")[0]) for hit in vault.search("violin", limit=10)]
    assert len(texts) > 3
    assert said_everywhere(NoReader(), texts) == frozenset()  # type: ignore[arg-type]
    asked = frozenset({"violin"})
    footers = [(str(number), FOOTER.format(number=number)) for number in range(9)]
    assert said_everywhere(NoReader(), footers, asked) == frozenset(), "the footer has no word of the query"  # type: ignore[arg-type]


class NoReader:
    """Fails when it is asked for anything."""


def test_the_share_of_a_text_that_is_common_does_not_depend_on_where_its_links_lead() -> None:
    footer = "this note in github"
    for number in range(2):
        assert common_share("Four words are own." + FOOTER.format(number=number), {footer}) == 0.5
    assert common_share("", {footer}) == 0.0

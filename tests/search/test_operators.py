"""Operators in a whole search: what they demand holds for both retrievers, on every store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from effort import stop_of_endless_work

from headnote import Index, SettingsError
from headnote.search import query as queries
from headnote.search.filter_language import MAX_CONDITIONS
from headnote.search.query import MAX_QUERY_CHARS, MAX_VALUES, MODES, Mode
from headnote.search.snippets import marked_terms, marks

pytest_plugins = ("store_fixtures",)

NOTES = {
    "wrench.md": "---\nversion: 3\nstatus: draft\n---\n# Wrenches\n\nSet the torque wrench to 12 Nm for the bolts.\n",
    "bolts.md": "---\nversion: 10\nstatus: final\n---\n# Bolts\n\nTighten the bolts by hand. The wrench comes later.\n",
    "guide/start.md": "---\ntags: [howto]\n---\n# First steps\n\nHow to tighten things: wrench, then bolts.\n",
    "guide/old.md": "# Old steps\n\nA wrench of torque, long ago. #archive\n",
}


@pytest.fixture
def index(store_target: str, tmp_path: Path) -> Iterator[Index]:
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text(text)
    with Index.open(tmp_path / "notes", store=store_target or None, embedder="hashing:32") as opened:
        opened.update()
        yield opened


def paths(index: Index, query: str, mode: Mode = "hybrid", **options: object) -> set[str]:
    hits = index.search(query, 10, mode, min_score=0.0, **options)  # type: ignore[arg-type]
    page = index.search_page(query, 10, mode, min_score=0.0, **options)  # type: ignore[arg-type]
    assert {hit.path for hit in page.hits} == {hit.path for hit in hits}
    return {hit.path for hit in hits}


@pytest.mark.parametrize("mode", MODES)
def test_what_is_excluded_is_found_by_no_retriever(index: Index, mode: Mode) -> None:
    assert paths(index, "bolts wrench", mode) == set(NOTES)
    assert paths(index, "bolts wrench -torque", mode) == {"bolts.md", "guide/start.md"}
    assert paths(index, 'bolts wrench -"torque wrench"', mode) == {"bolts.md", "guide/start.md", "guide/old.md"}
    assert paths(index, "bolts wrench -tag:archive", mode) == {"wrench.md", "bolts.md", "guide/start.md"}


@pytest.mark.parametrize("mode", MODES)
def test_what_is_demanded_is_in_every_hit(index: Index, mode: Mode) -> None:
    assert paths(index, '"torque wrench"', mode) == {"wrench.md"}
    assert paths(index, "wrench title:steps", mode) == {"guide/start.md", "guide/old.md"}
    assert paths(index, "wrench path:guide/ tag:howto", mode) == {"guide/start.md"}
    assert paths(index, "wrench (tag:howto OR tag:archive)", mode) == {"guide/start.md", "guide/old.md"}
    assert paths(index, "wrench", mode, where="version >= 4") == {"bolts.md"}
    assert paths(index, "wrench", mode, where="status != draft and version exists") == {"bolts.md"}
    assert paths(index, "wrench", mode, where=["version > 1", "version < 5"]) == {"wrench.md"}
    assert paths(index, "wrench", mode, where={"status": "final"}) == {"bolts.md"}


def test_the_nearest_of_those_that_pass_are_found_however_many_others_are_nearer(tmp_path: Path) -> None:
    root = tmp_path / "many"
    root.mkdir()
    for number in range(250):
        (root / f"{number}.md").write_text(f"# Pump {number}\n\nThe pump and the torque of pump {number}.\n")
    (root / "quiet.md").write_text("# Quiet\n\nA pump, far away, among many other words about gardens and rain.\n")
    with Index.open(root, embedder="hashing:64") as index:
        index.update()
        for mode in MODES:
            assert paths(index, "pump -torque", mode) == {"quiet.md"}


def test_a_phrase_is_relevant_whatever_it_scores(index: Index) -> None:
    assert [hit.path for hit in index.search('"to" "by hand"')] == []
    assert [hit.path for hit in index.search('"by hand"')] == ["bolts.md"]


def test_a_query_can_be_taken_as_it_is(index: Index) -> None:
    assert paths(index, "bolts wrench -torque", literal=True) == set(NOTES)


def test_filters_alone_list_documents(index: Index) -> None:
    assert {hit.path for hit in index.search("path:guide/")} == {"guide/start.md", "guide/old.md"}
    assert {hit.path for hit in index.search("", where="version exists")} == {"wrench.md", "bolts.md"}
    assert {hit.path for hit in index.search("-torque")} == {"bolts.md", "guide/start.md"}
    assert index.search("") == []
    page = index.search_page("-tag:nothing", 3, offset=2)
    assert (page.total, len(page.hits)) == (4, 2)


def test_the_list_begins_with_the_newest(index: Index, tmp_path: Path) -> None:
    import os

    for age, name in enumerate(sorted(NOTES)):
        os.utime(tmp_path / "notes" / name, (1e9 - age, 1e9 - age))
    index.update()
    assert [hit.path for hit in index.search("-nothing")] == sorted(NOTES)


@pytest.mark.parametrize(
    ("query", "where", "why"),
    [
        ('"no such words"', None, 'no passage has "no such words"'),
        ("wrench title:nothing", None, "no document has 'nothing' in its title"),
        ("wrench path:nowhere/", None, "no document matches path 'nowhere/'"),
        ("wrench tag:howt", None, "no document has the tag 'howt'; the nearest are howto"),
        ("wrench", "version > 100", "no document has version > 100 in its frontmatter"),
        ("wrench", "versoin > 1", "no document has the field 'versoin'; the nearest are version"),
        ("wrench", "version > 100 or version < 0", "no passage satisfies (version > 100 or version < 0)"),
        ("wrench title:steps", "version = 3", "no passage passes all filters together"),
    ],
)
def test_why_nothing_is_found(index: Index, query: str, where: str | None, why: str) -> None:
    assert index.search(query, where=where) == []
    assert index.why_empty(query, where=where).startswith(why)


def test_how_a_query_is_understood(index: Index) -> None:
    read = index.understand('bolts "torque wrench" -hand', where="statsu != draft")
    assert read.words == "bolts"
    assert (read.phrases, read.excluded, read.filters) == (("torque wrench",), ("hand",), ("statsu != draft",))
    assert read.notes == ("no document has the field 'statsu'; the nearest are status",)


Marked = Callable[[str, str], list[str]]


@pytest.fixture
def marked() -> Marked:
    def marked(query: str, text: str) -> list[str]:
        return [text[start:end] for start, end in marks(text, marked_terms(query, (), text))]

    return marked


def test_a_phrase_is_marked_as_one(marked: Marked) -> None:
    text = "Set the torque wrench; torque alone; a wrench. Torque **wrench**."
    assert marked('"torque wrench"', text) == ["torque wrench", "Torque **wrench"]
    assert marked('"torque wrench" torque', text) == ["torque wrench", "torque", "Torque **wrench"]
    assert marked("set -torque", text) == ["Set"]
    assert marked('"torque wrench"', "the torque\nwrench") == ["torque\nwrench"]


PASTED = "Traceback: the torque wrench failed\n" + 'File "a.py", line 1, in "run" -> {"key": "value"}\n' * 90
"""Five kilobytes of an error message."""


def test_a_pasted_error_is_searched(index: Index) -> None:
    assert 4_000 < len(PASTED) < MAX_QUERY_CHARS
    for query in (PASTED, 'Traceback: cannot turn the "torque wrench of steel" by hand', "wrench fails: -torque"):
        assert "wrench.md" in paths(index, query)
        assert index.understand(query).notes == ("a sentence, not operators: the query is taken as ordinary text",)
    many = " ".join(f'"word {number}"' for number in range(9))
    assert index.understand(many).notes == ("more than 8 phrases: the query is taken as ordinary text",)


def test_a_query_that_is_too_long_is_refused_wherever_it_is_asked(index: Index) -> None:
    query = "x" * (MAX_QUERY_CHARS + 1)
    for ask in (index.search, index.search_page, index.understand, index.why_empty, index.ask):
        with pytest.raises(SettingsError, match="the query has 10,001 characters"):
            ask(query)


@pytest.mark.parametrize("piece", [")", "“", "-a=", "(a", "tag:a OR "])
def test_a_search_grows_with_the_length_of_its_query(piece: str, notes: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_QUERY_CHARS", 100_000)
    with stop_of_endless_work():
        notes.search(piece * (100_000 // len(piece)))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """One index for all that only asks it."""
    root = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with Index.open(root, embedder="hashing:32") as opened:
        opened.update()
        yield opened


def test_a_filter_has_a_size(index: Index) -> None:
    conditions = [f"version != {number}" for number in range(MAX_CONDITIONS)]
    assert paths(index, "wrench", where=conditions)
    assert paths(index, "wrench", tags=[], where=f"version in ({', '.join(map(str, range(MAX_VALUES)))})")
    with pytest.raises(SettingsError, match=r"more than 200 tags and conditions \(write field in \(a, b, c\)\)"):
        index.search("wrench", where=conditions, tags=["howto"])
    with pytest.raises(SettingsError, match="more than 1,000 values"):
        index.search("wrench", where=f"version in ({', '.join(map(str, range(MAX_VALUES + 1)))})")

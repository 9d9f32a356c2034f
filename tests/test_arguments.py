"""A wrong type is refused by name, in every public function: one line of ours, not an error from deep inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headnote

TEXT = "---\nyear: 2024\ndraft: false\nday: 2024-05-01\n---\n# A\n\nhello world\n"

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "text is None": lambda: headnote.chunk(None),  # type: ignore[arg-type]
    "text is of type bytes": lambda: headnote.chunk(b"# A"),  # type: ignore[arg-type]
    "path is None": lambda: headnote.chunk("a", path=None),  # type: ignore[arg-type]
    "modified is of type str": lambda: headnote.chunk("a", modified="today"),  # type: ignore[arg-type]
    "unknown preset None": lambda: headnote.chunk("a", preset=None),  # type: ignore[arg-type]
    "text is of type int": lambda: headnote.parse(3),  # type: ignore[arg-type]
    "mdx is of type str": lambda: headnote.parse("a", mdx="no"),  # type: ignore[arg-type]
    "text is of type list": lambda: headnote.count_tokens(["a"]),  # type: ignore[arg-type]
    "block_or_text is of type int": lambda: headnote.estimate_tokens(3),  # type: ignore[arg-type]
    "unknown bias 'codes' (did you mean code?)": lambda: headnote.estimate_tokens("a", "codes"),
    "level is of type str": lambda: headnote.HeadingStack().push("1", "A"),  # type: ignore[arg-type]
    "None is not a counter": lambda: headnote.count_tokens("a", None),  # type: ignore[arg-type]
    "path is of type bytes": lambda: headnote.chunk_file(b"a.md"),  # type: ignore[arg-type]
    "path is of type int": lambda: headnote.chunk_file(3),  # type: ignore[arg-type]
    "paths is of type int (give a string, a path or a list)": lambda: headnote.chunk_files(3),  # type: ignore[arg-type]
    "on_error 'ignore' is not known": lambda: headnote.chunk_files("docs", on_error="ignore"),  # type: ignore[arg-type]
    "paths is None": lambda: headnote.chunk_files(None),  # type: ignore[arg-type]
    "path is None (give a string or a path)": lambda: list(headnote.chunk_files([None])),  # type: ignore[list-item]
    "workers is of type str": lambda: headnote.chunk_files(["a.md"], workers="all"),  # type: ignore[arg-type]
    "root is None": lambda: headnote.Index.open(None),  # type: ignore[arg-type]
    "root is of type bytes": lambda: headnote.Index.open(b"."),  # type: ignore[arg-type]
}

METHODS: dict[str, Callable[[Any], Any]] = {
    "query is None": lambda index: index.search(None),
    "query is of type bytes": lambda index: index.search(b"hello"),
    "limit is of type str": lambda index: index.search("hello", limit="x"),
    "limit is of type list": lambda index: index.search("hello", limit=[]),
    "limit is True": lambda index: index.search("hello", limit=True),
    "unknown mode 3": lambda index: index.search("hello", mode=3),
    "unknown fusion 'sum'": lambda index: index.search("hello", fusion="sum"),
    "path is of type int": lambda index: index.search("hello", path=3),
    "path is None (give a string)": lambda index: index.search("hello", path=[None]),
    "tags is of type int": lambda index: index.search("hello", tags=["a", 3]),
    "where['a'] is None": lambda index: index.search("hello", where={"a": None}),
    "where['a'] is of type list": lambda index: index.search("hello", where={"a": ["b"]}),
    "a name in where is of type int": lambda index: index.search("hello", where={3: "a"}),
    "where is of type int": lambda index: index.search("hello", where=3),
    "since is of type list": lambda index: index.search("hello", since=[]),
    "since is not a number": lambda index: index.search("hello", since=float("nan")),
    "'soon' is not a time": lambda index: index.search("hello", since="soon"),
    "min_score is of type str": lambda index: index.search("hello", min_score="x"),
    "min_score must be 0 or more, not nan": lambda index: index.search("hello", min_score=float("nan")),
    "budget is of type float": lambda index: index.search("hello", budget=2.5),
    "per_document is of type str": lambda index: index.search("hello", per_document="one"),
    "recency_days is of type str": lambda index: index.search("hello", recency_days="x"),
    "recency_steps is of type int": lambda index: index.search("hello", recency_steps=1),
    "question is None": lambda index: index.ask(None),
    "budget is of type str": lambda index: index.ask("hello", budget="x"),
    "model is of type int": lambda index: index.ask("hello", model=3),
    "stream is of type int": lambda index: index.ask("hello", stream=3),
    "path is None": lambda index: index.read(None),
    "start_line is of type str": lambda index: index.read("a.md", "1"),
    "end_line is of type str": lambda index: index.read("a.md", 1, "2"),
    "path is of type list": lambda index: index.outline(["a.md"]),
    "path is of type float": lambda index: index.document(1.5),
    "heading is None": lambda index: index.section("a.md", None),
    "path is of type dict": lambda index: index.links({}),
    "path is of type bytes": lambda index: index.backlinks(b"a.md"),
    "key is None": lambda index: index.chunk(None),
    "path is of type tuple": lambda index: index.attachment(("a.png",)),
    "workers is of type str": lambda index: index.update(workers="all"),
    "wait is of type str": lambda index: index.update(wait="long"),
    "on_progress is of type int": lambda index: index.update(on_progress=3),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headnote.Index]:
    folder = tmp_path_factory.mktemp("arguments")
    (folder / "a.md").write_text(TEXT)
    with headnote.Index.open(folder, embedder="none") as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize("complaint", FUNCTIONS)
def test_functions_refuse_wrong_types(complaint: str) -> None:
    with pytest.raises(headnote.SettingsError) as failure:
        FUNCTIONS[complaint]()
    assert str(failure.value).startswith(complaint)
    assert failure.value.remedy


@pytest.mark.parametrize("complaint", METHODS)
def test_an_index_refuses_wrong_types(index: headnote.Index, complaint: str) -> None:
    with pytest.raises(headnote.SettingsError) as failure:
        METHODS[complaint](index)
    assert str(failure.value).startswith(complaint)
    assert failure.value.remedy


def test_a_path_may_be_an_object() -> None:
    (chunk,) = headnote.chunk("<A/>", path=Path("a.mdx"))
    assert chunk.path == "a.mdx"


@pytest.mark.parametrize(
    "filters",
    [
        {"path": None, "tags": None, "where": None, "since": None},
        {"where": {"year": 2024}},
        {"where": {"draft": False}},
        {"where": {"day": "2024-05-01"}},
        {"since": "7d"},
        {"path": (name for name in ["a.md"])},
    ],
)
def test_filters_are_taken_as_people_give_them(index: headnote.Index, filters: dict[str, Any]) -> None:
    assert [hit.path for hit in index.search("hello", **filters)] == ["a.md"]

"""Operators of code are found exactly where they stand, beside words and alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.query import MODES
from headnote.words.terms import as_written, operator_terms

PAGES = {
    "equal.md": "# Comparing\n\nTwo values are the same if `a === b` is true.\n",
    "nullish.md": "# Defaults\n\nWrite `limit ?? 10` for a value that may be missing.\n",
    "chaining.md": "# Members\n\nA member of a value that may be missing is `user?.name`.\n",
    "arrow.md": "# Functions\n\nA short function: `list.map(x=>x + 1)`.\n",
    "path.md": "# Modules\n\nNames of a module are `std::vec::Vec`.\n",
    "flags.md": "# Flags\n\nPass `--force` and `$TARGET` to the program.\n",
    "prose.md": "# Prose\n\nReally?? Well... an arrow, a value, a module and a function, <!-- all --> missing.\n",
}


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Index]:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    with Index.open(tmp_path) as index:
        index.update()
        yield index


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("===", "equal.md"),
        ("what does === do", "equal.md"),
        ("?? operator", "nullish.md"),
        ("the `?.` of members", "chaining.md"),
        ("=>", "arrow.md"),
        ("arrow =>", "arrow.md"),
        ("::", "path.md"),
        ("--force", "flags.md"),
        ("$TARGET", "flags.md"),
    ],
)
def test_an_operator_leads_to_where_it_stands(pages: Index, query: str, page: str) -> None:
    assert pages.search(query)[0].path == page


def test_alone_it_finds_nothing_else_and_is_marked_as_it_is_written(pages: Index) -> None:
    for mode in ("hybrid", "keyword"):
        [hit] = pages.search("===", mode=mode)
        assert hit.why.matched == ("===",)
    words = [word.text for word in pages.found_words("equal.md", "a === b")]
    assert "===" in words
    assert not any(pages.search("=/=", mode=mode) for mode in MODES)


def test_signs_of_sentences_and_markdown_are_none() -> None:
    text = "Really?? What?. Wait... **bold** -- <!-- no --> https://a.b ../c |---|---| ::: a ... b"
    assert [as_written(term) for term in operator_terms(text)] == ["..."]


EXAMPLES = {
    "react.dev": ("what does === compare", "=> arrow function", "&& in JSX", "... spread", "!= null"),
    "rust-book": ("|| closure", "&& operator", "what does :: mean", "-> return type", "..= range", "turbofish ::<"),
    "kubernetes-en": ("&& in a pod command", ">= version", "||", "--feature-gates"),
}


@pytest.mark.parametrize("corpus", EXAMPLES)
def test_in_documentation_one_of_the_first_hits_has_it(
    corpus: str, corpus_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(corpus_folder(corpus), tmp_path / corpus)
    with Index.open(tmp_path / corpus) as index:
        index.update()
        for query in EXAMPLES[corpus]:
            [sign] = re.findall(r"[-=!<>?:&|.]{2,}[\w-]*", query)
            assert any(sign in hit.text for hit in index.search(query, limit=5)), query

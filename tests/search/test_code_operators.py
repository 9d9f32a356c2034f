"""Operators of code are found exactly where they stand, beside words and alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.query import MODES, Mode
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
        ("?. operator", "chaining.md"),
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
    "react.dev": ("what does === compare", "=> arrow function", "?. operator", "&& in JSX", "... spread", "!= null"),
    "rust-book": ("|| closure", "&& operator", "what does :: mean", "-> return type", "..= range", "turbofish ::<"),
    "kubernetes-en": ("&& in a pod command", ">= version", "||", "--feature-gates"),
}


@pytest.mark.parametrize("corpus", EXAMPLES)
def test_in_documentation_the_first_hit_has_it(
    corpus: str, corpus_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(corpus_folder(corpus), tmp_path / corpus)
    with Index.open(tmp_path / corpus) as index:
        index.update()
        for query in EXAMPLES[corpus]:
            [sign] = re.findall(r"[-=!<>?:&|.]{2,}[\w-]*", query)
            for mode in ("hybrid", "keyword"):
                assert sign in index.search(query, limit=1, mode=mode)[0].text, query


SIGNS = ("===", "=>", "?.", "??", "::", "&&", "->", "!=", "|>", "--dry-run", "$TARGET", "@wraps")
MATTERS = ("arrow function", "optional member", "module path", "operator", "null value", "returned type")


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """A small page for each sign, and a long one about each matter, which has the other half of the signs far below."""
    root = tmp_path_factory.mktemp("handbook")
    for number, sign in enumerate(SIGNS):
        (root / f"small-{number}.md").write_text(f"# Page {number}\n\nSome write `a {sign} b` here, a function.\n")
    for number, matter in enumerate(MATTERS):
        sections = [f"## {matter.title()} {part}\n\n{f'An {matter}: every {matter}. ' * 40}\n" for part in range(9)]
        ends = [f"## End of {sign[-3:]}\n\nLast comes `x {sign} y`.\n" for sign in SIGNS[number % 2 :: 2]]
        (root / f"{matter.replace(' ', '-')}.md").write_text(f"# {matter.title()}\n\n" + "\n".join(sections + ends))
    with Index.open(root) as index:
        index.update()
        yield index


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("sign", SIGNS)
def test_what_a_query_says_besides_it_puts_nothing_in_front(handbook: Index, sign: str, mode: Mode) -> None:
    for matter in MATTERS:
        for query in (f"{sign} {matter}", f"what does the {matter} {sign} do"):
            assert sign in handbook.search(query, limit=1, mode=mode)[0].text, query


def test_a_pasted_piece_of_code_is_a_question_about_more_than_its_operators(handbook: Index) -> None:
    question = "The arrow function that is passed to map is called twice by the optional member of a module path => why"
    assert "=>" not in handbook.search(question, limit=1)[0].text

"""Regression cases: documents that once broke a law, as small as possible."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from headnote.chunking.chunker import chunk
from headnote.chunking.presets import make_settings
from headnote.markdown import parse
from headnote.markdown.headings import headings
from laws import faults


class Case(NamedTuple):
    name: str
    source: str
    settings: dict[str, Any]
    preset: str = "default"


CODE = "\n".join(f"line number {number} of the code" for number in range(40))
LINES = "\n".join(f"    line number {number} of the code" for number in range(40))

SENTENCE = "Whoever reads this sentence knows in which document and where in it it stands. "
"""Sixty of them are too much for a chunk."""

MDX: dict[str, Any] = {"max_tokens": 128, "mdx": True}
HEAD = "| API | Description | Auth | HTTPS | CORS |\n|:---|:---|:---|:---|:---|\n"

CASES = [
    Case("a fence after a blank line in a component", f"<A>\n\n```js\n{CODE}\n```\n\n</A>\n", MDX),
    Case(
        "a fence in a component in a component",
        f"<A>\n\ntext\n\n<B>\n\n```js\n{CODE}\n```\n\n</B>\n\nmore\n\n</A>\n",
        MDX,
    ),
    Case(
        "a fence indented deeper than the text of its item",
        f"1. {'word ' * 60}\n\n    ```sh\n{LINES}\n    ```\n",
        {"max_tokens": 64},
    ),
    Case("a fence indented by a tab", f"1. run\n\n\t```sh\n{LINES}\n\t```\n", {"max_tokens": 128}),
    Case("indented code that shows a fence", f"    ```sh\n{LINES}\n    ```\n", {"max_tokens": 128}),
    Case("indented code at the end that shows an open fence", "text\n\n    ```sh\n    code", {}),
    Case("a line in a fence in a quote, cut", f"> ```console\n> {'word ' * 200}\n> ```\n", {"max_tokens": 64}),
    Case("an endless line in a fence in a quote", f"> ```\n> {'abc/' * 300}\n> ```\n", {"max_tokens": 64}),
    Case("carriage returns weigh more than newlines", "- " + "a.\r  " * 100, {"max_tokens": 64}),
    Case("many blank lines in an open fence", "~~~a.a. … *aa* [aa" + "\n" * 18 + "a", {"max_tokens": 16}),
    Case("many blanks in an open fence", "```\n\n\n          \n   aaa", {"max_tokens": 16, "counter": "chars"}),
    Case("nothing but a heading at the end", "word word\n\n# heading at the end", {"max_tokens": 64, "min_tokens": 2}),
    Case(
        "carried code counts as code",
        "\n\n".join(["x" * 3600, "```\n" + "y" * 190 + "\n```", "z" * 3720]),
        {"min_tokens": 0},
        "blocks",
    ),
    Case("the head of a table below half of the budget", HEAD + "| Some name | words |\n" * 30, {"max_tokens": 64}),
    Case("a fence below half of the budget", f"```python title='src/a.py'\n{CODE}\n```\n", {"max_tokens": 28}),
    Case(
        "a marker of a quote in front of a word in the middle of a line",
        "- a\n\n  > ~~~\n  > \t" + "some words of code " * 30 + "\n  > ~~~\n",
        {"max_tokens": 48},
    ),
    Case(
        "a long info string in a quote",
        f"> ```js {{1,3-5}} title='a rather long title of a file'\n> {'word ' * 60}\n> ```\n",
        {"max_tokens": 32},
    ),
    Case("nothing but markers in a quote", "> > >  \t\n> > >   \n> > \n> > \t\n> > - - - x\n> >", {"max_tokens": 8}),
    Case(
        "many blanks between the words of a line that is cut",
        f"```\nfirst{' ' * 70}second{' ' * 70}third\n{' ' * 90}fourth\n```\n",
        {"max_tokens": 32},
        "blocks",
    ),
    Case(
        "headings larger than the space for what they announce",
        f"## {'a long heading ' * 8}\n\n### b\n\n{'Some words that say more. ' * 12}",
        {"max_tokens": 64},
        "blocks",
    ),
    Case("a heading at the end under a long path", f"# {'path ' * 20}\n\n{'word ' * 30}\n\n# b", {"max_tokens": 64}),
    Case("no least size", "\\" * 800 + "\n\n" + "word " * 40, {"max_tokens": 16, "min_tokens": 0}),
    *(
        Case(
            f"two blanks between words, {ord(blank):x}, {counter}, {form[:3]}",
            form.format(f"word {blank}" * 400),
            {"counter": counter},
        )
        for blank in (" ", "\t", "\x85", "\xa0", "\u2009", "\u2028", "\u3000")
        for counter in ("cl100k", "o200k")
        for form in ("{}", "- {}", "> {}", "| a |\n|---|\n| {} |", "```\n{}\n```")
    ),
    *(
        Case(
            f"a fence in {before[:4]}, cut",
            f"text\n\n{before}```js\n{CODE}\n```\n{after}\n\nmore\n",
            {"max_tokens": 128, "comments": True},
        )
        for before, after in (("<!--\n", "-->"), ("<pre>\n", "</pre>"), ("<div>\n", "</div>"), ("<?php\n", "?>"))
    ),
    Case(
        "a fence in a comment in an item, cut",
        f"- a\n\n  <!--\n  ```js\n{LINES}\n  ```\n  -->\n",
        {"max_tokens": 128, "comments": True},
    ),
    Case("two blanks between numbers", "123  " * 400, {}),
    Case("a line that begins with a slash", "word.\n/ " * 300, {"counter": "o200k"}),
    Case("blanks at the end of a block that is cut", "~~~~\n>\n" + "\u2028\x85 " * 60 + "\n~~~~", {"max_tokens": 20}),
    Case("blanks in front of a block that is cut", "text\n\n" + "\u2000" * 300 + "word " * 30, {"max_tokens": 20}),
    Case("a paragraph of blanks below a heading", "# a\n\n\u00a0\n\n# b\n\ntext", {"min_tokens": 0}),
    Case(
        "paragraphs of blanks in an item",
        "- \t~~~s{1,exw\n\t~~~\n\u2028\u2007\u2028\u2004\u2029\u2009\u2003\u2008\n\n"
        "\u2003\u2008\u205f \u3000\u2007\u2006\u205f\u2007",
        {"max_tokens": 16},
    ),
    Case("a line of blanks before a text", "[];\n\n\u00a0\ntext\n\n" * 100, {"max_tokens": 40}),
    Case("characters of several tokens", "# 漢字\n\n" + "😀\U00012000" * 20, {"max_tokens": 4}),
    *(
        Case(
            f"tabs behind {marker!r} in containers in containers, {max_tokens}",
            "".join(f"{indent * depth}{marker}{gap}{SENTENCE * 60}{end}" for depth in (0, 0, 1, 1, 2, 1, 2)),
            {"max_tokens": max_tokens},
        )
        for marker, indent, gap, end in (
            ("-", "\t", "\t", "\n"),
            ("-", "\t", "\t", "\r\n"),
            ("1.", "\t", "\t", "\n\n"),
            ("*", "\t", " \t", "\n"),
            ("+", "    ", "\t", "\n"),
            (">", ">\t", "\t-\t", "\n"),
            ("- 1.", "\t\t", "\t", "\n"),
            ("[^1]:", "\t", "\t", "\n"),
        )
        for max_tokens in (64, 512)
    ),
    Case(
        "what looks like the marker of an item behind a tab", f"[^1]: {SENTENCE * 20}\n\t10.\t\ta", {"max_tokens": 64}
    ),
    Case("an item that begins with code behind tabs", f"-\t\t{SENTENCE * 60}\n\t-\t{SENTENCE * 60}\n", {}),
    Case("a fence in the smallest chunks", f"```js\n{CODE}\n```\n", {"max_tokens": 16}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_what_was_found_stays_mended(case: Case) -> None:
    chunks = chunk(case.source, preset=case.preset, **case.settings)
    assert not faults(case.source, chunks, make_settings(case.preset, **case.settings))


def test_a_block_that_fits_without_its_heading_only_is_not_cut_for_it() -> None:
    """Law 5 before law 6: the heading could only stay with a part of the list."""
    items = "\n".join(f"* item number {number} of the list" for number in range(15))
    source = f"# Notes\n\ntext\n\n## Internal\n\n{items}\n"
    (together,) = chunk(f"# Notes\n\n## Internal\n\n{items}")
    sizes: dict[str, Any] = {"max_tokens": together.tokens - 6, "min_tokens": 0}
    chunks = chunk(source, **sizes)
    assert [each.text for each in chunks] == ["# Notes\n\ntext", "## Internal", items]
    assert not faults(source, chunks, make_settings(**sizes))


@pytest.mark.parametrize("preset", ["default", "blocks", "ragdocs", "refdocs"])
def test_a_text_of_blanks_has_no_chunks(preset: str) -> None:
    assert chunk("\u00a0\n\n\x0c\n\n\u3000\u2028\n", preset=preset) == []


def test_a_window_of_blanks_is_left_out() -> None:
    source = "```\nfirst\n" + "\n" * 600 + "last\n```\n"
    chunks = chunk(source, preset="mdvdb", max_tokens=16, overlap_tokens=2)
    assert all(each.text.strip() for each in chunks)
    assert "first" in chunks[0].text
    assert "last" in chunks[-1].text


def test_blocks_of_blanks_count_in_the_numbers_of_blocks() -> None:
    source = "one\n\n\u00a0\n\ntwo\n"
    (only,) = chunk(source)
    assert (only.block_start, only.block_end) == (0, 2)


def test_a_breadcrumb_says_what_the_outline_says() -> None:
    """A link by reference in a heading is its text: `[docs]` is "docs" where there is a definition."""
    source = "# See [docs]\n\ntext\n\n[docs]: http://x\n"
    (only,) = chunk(source)
    assert only.heading_path == headings(source, parse(source))[0].path == ("See docs",)


def test_headings_that_lost_their_content_to_the_next_chunk_do_not_shorten_its_path() -> None:
    """A heading without content has no say in what several contents have in common."""
    source = (
        "## Troubleshooting {/*troubleshooting*/}\n"
        "### My component re-renders when a prop is an object, array, or function "
        "{/*my-component-rerenders-when-a-prop-is-an-object-or-array*/}\n\n"
        "React compares old and new props by shallow equality: that is, it considers whether each new prop is "
        "reference-equal to the old prop. If you create a new object or array each time the parent is re-rendered.\n"
    )
    settings: dict[str, Any] = {"max_tokens": 64, "mdx": True}
    assert not faults(source, chunk(source, **settings), make_settings(**settings))


def test_the_list_of_chunks_belongs_to_whoever_asked_for_it() -> None:
    """What is worked out later must not depend on a list that its owner may shorten or sort."""
    source = "\n\n".join(f"# Section {number}\n\n{'word ' * 300}" for number in range(4))
    expected = [(each.id, each.key, each.tokens) for each in chunk(source)]
    chunks = chunk(source)
    del chunks[0]
    assert [(each.id, each.key, each.tokens) for each in chunks] == expected[1:]


def test_a_window_that_begins_inside_a_line_end_stands_in_the_line_it_ends() -> None:
    source = "a\n> a\n> \n```\n```\n\n\né漢字\r\n\n\na\n" * 3
    for each in chunk(source, preset="mdvdb", max_tokens=5, overlap_tokens=0):
        before = source[: each.start]
        assert each.start_line == 1 + before.count("\n"), each.start


def test_text_above_the_first_heading_keeps_the_cap_without_the_path_of_that_heading() -> None:
    source = (
        '<Tabs title="text">\ntext\n\ntext text.\n\ntext text.\n</Tabs>\n\n'
        "これは「設定」です！これは「設定」です！全角。半角.全角。半角.\n\n### Install\n\n"
    )
    chunks = chunk(source, preset="ragdocs", oversized="split", max_tokens=50, counter="cl100k")
    assert max(part.tokens for part in chunks) <= 50
    assert [part.heading_path for part in chunks] == [(), ("Install",)]

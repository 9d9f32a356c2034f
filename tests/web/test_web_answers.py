"""Answers as HTML: Markdown is drawn, citations are links, and nothing hostile passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.model import Citation

pytest.importorskip("nh3", reason="the server of the page is not installed")

from headnote.rendering.answers import StreamedAnswer, render_answer

CITATION = Citation("guides/care.md", 3, 4, "Grease the seal.")
CITED = '<a href="#/document?path=guides%2Fcare.md&amp;line=3&amp;end=4" class="cite" title="guides/care.md:3-4"'


def streamed(text: str, size: int = 7) -> list[str]:
    answer = StreamedAnswer()
    blocks: dict[int, str] = {}
    for at in range(0, len(text), size):
        changed = answer.add(text[at : at + size])
        last = changed[-1].number if changed else len(blocks)
        blocks = {number: html for number, html in blocks.items() if number <= last}
        blocks |= {block.number: block.html for block in changed}
    return [blocks[number] for number in sorted(blocks)]


def test_markdown_is_drawn() -> None:
    text = "Do this:\n\n1. **Open** it.\n2. Grease `seal`.\n\n```sh\nls\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
    html = "".join(render_answer(text, []))
    for part in ("<ol>", "<strong>Open</strong>", "<code>seal</code>", 'class="language-sh"', "<td>2</td>"):
        assert part in html


def test_a_citation_is_a_numbered_link() -> None:
    (html,) = render_answer("Grease it. [guides/care.md:3-4] And again. [guides/care.md:3-4]", [CITATION])
    assert html.count(CITED) == 2
    assert html.count(">1</a>") == 2


def test_several_places_in_one_bracket_are_several_links() -> None:
    other = Citation("a, b.md", 7, 7)
    (html,) = render_answer("Grease it. [guides/care.md:3-4; a, b.md:7]", [CITATION, other])
    assert CITED in html
    assert '<a href="#/document?path=a%2C+b.md&amp;line=7" class="cite" title="a, b.md:7"' in html
    assert html.index(">1</a>") < html.index(">2</a>")


def test_relative_links_start_where_the_block_is_from() -> None:
    (html,) = render_answer("See [the seal](seal.md). [guides/care.md:3-4]", [CITATION])
    assert 'href="#/document?path=guides%2Fseal.md"' in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1)) <a href='javascript:alert(1)'>b</a>",
        '[x"><script>alert(1)</script>.md:3-4]',
        "<a class='cite' href='data:text/html,x'>1</a>",
        "<style>*{display:none}</style><iframe src='/'></iframe>",
    ],
)
def test_what_a_model_writes_is_cleaned(text: str) -> None:
    for html in ("".join(render_answer(text, [])), "".join(streamed(text))):
        assert "<script" not in html
        assert "<style" not in html
        assert "<iframe" not in html
        assert 'href="javascript:' not in html
        assert 'href="data:' not in html
        assert "onerror=" not in html.replace("onerror=alert(1)&gt;", "")


PARTS = [
    "Some words. ",
    "\n\n",
    "\n",
    "- item",
    "1. one",
    "```\n",
    "# Head",
    "> quote",
    "| a |\n| - |\n",
    "    x",
    "---\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=20), st.integers(1, 9))
def test_a_stream_ends_as_the_whole_answer(parts: list[str], size: int) -> None:
    text = "".join(parts)
    assert streamed(text, size) == render_answer(text, [])


def test_a_very_long_block_is_drawn_when_it_is_complete() -> None:
    answer = StreamedAnswer()
    drawn = [answer.add("word " * 100) for _ in range(60)]
    assert drawn[0]
    assert drawn[-1] == []
    assert [block.number for block in answer.add("\n\nNext.")] == [0, 1]

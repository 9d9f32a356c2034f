"""A long document in pieces: joined, they are the whole, in text and lines, wherever they are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from headnote.api import Index
from headnote.markdown.document import Document
from headnote.rendering import page
from headnote.rendering.page import SOURCE_NOTICE, CutDocument, DrawnPage, pieces_of, render_text

pytest_plugins = ("web_fixtures",)

BLOCKS = (
    "# Heading\n",
    "Second\n------\n",
    "Words with [a reference][one] and [another].\n",
    "A note[^a], the same again[^a], another[^b], and none[^none].\n",
    "Said in passing^[an aside with [one]].\n",
    "[one]: https://example.org/one 'Title'\n",
    "[another]: other.md\n",
    "[^a]: The first note.\n",
    "[^b]: The second,\n\n    in two paragraphs.\n",
    "- item\n\n  continued[^b]\n- item\n",
    "> quoted [one]\n",
    "> [!note]\n> A callout[^a].\n",
    "> [!note] A title^[with an aside]\n> Words.\n",
    "| a | b^[aside of a head] |\n|---|---|\n| 1 | c^[aside of a cell] |\n",
    "!!! tip\n    Indented.\n\n    Twice, with a note[^b].\n",
    ":::info\nInside.\n\nStill inside.\n:::\n",
    "<details>\n<summary>Fold</summary>\n\nFolded.\n\n</details>\n",
    '=== "npm"\n\n    One.\n\n=== "pip"\n\n    Two.\n',
    "```python\n[^a]: not a note\n```\n",
    "| a | b |\n|---|---|\n| 1 | [one] |\n",
    "$$\nx^2\n$$\n",
    "---\n",
    "    indented code\n",
)


class Reading(HTMLParser):
    """What a reader sees: words, and elements with their lines, anchors and addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.seen += data.split()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, sorted((name, value or "") for name, value in attrs)))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_WHOLE_CHARS", 0)
    monkeypatch.setattr(page, "PIECE_CHARACTERS", 40)


def whole(text: str) -> str:
    cut = CutDocument(text, "a.md", False)
    blocks = cut.document.blocks
    cut.pieces = [page.PagePiece(blocks, len(text), blocks[-1].end_line)]
    return DrawnPage(cut, (), None).draw(0)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=12))
@pytest.mark.usefixtures("small_pieces")
def test_pieces_joined_are_the_whole(blocks: list[str]) -> None:
    text = "\n".join(blocks)
    assert Reading(render_text(text, "a.md")).seen == Reading(whole(text)).seen


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=20))
@pytest.mark.usefixtures("small_pieces")
def test_pieces_cover_all_blocks_once_and_in_order(blocks: list[str]) -> None:
    document = Document("\n".join(blocks), "a.md", False)
    found = pieces_of(document)
    assert [block for piece in found for block in piece.blocks] == list(document.blocks)
    for piece, after in pairwise(found):
        assert piece.start_line <= piece.end_line == after.start_line - 1


@pytest.mark.usefixtures("small_pieces")
def test_the_constructs_are_cut_at_all() -> None:
    assert len(pieces_of(Document("\n".join(BLOCKS), "a.md", False))) > 5


def test_a_usual_document_is_one_piece(repository: Path) -> None:
    for file in sorted((repository / "docs").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        assert len(pieces_of(Document(text, file.name, False))) == 1 + (len(text) > page.MAX_WHOLE_CHARS)


def test_nothing_open_is_cut_unless_it_never_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_WHOLE_CHARS", 0)
    monkeypatch.setattr(page, "PIECE_CHARACTERS", 100)
    folded = "<details>\n\n" + "words\n\n" * 40 + "</details>\n\n# After\n"
    assert [piece.start_line for piece in pieces_of(Document(folded, "a.md", False))] == [1, 85]
    never = "<div>\n\n" + "words\n\n" * 400
    assert len(pieces_of(Document(never, "a.md", False))) > 4


def test_a_piece_that_takes_too_long_is_shown_as_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_WHOLE_CHARS", 0)
    monkeypatch.setattr(page, "PIECE_CHARACTERS", 20)
    monkeypatch.setattr(page, "MAX_TEXT_CHARS", 100)
    text = "# One\n\nwords of one section\n\n# Two\n\n" + "long " * 30 + "\n\n# Three\n\nwords\n"
    html = render_text(text)
    assert html.count(SOURCE_NOTICE) == 1
    assert re.findall(r"<h1[^>]*>(\w+)", html) == ["One", "Three"]


@pytest.mark.usefixtures("small_pieces")
def test_footnotes_do_not_nest_deeper_than_the_rest() -> None:
    """The cleaner would take minutes."""
    text = "Words[^a].\n\n" * 5 + "[^a]: " + "<div>" * 1000 + "\n\n" + "More words.\n\n" * 9
    html = render_text(text)
    assert "<div" not in html


# -- by HTTP


@pytest.fixture
def long_client(tmp_path: Path) -> Iterator[TestClient]:
    from headnote.api.keeper import KeeperState, Served
    from headnote.web.app import make_app

    sections = [f"## Section {n}\n\nWords of section {n} and [a link][r].\n" for n in range(4000)]
    text = "# Long\n\n" + "\n".join(sections) + "\n[r]: https://example.org/\n"
    (tmp_path / "long.md").write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        yield TestClient(make_app(Served(index, KeeperState)), base_url="http://localhost")


def test_a_long_document_comes_in_pieces(long_client: TestClient) -> None:
    answer = long_client.get("/api/document", params={"path": "long.md"}).json()
    assert len(answer["pieces"]) > 5
    assert "Section 0" in answer["html"]
    assert "Section 3999" not in answer["html"]
    last = len(answer["pieces"]) - 1
    one = long_client.get("/api/piece", params={"path": "long.md", "number": last}).json()
    assert (one["number"], one["start_line"]) == (last, answer["pieces"][-1]["start_line"])
    assert 'href="https://example.org/"' in one["html"]
    assert f'data-start-line="{one["start_line"]}"' in one["html"]
    first = long_client.get("/api/piece", params={"path": "long.md"}).json()
    assert first["html"] == answer["html"]


def test_there_is_no_piece_after_the_last(long_client: TestClient) -> None:
    response = long_client.get("/api/piece", params={"path": "long.md", "number": 1000})
    assert response.status_code == 404
    assert long_client.get("/api/piece", params={"path": "none.md"}).status_code == 404

"""Links and tags: all of them, with their places, and none from code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from headnote.markdown.document import Document
from headnote.markdown.frontmatter import match_frontmatter
from headnote.markdown.links import links_and_tags
from headnote.markdown.scanner import scan_spans
from headnote.model import Link


def links_in(text: str, mdx: bool = False) -> list[Link]:
    return Document(text, mdx=mdx).links


def targets(text: str, mdx: bool = False) -> list[str]:
    return [f"{link.target}#{link.fragment}" if link.fragment else link.target for link in links_in(text, mdx)]


def tag_names(text: str) -> list[str]:
    tags = Document(text).inline_tags
    assert all(text[tag.start : tag.end] == f"#{tag.name}" for tag in tags)
    return [tag.name for tag in tags]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[t](a.md)", Link("link", "a.md", "", "t", 0, 9)),
        ("[t](a.md#b 'title')", Link("link", "a.md", "b", "t", 0, 19)),
        ("[t](#b)", Link("link", "", "b", "t", 0, 7)),
        ("[t](<a b.md> (title))", Link("link", "a b.md", "", "t", 0, 21)),
        ("[t](a(b)c)", Link("link", "a(b)c", "", "t", 0, 10)),
        (r"[t](a\)b&amp;c%20d)", Link("link", "a)b&c%20d", "", "t", 0, 19)),
        ("[*t* `c`]()", Link("link", "", "", "t c", 0, 11)),
        ("![alt](i.png)", Link("image", "i.png", "", "alt", 0, 13)),
        ("<https://a.org/#b>", Link("autolink", "https://a.org/", "b", "https://a.org/#b", 0, 18)),
        ("<me@a.org>", Link("autolink", "mailto:me@a.org", "", "me@a.org", 0, 10)),
        ("https://a.org/x_(y)", Link("autolink", "https://a.org/x_(y)", "", "https://a.org/x_(y)", 0, 19)),
        ("www.a.org", Link("autolink", "http://www.a.org", "", "www.a.org", 0, 9)),
        ("[[note]]", Link("wikilink", "note", "", "note", 0, 8)),
        ("[[a b#c d|e]]", Link("wikilink", "a b", "c d", "e", 0, 13)),
        ("[[#c]]", Link("wikilink", "", "c", "#c", 0, 6)),
        ("![[pic.png]]", Link("embed", "pic.png", "", "pic.png", 0, 12)),
    ],
)
def test_each_kind_of_link(text: str, expected: Link) -> None:
    assert links_in(text) == [expected]


@pytest.mark.parametrize("reference", ["[T x][My  Label]", "[my label][]", "[MY\nLABEL]"])
def test_references_find_their_definition(reference: str) -> None:
    text = f"{reference} end\n\n> - [my label]: <target.md#f> 'title'\n"
    [link] = links_in(text)
    assert (link.target, link.fragment, text[link.start : link.end]) == ("target.md", "f", reference)


def test_the_first_definition_counts() -> None:
    assert targets("[a]\n\n[a]: one\n[a]: two\n") == ["one"]


@pytest.mark.parametrize(
    "text",
    [
        "`[a](b)`",
        "```\n[a](b)\n```",
        "    [a](b)",
        "- x\n\n      [a](b)",
        "- ```\n  [a](b)\n  ```",
        "> ~~~\n> [a](b)\n> ~~~",
        "<!-- [a](b) -->",
        "text <!-- [a](b) --> text",
        "<div>\n[a](b)\n</div>",
        r"\[a](b)",
        "[ ] [x] [undefined] [a][b] [a] (b)",
        "- [ ] todo\n- [x] done",
        "[^1]\n\n[^1]: note",
        "http:// www. xhttp://a.org awww.a.org",
        "---\nlink: '[a](b)'\n---\n",
    ],
)
def test_what_is_no_link(text: str) -> None:
    assert links_in(text) == []


def test_a_checkbox_is_no_link_even_if_x_is_defined() -> None:
    assert targets("- [x] done [x]\n\n[x]: y\n") == ["y"]


@pytest.mark.parametrize(
    "text",
    [
        "# Heading [a](b)",
        "Heading [a](b)\n===",
        "- item\n  - [a](b)",
        "1. item\n\n   [a](b)",
        "-\t[a](b)",
        "> quote\nlazy [a](b)",
        "> - nested\n>   > [a](b)",
        "> ---\n> [a](b)\n> ---",
        "> 10) \t> [a](b)",
        "| x |\n|---|\n| [a](b) |",
        "- | x |\n  |---|\n  | [a](b) |",
        "[^1]: text\n\n    [a](b)",
        "- one\r\n- [a](b)\r\n",
        "- one\r  [a](b)\r",
    ],
)
def test_links_are_found_wherever_there_is_text(text: str) -> None:
    [link] = links_in(text)
    assert text[link.start : link.end] == "[a](b)"


def test_links_nest_only_as_images_in_links() -> None:
    assert targets("[![i](src)](url)") == ["url", "src"]
    assert targets("[x [inner](a) y](b)") == ["a"]
    assert targets("![x [inner](a) y](b)") == ["b", "a"]


def test_a_wikilink_in_a_table_has_its_bar_escaped() -> None:
    [link] = links_in("| x |\n|---|\n| [[note\\|alias]] |")
    assert (link.target, link.text) == ("note", "alias")


def test_bare_addresses_end_before_the_punctuation_around_them() -> None:
    text = "(see https://a.org/b), https://c.org/d?e=f. **https://g.org** https://h.org/i&amp; https://a_b.c_d"
    assert targets(text) == ["https://a.org/b", "https://c.org/d?e=f", "https://g.org", "https://h.org/i"]


def test_text_of_components_has_links_their_code_has_none() -> None:
    text = (
        'import x from "[no](no)"\n\n<Tabs a={{ b: "[no](no)" }}>\n    [a](b) {/* [no](no) */}\n\n'
        "    - [c](d)\n\n    ```\n    [no](no)\n    ```\n</Tabs>\n"
    )
    assert targets(text, mdx=True) == ["b", "d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#tag and #two/parts, (#three) “#four”", ["tag", "two/parts", "three", "four"]),
        ("#größe #日本語 #हिन्दी #a-b_c", ["größe", "日本語", "हिन्दी", "a-b_c"]),
        ("#2024 #12 #1a", ["1a"]),
        ("""in "#bada55" or '#fff', not "#face it" or "#decade\'""", ["face", "decade"]),
        ("C# F#x a#b ##no \\#no &#35; {#id}", []),
        ("# Heading #tag #", ["tag"]),
        ("# Heading {#id}", []),
        ("[a](#b) [[#c]] <https://a.org/#d> https://a.org/#e [#f](g)", []),
        ("`#code`\n\n    #code\n\n```\n#code\n```", []),
        ("- #item\n  > #quote", ["item", "quote"]),
        ("[x]: #anchor", []),
    ],
)
def test_tags(text: str, expected: list[str]) -> None:
    assert tag_names(text) == expected


LINKS = "[a](b) [c][d] [d] ![i](j) [[w]] ![[e|f]] <http://x> http://y.z www.q.r #tag".split(" ")
BLOCKS = ["> ", "- ", "1. ", "\t", "    ", "\n", "\r\n", "\r", "\n\n", "# ", "---\n", "```\n", "[d]: x\n", "[^1]: "]
SCRAPS = "[ ]( ] ! \\ ` | { <!-- --> <A> </A> é text".split(" ")
PIECES = st.sampled_from([*LINKS, *BLOCKS, *SCRAPS, "|a|\n|-|\n", " "])
DOCUMENTS = st.lists(PIECES, max_size=20).map("".join)


@given(DOCUMENTS, st.booleans())
def test_positions_are_true(text: str, mdx: bool) -> None:
    all_links, tags = links_and_tags(text, scan_spans(text, mdx), mdx)
    assert [link.start for link in all_links] == sorted(link.start for link in all_links)
    for link in all_links:
        assert text[link.start : link.end].startswith(("[", "![", "<", "http", "www"))
        assert link.end - link.start >= 3
    for tag in tags:
        assert text[tag.start : tag.end] == f"#{tag.name}"


@given(st.text(), st.booleans())
def test_no_text_raises(text: str, mdx: bool) -> None:
    links_and_tags(text, scan_spans(text, mdx), mdx)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "![",
        "](",
        "[a](",
        "[a](b",
        "[a](<b",
        '[a](b "',
        "[[",
        "[[a|",
        "[![a](b)",
        "<",
        "<a b='",
        "www.",
        "http://a)",
        "#",
    ],
)
def test_endless_markup(unit: str) -> None:
    """It would not come back if one unit made all others be read again."""
    text = unit * 20_000
    links_and_tags(text, [("paragraph", 0, len(text), 0, "")])


@pytest.mark.parametrize("unit", ["> ", "- ", "1. ", "> - ", "[^a]: "])
def test_endless_nesting(unit: str) -> None:
    text = unit * 20_000 + "[a](b)"
    links_in(text)


def test_nested_images_cost_no_square() -> None:
    text = "![x" * 20_000 + "](a)" * 20_000
    all_links, _ = links_and_tags(text, [("paragraph", 0, len(text), 0, "")])
    assert len(all_links) == 20_000


@pytest.mark.parametrize("corpus", ["own", "rust-book", "foam", "fastapi-en"])
def test_links_of_real_documents_are_those_a_parser_sees(
    corpus: str, corpus_files: Callable[[str], list[Path]]
) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    compared = 0
    for file in corpus_files(corpus):
        text = file.read_bytes().decode("utf-8")
        matter = match_frontmatter(text)
        seen = Counter(_targets(parser.parse(text[matter[0] :] if matter else text)))
        if "[[" in text or "[^" in text:
            continue  # wikilinks and footnotes are not CommonMark
        ours = Counter(
            f"{link.target}#{link.fragment}" if link.fragment else link.target
            for link in links_in(text)
            if link.kind != "autolink" or text[link.start] == "<"
        )
        assert ours == Counter(target.removesuffix("#") for target in seen.elements()), file
        compared += sum(ours.values())
    assert compared > 50


def _targets(tokens: Iterable[Any]) -> Iterable[str]:
    for token in tokens:
        if token.type in ("link_open", "image"):
            yield token.attrGet("href" if token.type == "link_open" else "src")
        yield from _targets(token.children or [])

"""The preset `blocks`: a block that is too large by itself is split by its kind, and only then."""

from __future__ import annotations

from typing import Any

import pytest

from headnote.chunking.chunker import chunk
from headnote.markdown import parse
from headnote.model import Chunk


def parts_of(text: str, **settings: Any) -> list[Chunk]:
    """The chunks of one block at a maximum of 100 tokens, each checked for what must hold for all."""
    settings = {"max_tokens": 100, "overlap_tokens": 0, "min_tokens": 0, **settings}
    chunks = chunk(text, preset="blocks", **settings)
    assert all(each.tokens <= 100 for each in chunks)
    assert all(each.is_split for each in chunks)
    assert "".join("".join(own(text, chunks)).split()) == "".join(text.split())
    return chunks


def own(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[each.start : each.end] for each in chunks]


@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_code_is_split_by_lines_with_fence_and_language_on_each_part(mark: str) -> None:
    text = f"{mark}python\n" + "\n".join(f"x = {number}  # a line" for number in range(100)) + f"\n{mark}\n"
    for each in parts_of(text):
        (block,) = parse(each.text)
        assert (block.kind, block.info) == ("code", "python")
        assert each.text.startswith(f"{mark}python\nx = ")
        assert each.text.endswith(f"# a line\n{mark}")


def test_an_unclosed_fence_is_closed_in_every_part() -> None:
    text = "```sh\n" + "echo hello\n" * 100
    assert all(each.text.startswith("```sh\n") and each.text.endswith("\n```") for each in parts_of(text))


def test_indented_code_is_split_by_lines_and_needs_no_fence() -> None:
    text = "\n".join(f"    x = {number}" for number in range(100))
    for each in parts_of(text):
        assert (each.prefix, each.suffix) == ("", "")
        assert {block.kind for block in parse(each.text)} == {"code"}


def test_indented_code_that_shows_a_fence_gets_none() -> None:
    text = "    ```sh\n" + "\n".join(f"    echo {number}" for number in range(100)) + "\n    ```"
    for each in parts_of(text):
        assert (each.prefix, each.suffix) == ("", "")


def test_prose_is_split_by_sentences() -> None:
    text = " ".join(f"This is sentence {number}, is it? No! It is a statement (or so)." for number in range(40))
    for each in own(text, parts_of(text)):
        assert each[0] in "TNI"
        assert each.endswith((".", "?", "!"))


def test_prose_without_sentences_is_split_between_words() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    known = set(text.split())
    assert all(set(each.split()) <= known for each in own(text, parts_of(text)))


def test_wide_prose_is_split_by_its_own_sentences() -> None:
    text = "".join(f"これは{number}番目の文です。" for number in range(60))
    assert all(each.endswith("。") for each in own(text, parts_of(text)))


@pytest.mark.parametrize("character", ["a", "漢", "%", "é"])
def test_one_endless_line_ends_under_max(character: str) -> None:
    assert len(parts_of(character * 5000)) > 5


def test_a_list_is_split_between_its_top_level_items() -> None:
    text = "\n".join(f"- item {number}\n  - nested {number}\n  - nested more" for number in range(60))
    for each in own(text, parts_of(text)):
        assert each.startswith("- item")
        assert each.endswith("nested more")


def test_an_item_is_split_only_if_it_alone_is_too_large() -> None:
    small = "\n".join(f"- small item {number}" for number in range(10))
    large = "- " + " ".join(f"Sentence {number} of it." for number in range(60))
    text = f"{small}\n{large}\n{small}"
    texts = own(text, parts_of(text))
    assert all(any(item in each.split("\n") for each in texts) for item in small.split("\n"))
    assert all(each.endswith((".", "9")) for each in texts)


def test_numbered_lists_keep_their_numbers() -> None:
    text = "\n".join(f"{number}. item number {number}" for number in range(1, 90))
    assert all(each[0].isdigit() for each in own(text, parts_of(text)))


def test_a_table_is_split_by_rows_under_a_repeated_header() -> None:
    head = "| name | value |\n|---|---:|\n"
    text = head + "".join(f"| row {number} | {number} |\n" for number in range(100))
    parts = parts_of(text)
    assert len(parts) > 3
    for each in parts:
        assert each.text.startswith(head)
        assert [block.kind for block in parse(each.text)] == ["table"]
    assert [each.prefix for each in parts] == ["", *[head] * (len(parts) - 1)]


def test_a_giant_cell_ends_under_max_under_the_header() -> None:
    head = "| a | b |\n|---|---|\n"
    parts = parts_of(f"{head}| {'word ' * 300}| x |\n")
    assert all(each.text.startswith(head) for each in parts)


def test_a_quote_is_split_between_its_paragraphs() -> None:
    text = "\n>\n".join(f"> Paragraph {number} of the quote, with a few words." for number in range(30))
    for each in own(text, parts_of(text)):
        assert each.startswith("> Paragraph")
        assert each.rstrip("\n>").endswith("words.")


def test_a_fence_in_a_quote_or_list_is_reopened_where_it_stood() -> None:
    code = ["```js", *(f"call({number});" for number in range(80)), "```"]
    quote = "\n".join(f"> {line}" for line in code)
    for each in parts_of(quote):
        assert each.text.startswith("> ```js\n> call(")
        assert each.text.endswith(";\n> ```")
    item = "- run\n\n" + "\n".join(f"    {line}" for line in code)
    for each in parts_of(item)[1:]:
        assert each.text.startswith("    ```js\n    call(")
        assert each.text.endswith(";\n    ```")


def test_a_fence_in_a_component_is_reopened() -> None:
    code = "```js\n" + "\n".join(f"call({number});" for number in range(80)) + "\n```"
    parts = parts_of(f"<Sandpack>\n\n{code}\n\n</Sandpack>", mdx=True)
    assert all("```js\n" in each.text for each in parts)
    assert all(each.text.count("```") == 2 for each in parts)


def test_frontmatter_that_is_included_is_split_by_lines() -> None:
    text = "---\n" + "\n".join(f"key{number}: value {number}" for number in range(80)) + "\n---\n"
    for each in own(text, parts_of(text, frontmatter="include")):
        assert all(line.startswith("key") or line == "---" for line in each.split("\n"))


def test_a_giant_heading_ends_under_max() -> None:
    text = "# " + "word " * 400 + "\n\ntext"
    assert len(chunk(text, preset="blocks", max_tokens=100)) > 3
    assert all(each.tokens <= 100 for each in chunk(text, preset="blocks", max_tokens=100))


def test_a_picture_in_the_text_is_a_placeholder_where_it_is_embedded() -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 2000
    text = f"Before ![diagram]({picture}) after."
    (only,) = chunk(text, preset="blocks", max_tokens=100)
    assert only.text == text
    assert only.embed_text == "Before ![diagram](data:image/png;base64,…) after."
    assert only.tokens == -(-len(only.embed_text) // 4)


def test_a_block_that_fits_is_never_split() -> None:
    code = "```\n" + "x" * 200 + "\n```"
    text = "\n\n".join(["y" * 300, code, "z" * 300])
    assert own(text, chunk(text, preset="blocks", max_tokens=100, overlap_tokens=0)) == ["y" * 300, code, "z" * 300]


def test_splitting_may_be_switched_off_for_all_kinds_or_for_one() -> None:
    code = "```\n" + "line of code\n" * 100 + "```"
    text = f"{'word ' * 300}\n\n{code}"
    whole = [("word " * 300).strip(), code]
    assert [each.strip() for each in own(text, chunk(text, preset="blocks", max_tokens=100, oversized="keep"))] == whole
    chunks = chunk(text, preset="blocks", max_tokens=100, oversized={"code": "keep"})
    assert own(text, chunks)[-1] == code
    assert len(chunks) > 3

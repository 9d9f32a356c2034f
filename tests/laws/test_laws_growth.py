"""Law 8: work grows as the input does, and memory stays a small multiple of it. Counted, never timed."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import worst
from edits import long_section
from effort import counted_steps, stop_of_endless_work
from worst import repeated

from headnote.chunking.chunker import chunk
from headnote.chunking.presets import presets

SMALL = 24_000
# Twice the input, twice the work. The rest is for what rounds: how many chunks there are, and where they end.
TOLERATED = 2.2
# Steps that do not depend on the input: tables, first use of a cache.
OVERHEAD = 3_000

SENTENCE = "A sentence with several words in it, and then some more. "

# fmt: off
WORST: dict[str, Callable[[int], str]] = {
    "one endless line": repeated("a"),
    "one endless line of wide characters": repeated("漢"),
    "one endless line of signs": repeated("%-"),
    "one endless line of quotes": repeated("> "),
    "one paragraph of words": repeated("ab "),
    "one paragraph of sentences": repeated(SENTENCE),
    "one paragraph of lines": repeated("some text here\n"),
    "tiny sections": repeated("## h\n\ntext\n\n"),
    "tiny sections, nested": repeated("# a\n## b\n### c\n\nx\n\n"),
    "tiny sections, all different": lambda size: "".join(f"# {i:05}\n\ntext {i}\n\n" for i in range(size // 20)),
    "headings without text": repeated("# heading\n\n"),
    "headings in front of one paragraph": repeated("# heading\n\n", after="text"),
    "one list": repeated("- item of a list\n"),
    "one list of large items": repeated("- " + SENTENCE * 40 + "\n"),
    "one loose list": repeated("- item\n\n  more\n\n"),
    "one giant item": repeated("  some text\n", before="- a\n"),
    "one table": repeated("| cell | cell |\n", before="| a | b |\n|---|---|\n"),
    "one giant cell": repeated("word ", before="| a | b |\n|---|---|\n| ", after="|\n"),
    "one giant head of a table": repeated("word ", before="| ", after="| b |\n|---|---|\n| x | y |\n"),
    "one code block": repeated("    x = 1\n", before="```py\n", after="```\n"),
    "one code block of one line": repeated("x = 1; ", before="```py\n", after="\n```\n"),
    "one code block, unclosed": repeated("a\n", before="```\n"),
    "one giant info string": repeated("word ", before="```", after="\ncode\n```\n"),
    "one giant heading": repeated("word ", before="# ", after="\n\ntext\n"),
    "one giant heading of one word": repeated("a", before="# ", after="\n\ntext\n"),
    "large paragraphs": repeated(SENTENCE * 40 + "\n\n"),
    "large code blocks": repeated("```\n" + "x = some code here\n" * 120 + "```\n\n"),
    "announcements": repeated("See:\n\n"),
    "thematic breaks": repeated("---\n\n"),
    "quote lines": repeated("> some text\n"),
    "one footnote": repeated("\n    b\n", before="[^a]: b\n"),
    "nested quotes": repeated(">", after=" a"),
    "nested bullets": repeated("- ", after="a"),
    "nested bullets, one deeper each line": worst.each_longer("  ", "- a\n"),
    "quotes in bullets": repeated("- > ", after="a"),
    "blank lines between": repeated("\n", before="a", after="b"),
    "blank lines in code": repeated("\n", before="```\na", after="b\n```\n"),
    "blank lines in a list": repeated("\n", before="- a", after="  b"),
    "spaces between": repeated(" ", before="a", after="b"),
    "one picture": repeated("A", before="![a](data:image/png;base64,", after=")"),
    "pictures": repeated("![a](data:image/png;base64," + "A" * 100 + ") text\n\n"),
    "carriage returns": repeated("text text.\r\r"),
    "one dotted key of frontmatter": repeated("a.", before="+++\n", after="b = 1\n+++\n\ntext\n"),
    "one dotted table of frontmatter": repeated("a.", before="+++\n[", after="b]\n+++\n\ntext\n"),
    "one list of frontmatter": repeated("- a\n", before="---\nb:\n", after="---\n\ntext\n"),
}
READ_ALIKE = {
    *("one endless line of quotes", "one giant info string", "nested quotes", "nested bullets", "quotes in bullets"),
    *("nested bullets, one deeper each line", "blank lines between", "blank lines in code", "blank lines in a list"),
    *("spaces between", "carriage returns", "one dotted key of frontmatter", "one dotted table of frontmatter"),
    "one list of frontmatter",
}
"""What is long in them is the work of the parser, which no preset changes."""
COMPONENTS: dict[str, Callable[[int], str]] = {
    "one component": repeated("text text text\n\n", before="<A>\n\n", after="</A>\n"),
    "nested components": worst.two_parts("<A>\n\n", "text\n", "\n</A>\n"),
    "one expression": repeated("a + ", before="{", after="b}\n"),
}
# fmt: on
WORST_BY_PRESET = [
    (preset, name) for preset in presets() for name in WORST if preset == "default" or name not in READ_ALIKE
]


def steps_to_chunk(text: str, **settings: Any) -> int:
    """For all chunks, and whatever of them is worked out late."""

    def run() -> None:
        with stop_of_endless_work():
            for each in chunk(text, **settings):
                _ = each.id, each.key, each.text, each.tokens, each.start_line, each.links, each.hash
                _ = each.tags, each.metadata

    return counted_steps(run)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """The first call compiles regexes and loads a tokenizer, which is work of its own."""
    for preset in presets():
        for mdx in (False, True):
            assert [each.to_dict() for each in chunk("# a\n\n[b](c)", preset=preset, mdx=mdx)]


@pytest.mark.parametrize(("preset", "name"), WORST_BY_PRESET)
def test_work_doubles_with_the_input(preset: str, name: str) -> None:
    small, large = (steps_to_chunk(WORST[name](size), preset=preset) for size in (SMALL, 2 * SMALL))
    assert large <= small * TOLERATED + OVERHEAD


@pytest.mark.parametrize("name", [name for name in WORST if name not in READ_ALIKE])
def test_work_doubles_with_the_input_in_small_chunks(name: str) -> None:
    settings: dict[str, Any] = {"max_tokens": 64, "overlap_tokens": 8}
    small, large = (steps_to_chunk(WORST[name](size), **settings) for size in (SMALL, 2 * SMALL))
    assert large <= small * TOLERATED + OVERHEAD


@pytest.mark.parametrize("name", COMPONENTS)
@pytest.mark.parametrize("preset", ["default", "blocks"])
def test_work_doubles_with_components(preset: str, name: str) -> None:
    small, large = (
        steps_to_chunk(COMPONENTS[name](size), preset=preset, mdx=True) for size in (SMALL // 4, SMALL // 2)
    )
    assert large <= small * TOLERATED + OVERHEAD


# What happens inside one call to C is not counted. If that looked again at what it has read, a text of this size would
# take minutes instead of a second: a stop for what would not end, in processor time, many times what it takes.
ENDLESS = 100_000


@pytest.mark.parametrize(("preset", "name"), WORST_BY_PRESET)
def test_long_input_ends(preset: str, name: str) -> None:
    text = WORST[name](ENDLESS)
    with stop_of_endless_work():
        chunks = chunk(text, preset=preset)
    assert all(each.end <= len(text) for each in chunks)


def a_book(size: int) -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(long_section(random.Random(len(parts)), 60))
    return "\n".join(parts)


# Lines of ordinary length: the record of each line is larger than a line of ten characters.
MEGABYTE: dict[str, Callable[[int], str]] = {
    "a book": a_book,
    "one section": lambda size: long_section(random.Random(1), size // 220),
    "one endless line": WORST["one endless line"],
    "one paragraph of sentences": WORST["one paragraph of sentences"],
    "one list": repeated("- an item of a list, with some words\n"),
    "one code block": repeated("    value = compute(first, second)\n", before="```py\n", after="```\n"),
}


@pytest.mark.parametrize("preset", presets())
@pytest.mark.parametrize("name", MEGABYTE)
def test_memory_stays_below_ten_times_the_document(name: str, preset: str) -> None:
    text = MEGABYTE[name](1_000_000)
    tracemalloc.start()
    try:
        chunks = chunk(text, preset=preset)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert chunks
    assert peak < 10 * len(text)

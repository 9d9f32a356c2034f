"""Every example of the specifications: the same sequence of top-level blocks as in the HTML they ask for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from htmlblocks import blocks_of_html, footnotes_of_html, merge_html

from headnote.markdown.scanner import scan
from headnote.model import Block

COMMONMARK_EXAMPLES = 652
GFM_EXAMPLES = {"gfm-spec.txt": 673, "gfm-extensions.txt": 28, "gfm-regression.txt": 19}

# Examples whose HTML cannot be read back: the author's own tags look like a renderer's, or there is none.
READ_BY_HAND = {
    "gfm-spec.txt:9661": ["paragraph", "html"],  # raw <blockquote>
    "gfm-extensions.txt:583": ["paragraph"],  # says <IGNORE>
    "gfm-extensions.txt:605": ["paragraph", "html"] * 4,  # raw <p>
    "gfm-regression.txt:38": ["html"],  # raw <h1> to <h6>
}

FENCE = "`" * 32
FRONTMATTER_OPENING = re.compile(r"---|\+\+\+")


class Example(NamedTuple):
    """Some Markdown and the HTML that a specification wants for it."""

    name: str
    markdown: str
    html: str


def commonmark_examples(shared: Path) -> list[Example]:
    examples = json.loads((shared / "conformance" / "commonmark.json").read_text(encoding="utf-8"))
    return [Example(f"{e['example']} ({e['section']})", e["markdown"], e["html"]) for e in examples]


def gfm_examples(shared: Path, file_name: str) -> list[Example]:
    """Examples of a specification in text form: a long fence, Markdown, a dot, HTML, the fence again."""
    source = (shared / "conformance" / file_name).read_bytes().decode("utf-8")
    examples: list[Example] = []
    lines = iter(enumerate(source.replace("→", "\t").split("\n"), start=1))
    for number, line in lines:
        if line.startswith(f"{FENCE} example"):
            body: list[str] = []
            for _, inner in lines:
                if inner == FENCE:
                    break
                body.append(inner)
            dot = body.index(".")
            markdown, html = ("".join(f"{part}\n" for part in half) for half in (body[:dot], body[dot + 1 :]))
            examples.append(Example(f"{file_name}:{number}", markdown, html))
    return examples


def scan_without_frontmatter(markdown: str) -> list[Block]:
    """Plain CommonMark knows no frontmatter: a blank line before makes `---` what the specification means."""
    return scan(f"\n{markdown}" if FRONTMATTER_OPENING.match(markdown) else markdown)


def kinds_with_html(blocks: list[Block]) -> list[str]:
    """The blocks that leave a trace in HTML, in the form of `blocks_of_html`."""
    visible = [block for block in blocks if block.kind not in {"definition", "footnote"}]
    return merge_html([f"{block.kind}{block.level or ''}" for block in visible])


def visible_in_html(html: str) -> list[str]:
    return [kind for kind in blocks_of_html(html) if kind != "footnotes"]


def differences(examples: list[Example]) -> dict[str, str]:
    differing = {}
    for example in examples:
        blocks = scan_without_frontmatter(example.markdown)
        ours = kinds_with_html(blocks)
        theirs = READ_BY_HAND.get(example.name) or visible_in_html(example.html)
        footnotes = sum(block.kind == "footnote" for block in blocks)
        if ours != theirs:
            differing[example.name] = f"ours {ours}, specified {theirs}, of {example.markdown!r}"
        elif footnotes < footnotes_of_html(example.html):
            differing[example.name] = f"only {footnotes} footnotes in {example.markdown!r}"
    return differing


def report(differing: dict[str, str]) -> str:
    return "\n".join([f"{len(differing)} examples differ:", *(f"  {name}: {text}" for name, text in differing.items())])


def test_commonmark(shared: Path) -> None:
    examples = commonmark_examples(shared)
    assert len(examples) == COMMONMARK_EXAMPLES
    differing = differences(examples)
    assert not differing, report(differing)


@pytest.mark.parametrize(("file_name", "count"), GFM_EXAMPLES.items())
def test_github_flavoured_markdown(shared: Path, file_name: str, count: int) -> None:
    examples = gfm_examples(shared, file_name)
    assert len(examples) == count
    differing = differences(examples)
    assert not differing, report(differing)

"""Two independent parsers as judges: what pyromark and markdown-it-py see at top level.

Neither tells link reference definitions as blocks, so both leave them out. They check them all the same: a
definition we take too far or not far enough moves the paragraph after it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import pyromark
from blocklines import Seen, last_line_with_content, lines_of
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

PYROMARK = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES)
KIND_OF_EVENT = {
    "Heading": "heading",
    "Paragraph": "paragraph",
    "CodeBlock": "code",
    "List": "list",
    "Table": "table",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "FootnoteDefinition": "footnote",
    "Rule": "rule",
}

# The preset stops at 20 nested containers; no document should look different because it is deep.
MARKDOWN_IT = MarkdownIt("commonmark", {"maxNesting": 10_000}).enable("table").disable("inline")
MARKDOWN_IT.use(footnote_plugin, inline=False, move_to_end=False)
KIND_OF_TOKEN = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "blockquote_open": "quote",
    "html_block": "html",
    "footnote_reference_open": "footnote",
    "hr": "rule",
}

LINE_END = re.compile(r"\r\n|\r|\n")

Judge = Callable[[str], list[Seen]]


def seen_by_pyromark(text: str) -> list[Seen]:
    # It misreads a lone carriage return inside containers; how a line ends must make no difference anyway.
    text = LINE_END.sub("\n", text)
    source = text.encode("utf-8")
    line_starts = [0, *(match.end() for match in re.finditer(b"\n", source))]
    lines = lines_of(text)
    seen = []
    depth = 0
    for event, span in PYROMARK.events_with_range(text):
        if depth == 0 and (block := _opened_block(event)):
            first = bisect_right(line_starts, span["start"])
            # The range ends past the line end of the last line, so its last byte is still on that line.
            last = bisect_right(line_starts, max(span["end"] - 1, span["start"]))
            kind, level = block
            seen.append(Seen(kind, first, last_line_with_content(lines, first, last), level))
        depth += _depth_change(event)
    return without_overlaps(lines, seen)


def without_overlaps(lines: list[str], seen: list[Seen]) -> list[Seen]:
    """One block per line. In `-\\n a` a range of pyromark reaches into the next block, and a footnote within a
    footnote stands beside it.
    """
    result: list[Seen] = []
    for one in seen:
        if result and one.first_line == result[-1].first_line:
            result[-1] = result[-1]._replace(last_line=max(one.last_line, result[-1].last_line))
            continue
        if result and one.first_line <= result[-1].last_line:
            last = last_line_with_content(lines, result[-1].first_line, one.first_line - 1)
            result[-1] = result[-1]._replace(last_line=last)
        result.append(one)
    return result


def _opened_block(event: Any) -> tuple[str, int] | None:
    """Kind and heading level of the block that the event opens."""
    if event == "Rule":
        return "rule", 0
    tag = event["Start"]
    name = tag if isinstance(tag, str) else next(iter(tag))
    level = int(tag["Heading"]["level"][1]) if name == "Heading" else 0
    return KIND_OF_EVENT[name], level


def _depth_change(event: Any) -> int:
    if isinstance(event, str):
        return 0
    return ("Start" in event) - ("End" in event)


def seen_by_markdown_it(text: str) -> list[Seen]:
    lines = lines_of(text)
    seen = []
    for token in MARKDOWN_IT.parse(text):
        if token.level == 0 and token.nesting >= 0 and token.type in KIND_OF_TOKEN:
            first, last = token.map or [0, 0]
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            last_line = last_line_with_content(lines, first + 1, last)
            seen.append(Seen(KIND_OF_TOKEN[token.type], first + 1, last_line, level))
    return seen

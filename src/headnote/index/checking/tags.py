"""Links and pictures in HTML, `<a href>` and `<img src>`: readers follow them as any other link, so the gate does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from headnote.markdown.document import Document
from headnote.markdown.links import split_target
from headnote.model import Link

_ATTRIBUTE = r"""[^<>]{0,2000}?(?<![\w:.@-])%s\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')[^<>]{0,2000}>"""
# Only attributes of HTML itself: `:src` and `data-src` are for programs, and so are tags with a capital. What hides
# tags is matched first and to its end, so none is looked for inside; without an end it hides the rest.
_HIDDEN_OR_TAG = re.compile(
    rf"""
    `[^`]*+`
  | <!--.*?(?:-->|\Z)
  | \{{/\*.*?(?:\*/\}}|\Z)
  | ^[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)*+(?P<fence>`{{3,}}|~{{3,}}).*?(?:^[ \t>]*+(?P=fence)|\Z)
  | (?P<tag><img\s{_ATTRIBUTE % "src"}|<a\s{_ATTRIBUTE % "href"})
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_CONTRIBUTORS = re.compile(r"<!-- ALL-CONTRIBUTORS-LIST:START.*?(?:ALL-CONTRIBUTORS-LIST:END|\Z)", re.DOTALL)
"""A table that a bot writes, with a link to an anchor that no page has for each thing that somebody did."""
_SHOWN = frozenset({"paragraph", "heading", "html", "table", "list", "quote"})


def links_in_tags(document: Document) -> Iterator[Link]:
    """In the order of the document; none in code or comments."""
    text = document.text
    if "<img" not in text and "<a " not in text:
        return
    text = _CONTRIBUTORS.sub(lambda table: " " * len(table[0]), text)
    for block in document.blocks:
        if block.kind in _SHOWN and text.find("<", block.start, block.end) >= 0:
            matches = _HIDDEN_OR_TAG.finditer(text, block.start, block.end)
            yield from (_link(match) for match in matches if match["tag"])


def _link(match: re.Match[str]) -> Link:
    tag, *values = match.groups()[1:]
    written = next((value for value in values if value is not None), "")
    target, fragment = split_target(unescape(written).strip())
    return Link("image" if tag.startswith("<img") else "link", target, fragment, "", match.start(), match.end())

"""The top-level blocks behind the HTML that a Markdown renderer wrote."""

from __future__ import annotations

import re
from html.parser import HTMLParser

KIND_OF_TAG = {
    **{f"h{level}": f"heading{level}" for level in range(1, 7)},
    "p": "paragraph",
    "pre": "code",
    "ul": "list",
    "ol": "list",
    "blockquote": "quote",
    "hr": "rule",
    "table": "table",
    "section": "footnotes",
}

# Exactly what renderers write for a block of their own; any other form of these tags is the author's own.
WRITTEN_BY_RENDERER = re.compile(
    r"""<(?: h[1-6] | p | ul | ol (?:\ start="\d+")? | blockquote | hr\ /
           | table (?= >\n<thead> )
           | pre (?: \ lang="[^"]*" )? (?= ><code) | section\ class="footnotes" (?:\ data-footnotes)? )>""",
    re.VERBOSE,
)
FOOTNOTE_ITEM = re.compile(r'<li id="fn-?[^"]+">')


def blocks_of_html(html: str) -> list[str]:
    """Kinds in order, headings with their level; a run of raw HTML is one `html`, whatever wrote it.

    HTML shows neither where one raw block ends and the next begins nor any definition, so a comparison has to
    leave both open.
    """
    # These two are whole comments since HTML 5; older versions of `html.parser` read on to the next `-->`.
    html = html.replace("<!--->", "<!-- -->").replace("<!-->", "<!-- -->")
    reader = _TopLevelReader(html)
    reader.feed(html)
    # The rest is a tag that never ends; `html.parser` of Python 3.14 drops it.
    reader.handle_data(reader.rawdata)
    reader.close()
    return merge_html(reader.kinds)


def merge_html(kinds: list[str]) -> list[str]:
    merged: list[str] = []
    for kind in kinds:
        if not (kind == "html" and merged and merged[-1] == "html"):
            merged.append(kind)
    return merged


def footnotes_of_html(html: str) -> int:
    """How many footnotes were rendered: only those that some text refers to."""
    return len(FOOTNOTE_ITEM.findall(html))


class _TopLevelReader(HTMLParser):
    """Collects the kinds of what stands outside every block the renderer opened."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.kinds: list[str] = []
        self._html = html
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", html))]
        self._open_tag = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._depth:
            self._depth += tag == self._open_tag
        elif self._is_written_by_renderer():
            self.kinds.append(KIND_OF_TAG[tag])
            self._open_tag, self._depth = tag, 1
        else:
            self._add_raw_html()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._depth:
            self.kinds.append(KIND_OF_TAG[tag] if self._is_written_by_renderer() else "html")

    def handle_endtag(self, tag: str) -> None:
        if not self._depth:
            self.kinds.append("html")
        elif tag == self._open_tag:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if not self._depth and data.strip():
            self.kinds.append("html")

    def handle_comment(self, data: str) -> None:
        self._add_raw_html()

    def handle_decl(self, decl: str) -> None:
        self._add_raw_html()

    def handle_pi(self, data: str) -> None:
        self._add_raw_html()

    def unknown_decl(self, data: str) -> None:
        self._add_raw_html()

    def handle_charref(self, name: str) -> None:
        self._add_raw_html()

    def handle_entityref(self, name: str) -> None:
        self._add_raw_html()

    def set_cdata_mode(self, elem: str, **_options: object) -> None:
        """Do nothing: a raw `<script>` that is never closed must not swallow the blocks written after it."""

    def _add_raw_html(self) -> None:
        if not self._depth:
            self.kinds.append("html")

    def _is_written_by_renderer(self) -> bool:
        line, column = self.getpos()
        position = self._line_starts[line - 1] + column
        return column == 0 and WRITTEN_BY_RENDERER.match(self._html, position) is not None

"""JSX: tags, expressions and imports, in MDX and in Markdown for Docusaurus and Vue.

Tags that begin a line are markers: what is between them is Markdown. Tags inside a paragraph are dropped, and their
content stays. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from headnote.markdown.comments import COMMENT_EXPRESSION
from headnote.markdown.rules.mdx import closing_bracket, esm_end, read_tag
from headnote.markdown.shown_headings import shown_heading
from headnote.rendering.markers import MAX_LINE_CHARS, LineMarkers, Marker, Reader, plain
from headnote.rendering.meanings import said

if TYPE_CHECKING:
    from markdown_it.token import Token

_CLOSING = re.compile(r"</([A-Za-z][\w.]*+)>\s*+")
_COMPONENT = re.compile(r"</?\s*(?:[A-Z][A-Za-z0-9]*[a-z][\w.]*|[A-Z](?=[\s/>]))")
_WITH_EXPRESSION = re.compile(r"""<[a-z][\w-]*+(?:\s++[\w:.-]++(?:="[^"]*+"|='[^']*+')?+)*?\s++[\w:.-]++=\{""")
"""An element of HTML that only JSX can read: an attribute of it is an expression."""
_ATTRIBUTE = re.compile(
    r"""([A-Za-z_$:@][\w$:.-]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|\{\s*+(?:"([^"{}]*+)"|'([^'{}]*+)'|`([^`{}$]*+)`)\s*+\}|(\{)))?+"""
)
_STRING = re.compile(r"""\{\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$]*)`)\s*\}""")
_NAME = re.compile(r"</?\s*([\w.$:-]*)")
_IMPORTS = re.compile(r"""import\s(?:[^\n;'"]{0,500}?\sfrom\s+)?["'][^"'\n]+["'][ \t]*;?[ \t]*(?=\n|\Z)""")
_STATEMENT = re.compile(r"(?<![ \t])(?:import|export)[ ]++[^\n]")
_BLOCKS = frozenset(
    "article aside center dd details div dl dt figcaption figure footer form header h1 h2 h3 h4 h5 h6 hr iframe"
    " img li main nav ol p picture section summary svg table tbody td tfoot th thead tr ul video audio".split()
)
_AS_CODE = frozenset({"script", "style"})


def component_reader(mdx: bool) -> Reader:
    """A reader of the tags that begin a line: in MDX all of them, in Markdown those of components."""
    brackets: dict[int, int] = {}

    def read(source: str, start: int, _: int) -> LineMarkers | None:
        if not mdx and not _is_component(source, start):
            return None
        markers, at = _markers(source, start, brackets, mdx)
        if not markers and at == start:
            return None
        line_end = source.find("\n", at)
        line_end = len(source) if line_end < 0 else line_end
        rest = source[at:line_end].rstrip()
        if not rest:
            return LineMarkers(markers, at)
        return _with_text(source, markers, at, at + len(rest))

    return read


def _markers(source: str, start: int, brackets: dict[int, int], mdx: bool) -> tuple[list[Marker], int]:
    """The tags and expressions in a row, and where they end."""
    markers: list[Marker] = []
    at = start
    while at < len(source) and at - start < MAX_LINE_CHARS:
        if source[at] == "<" and (mdx or _is_component(source, at)):
            end = _tag_end(source, at, brackets)
            markers += [_marker(source[at:end])] if end > 0 else []
        elif source[at] == "{" and mdx:
            end = closing_bracket(source, at, brackets)
            markers += _expression(source[at:end]) if end > 0 else []
        else:
            break
        if end < 0:
            break
        at = end
        while source.startswith((" ", "\t"), at):
            at += 1
    return markers, at


def _is_component(source: str, at: int) -> bool:
    return bool(_COMPONENT.match(source, at) or _WITH_EXPRESSION.match(source, at, at + MAX_LINE_CHARS))


def _tag_end(source: str, at: int, brackets: dict[int, int]) -> int:
    tag = read_tag(source, at, brackets)
    if tag is None:
        return -1
    if tag.opens > 0 and tag.name in _AS_CODE:
        closing = source.find(f"</{tag.name}>", tag.end)
        return closing + len(tag.name) + 3 if closing >= 0 else tag.end
    return tag.end


def _with_text(source: str, markers: Sequence[Marker], at: int, end: int) -> LineMarkers | None:
    """Tags with text behind them on the line: a box if they open one, else the beginning of a paragraph."""
    names = [marker.name for marker in markers if marker.opens > 0]
    if not names or len(names) < len(markers) or any(name.islower() and name not in _BLOCKS for name in names):
        return None
    text = source[at:end]
    text_end, closed = closings_at_end(text)
    if closed and closed[0] == names[-1]:
        return LineMarkers(markers, at, [Marker("jsx", -1, name, "") for name in closed], at + text_end)
    return None if f"</{names[-1]}>" in text else LineMarkers(markers, at)


def closings_at_end(text: str) -> tuple[int, list[str]]:
    """Where the closing tags at the end of a text begin, and their names.

    They are read from the last to the first: a search from the start would try all tags at each of them.
    """
    names: list[str] = []
    at = len(text)
    while (start := text.rfind("<", 0, at)) >= 0:
        closing = _CLOSING.match(text, start, at)
        if closing is None or closing.end() != at:
            break
        names.append(closing[1])
        at = start
    return at, names[::-1]


def _marker(tag: str) -> Marker:
    name = _NAME.match(tag)
    written = name[1] if name else ""
    attributes = read_props(tag)
    opens = -1 if tag.startswith("</") else 0 if tag.endswith("/>") or written in _AS_CODE else 1
    fold = "+" if "open" in attributes or "defaultOpen" in attributes else ""
    return Marker("jsx", opens, written, tag, attributes=attributes, fold=fold)


def read_props(tag: str) -> dict[str, str]:
    """The attributes of a tag that are plain strings; one without a value is empty."""
    props: dict[str, str] = {}
    name = _NAME.match(tag)
    at = name.end() if name else 0
    while (match := _ATTRIBUTE.search(tag, at)) is not None:
        at = match.end()
        if match[7]:
            end = closing_bracket(tag, match.start(7), {})
            at = end if end > 0 else len(tag)
            continue
        value = next((group for group in match.groups()[1:6] if group is not None), "")
        props[match[1]] = unescape(value).strip()
    return props


def _expression(written: str) -> list[Marker]:
    if COMMENT_EXPRESSION.fullmatch(written):
        return []
    return [Marker("expression", 0, "", written, _string(written))]


def _string(expression: str) -> str | None:
    string = _STRING.fullmatch(expression)
    return plain(next((group for group in string.groups() if group is not None), "")) if string else None


def statement_reader(mdx: bool) -> Reader:
    """A reader of imports, and in MDX of exports: the code of a page."""
    brackets: dict[int, int] = {}

    def read(source: str, start: int, _: int) -> LineMarkers | None:
        at = end = start
        if mdx and _STATEMENT.match(source, start):
            text = source if source.endswith("\n") else source + "\n"
            end = esm_end(text, start, brackets) - 1
        else:
            while (statement := _IMPORTS.match(source, at)) is not None:
                end = statement.end()
                at = end + 1
        return LineMarkers([Marker("esm", 0, "", source[start:end])], end) if end > start else None

    return read


# -- inside paragraphs


def inline_rule(mdx: bool) -> Callable[[Any, bool], bool]:
    """An inline rule: a component without content says what its attributes say, and others let their content stand."""

    def rule(state: Any, silent: bool) -> bool:
        source, start = state.src, state.pos
        if source[start] == "{" and mdx:
            return _inline_expression(state, silent)
        has_expressions = mdx and state.md.options["html"] and "{" in source
        if source[start] != "<" or not (has_expressions or _is_component(source, start)):
            return False
        part = source[start : min(state.posMax, start + MAX_LINE_CHARS)]
        tag = read_tag(part, 0, {})
        if tag is None:
            return False
        if not silent:
            _push_tag(state, _marker(part[: tag.end]))
        state.pos = start + tag.end
        return True

    return rule


def _push_tag(state: Any, marker: Marker) -> None:
    if not marker.name[:1].isupper():  # an element of HTML that has expressions for attributes
        token = state.push("html_inline", "", 0)
        token.content = re.sub(r"\s[\w$:.-]+=\{.*\}", "", marker.source) if marker.opens > 0 else marker.source
        token.content = token.content if "{" not in token.content else ""
    elif marker.opens == 0:
        token = state.push("component", "span", 0)
        token.meta = {"marker": marker}


def _inline_expression(state: Any, silent: bool) -> bool:
    part = state.src[state.pos : min(state.posMax, state.pos + MAX_LINE_CHARS)]
    end = closing_bracket(part, 0, {})
    if end < 0:
        return False
    if not silent:
        written = part[:end]
        string = _STRING.fullmatch(written)
        token = state.push("text" if string else "code_inline", "" if string else "code", 0)
        token.content = next((one for one in string.groups() if one is not None), "") if string else written
        if COMMENT_EXPRESSION.fullmatch(written):
            token.type, token.content = "text", ""
    state.pos += end
    return True


def draw_inline(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    """A component without content, inside a paragraph or a heading."""
    marker: Marker = tokens[at].meta["marker"]
    if marker.name == "heading":
        return escape(shown_heading(marker.source))
    return f'<span class="component">{escape(said(marker))}</span>'

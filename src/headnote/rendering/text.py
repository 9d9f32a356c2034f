"""Text that is drawn in ways of its own: formulas, addresses and tags that are links without being written as such,
comments, which nobody is meant to read, and the direction in which a text is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from headnote.markdown.links import bare_urls, tags_in
from headnote.rendering.link_targets import TAGGED
from headnote.rendering.markers import MAX_LINE_CHARS, LineMarkers

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from headnote.markdown.document import Document


# `\(` is also how people write a bracket that is no Markdown: what is inside must look like TeX.
_BACKSLASHED = re.compile(r"\\\((?=\S)([^\n]{1,2000}?)\\\)|\\\[((?:[^\n]|\n(?![ \t]*\n)){1,4000}?)\\\]")
_TEX = re.compile(r"\\[A-Za-z]|[\^_=]|\A\s*[A-Za-z]\s*\Z")
_CALCULATION = re.compile(r"[\\^_={}+*/<>-]")
_IN_BACKTICKS = re.compile(r"`([^`]+)`")


def add_math(parser: MarkdownIt) -> None:
    """Teach a parser formulas."""
    from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar

    dollars = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
    parser.block.ruler.before("fence", "math_block", math_block_dollar(allow_labels=False, allow_blank_lines=False))
    parser.inline.ruler.before("escape", "math_inline", _dollar_rule(dollars))
    parser.inline.ruler.before("escape", "math_backslash", _backslash_rule)
    parser.core.ruler.push("math_alone", _lift)
    parser.add_render_rule("math_block", _draw_block)
    parser.add_render_rule("math_inline", _draw_inline)


def _dollar_rule(dollars: Any) -> Any:
    """The rule of the plugin, which knows where a formula ends, without prices, paths and templates."""

    def rule(state: Any, silent: bool) -> bool:
        source, start = state.src, state.pos
        if source[start] != "$" or (start and (source[start - 1].isalnum() or source[start - 1] in "$\\")):
            return False
        if not dollars(state, True):
            return False
        width = 2 if source.startswith("$$", start) else 1
        tex = source[start + width : state.pos - width]
        if state.pos > state.posMax or not _is_formula(tex, source[state.pos : state.pos + 1]):
            state.pos = start
            return False
        if not silent:
            quoted = _IN_BACKTICKS.fullmatch(tex)
            _push(state, quoted[1] if quoted else tex, is_display=width == 2)
        return True

    return rule


def _is_formula(tex: str, after: str) -> bool:
    if not tex.strip() or after.isalnum() or after == "$" or (tex[0] == "{" and after == "{"):
        return False
    # `$5 for one or 9$`
    return not (tex[0].isdigit() and " " in tex and not _CALCULATION.search(tex))


def _backslash_rule(state: Any, silent: bool) -> bool:
    if not state.src.startswith(("\\(", "\\["), state.pos):
        return False
    match = _BACKSLASHED.match(state.src, state.pos, state.posMax)
    tex = (match[1] or match[2] or "") if match else ""
    if match is None or not _TEX.search(tex):
        return False
    if not silent:
        _push(state, tex, is_display=match[2] is not None)
    state.pos = match.end()
    return True


def _push(state: Any, tex: str, is_display: bool) -> None:
    token = state.push("math_inline", "span", 0)
    token.content, token.meta = tex, {"display": is_display}


def _lift(state: Any) -> None:
    """A paragraph that is one displayed formula becomes a block."""
    tokens: list[Token] = state.tokens
    for at, token in enumerate(tokens):
        children = token.children or []
        is_alone = len(children) == 1 and children[0].type == "math_inline" and children[0].meta["display"]
        if is_alone and tokens[at - 1].type == "paragraph_open" and not tokens[at - 1].hidden:
            paragraph = tokens[at - 1]
            paragraph.type, paragraph.content, paragraph.nesting = "math_block", children[0].content, 0
            token.children, token.content = [], ""
            tokens[at + 1].hidden, tokens[at + 1].nesting = True, 0


def draw_formula(tex: str, attributes: str = "") -> str:
    """A formula that stands alone."""
    return f'<div class="math"{attributes}>{escape(tex.strip())}</div>\n'


def _draw_block(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    return draw_formula(tokens[at].content, renderer.renderAttrs(tokens[at]))


def _draw_inline(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    style = "math display" if tokens[at].meta["display"] else "math"
    return f'<span class="{style}">{escape(tokens[at].content.strip())}</span>'


# -- What is a link without being written as one: bare addresses and tags. What nobody is meant to read. And which way a
# text is read.

CALLOUT_TITLE = "callout-title"
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
_LETTER = re.compile(r"[^\W\d_]")
_BLOCKS = frozenset("dd dt h1 h2 h3 h4 h5 h6 p summary td th".split())
_BOXES = frozenset("blockquote div details li ol section table ul".split())


def link_text(state: Any) -> None:
    """A core rule: make links of the addresses and tags in the text of all paragraphs."""
    for token in state.tokens:
        if token.children and _may_have_links(token.content):
            token.children = list(_linked(token.children))


def _may_have_links(text: str) -> bool:
    return "://" in text or "www." in text or "#" in text


def _linked(children: list[Token]) -> Iterator[Token]:
    links = 0
    before: Token | None = None
    for child in children:
        links += (child.type == "link_open") - (child.type == "link_close")
        is_first = before is None or before.type in ("softbreak", "hardbreak")
        if child.type == "text" and not links:
            yield from _parts(child, is_first)
        else:
            yield child
        before = child


def _parts(token: Token, is_first: bool) -> Iterator[Token]:
    """The text, cut at its links. A tag has a blank before it, or begins a line."""
    text, at = token.content, 0
    tags = [(tag.start, tag.end, TAGGED + quote(tag.name, safe=""), "tag") for tag in tags_in(text, 0, len(text))]
    urls = [(url.start, url.end, url.target, "") for url in bare_urls(text, 0, len(text))]
    for start, end, address, style in sorted([*urls, *tags]):
        if start < at or (start == 0 and style and not is_first):
            continue
        yield from (_text(text[at:start]), *_link(text[start:end], address, style))
        at = end
    if at == 0:
        yield token
    else:
        yield _text(text[at:])


def _link(text: str, address: str, style: str) -> list[Token]:
    from markdown_it.token import Token

    opening = Token("link_open", "a", 1, attrs={"href": address, "class": style} if style else {"href": address})
    return [opening, _text(text), Token("link_close", "a", -1)]


def _text(text: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=text)


def tell_direction(state: Any) -> None:
    """A core rule: where letters are read from right to left, each block goes by its own first letter. A box goes by
    the first one inside of it, which browsers do not look for behind the direction of another block. The title of a
    callout, which may be a word of ours, goes by its box."""
    if not _RIGHT_TO_LEFT.search(state.src):
        return
    waiting: list[Token] = []
    is_title = False
    for token in state.tokens:
        if token.tag in _BOXES and token.nesting > 0:
            waiting.append(token)
        elif token.tag in _BOXES and token.nesting < 0 and waiting:
            waiting.pop().attrSet("dir", "auto")
        elif token.nesting > 0 and token.tag in _BLOCKS:
            is_title = token.attrGet("class") == CALLOUT_TITLE
            if not is_title:
                token.attrSet("dir", "auto")
        elif token.type == "inline" and waiting and not is_title and (letter := _LETTER.search(token.content)):
            for box in waiting:
                box.attrSet("dir", "rtl" if _RIGHT_TO_LEFT.match(letter[0]) else "ltr")
            waiting.clear()


def direction_of(document: Document) -> Literal["ltr", "rtl"]:
    """Which way most of a document is read: each block goes by its own first letter."""
    if not _RIGHT_TO_LEFT.search(document.text):
        return "ltr"
    votes = Counter(
        _RIGHT_TO_LEFT.match(letter[0]) is not None
        for block in document.blocks
        if block.kind not in ("code", "frontmatter")
        and (letter := _LETTER.search(document.text, block.start, block.end))
    )
    return "rtl" if votes[True] > votes[False] else "ltr"


# -- `==marks==` and `%%comments%%`, as Obsidian and others write them.


_MARK = re.compile(r"==(?=[^\s=])((?:[^=`\\\n]|`[^`\n]*`|\\.|=(?!=)|\n(?!\n)){1,2000}?)(?<=[^\s=])==(?!=)")


def mark_rule(state: Any, silent: bool) -> bool:
    """An inline rule."""
    if not state.src.startswith("==", state.pos):
        return False
    match = _MARK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    end, last = match.end(), state.posMax
    if not silent:
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = match.start(1), match.end(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
    state.pos, state.posMax = end, last
    return True


_COMMENT = re.compile(r"(?<![\w%])%%(?!%)(?:[^%]|%(?!%)){0,2000}%%(?![\w%])")
"""`100%% of 50%%` and `%%d, %%s` are none."""
_COMMENT_END = re.compile(r"%%[ \t]*+$|^[ \t]*+%%(?![\w%])", re.MULTILINE)


def comment_rule(state: Any, silent: bool) -> bool:
    """An inline rule: nobody is meant to read a comment."""
    del silent
    comment = _COMMENT.match(state.src, state.pos, state.posMax)
    if comment is None:
        return False
    state.pos = comment.end()
    return True


def read_comment(source: str, start: int, end: int) -> LineMarkers | None:
    """A comment that begins a line, and ends there or on a later one."""
    if (within := _COMMENT.match(source, start, end)) is not None:
        return LineMarkers([], within.end()) if not source[within.end() : end].strip() else None
    if not source.startswith("%%", start) or source.find("%%", start + 2, end) >= 0:
        return None
    closing = _COMMENT_END.search(source, end, start + MAX_LINE_CHARS)
    return LineMarkers([], closing.end()) if closing else None


# -- Fences: the language in their info string, and formulas written as fences.


_LANGUAGE = re.compile(r"\s*\{?\s*\.?([\w+#.-]{1,40})")
_TITLE = re.compile(r"""\b(?:title|file|filename)\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"'}]{1,200}))""")
_BRACKETED = re.compile(r"\[([^\[\]]{1,200})\]")


def language_of(info: str) -> str:
    """`js` of `js {1,3} title="a.js"`, of `{ .js .annotate }` and of `js{1}`."""
    language = _LANGUAGE.match(info)
    return language[1] if language else ""


def title_of(info: str) -> str:
    """The title in an info string: `title="a.js"` or `[npm]`; empty if there is none.

    Brackets within braces list lines.
    """
    if title := _TITLE.search(info):
        return next(filter(None, title.groups()), "")
    bracketed = _BRACKETED.search(info)
    is_name = bracketed and info.count("{", 0, bracketed.start()) == info.count("}", 0, bracketed.start())
    return bracketed[1] if bracketed and is_name else ""


def draw_fence(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    token = tokens[at]
    language = language_of(token.info)
    attributes = renderer.renderAttrs(token)
    if language == "math":
        return draw_formula(token.content, attributes)
    style = f' class="language-{escape(language)}"' if language else ""
    title = title_of(token.info)
    name = f' data-title="{escape(title)}"' if title else ""
    return f"<pre{name}{attributes}><code{style}>{escape(token.content)}</code></pre>\n"

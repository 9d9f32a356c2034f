"""Markdown → HTML that is safe to show, whoever wrote it, with the lines each block comes from.

The HTML that the parser makes is cleaned as a whole, last of all: what is not on the list of what may pass is gone.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from headnote.extras import load
from headnote.markdown.document import Document
from headnote.model import Block
from headnote.web.patience import Patience, TooSlow

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from headnote.api import DocumentView
    from headnote.store.rows import LinkRow

INSTALL = "pip install 'headnote[server]'"
LONGEST = 1_000_000
"""Characters of a document that is shown as it is meant; a longer one is shown as it is written."""
LONGEST_PARAGRAPH = 50_000
"""Characters; a longer one is shown as it is written."""
PATIENCE = 5.0
"""Seconds that drawing a document may take: of prose, 1 MB needs 2; of `- a` or `#`, it would need 20."""
MOST_BLOCKS = 30_000
"""Blocks of a document that is drawn. A block takes a tenth of a millisecond; 1 MB of prose has ten thousand."""
LONGEST_HTML = 4_000_000
"""Characters of what is cleaned. A cleaner cannot be stopped; it needs a second for this."""
TOKENS_AT_A_TIME = 1000
"""How many are drawn before somebody looks at the clock."""
LONGEST_PIECE = 4000
"""Characters that stand in one element where a document is shown as it is written."""
DEEPEST = 200
"""Tags of one name inside each other; where there are more, tags are shown as they are written."""

AS_WRITTEN = "This document takes too long to draw. Here it is as it is written."

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
_CODE_LIKE = {"mdx_esm": "js", "mdx_jsx": "jsx", "mdx_expression": "js"}

# Text and structure: nothing that loads, sends, hides or covers anything.
_TAGS = set(
    "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure"
    " h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary sup"
    " table tbody td tfoot th thead time tr tt u ul var wbr".split()
)
_LINES = {"data-start-line", "data-end-line", "data-anchor"}
_ATTRIBUTES = {
    "*": _LINES | {"dir", "lang", "title"},
    "a": {"class", "href", "data-document", "data-fragment"},
    "code": {"class"},
    "img": {"src", "alt", "width", "height"},
    "li": {"class", "value"},
    "ol": {"start", "reversed"},
    "span": {"class"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
    "details": {"open"},
}
_CLASSES = re.compile(r"language-[\w+#.-]{1,40}|task|task done|broken-link|remote-picture")
_NUMBER = re.compile(r"[0-9]{1,6}%?")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,20})")
# They have no end, or need none.
_OFTEN_OPEN = frozenset("area base br col dd dt hr img input li link meta option p source td th tr wbr".split())
_BOX = re.compile(r"\[([ xX])\] +")
_HEADING_ID = re.compile(r"\s*\{#[^{}\s]{1,200}\}\s*$")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")


def render(view: DocumentView) -> str:
    """A document as HTML. Links to documents of the index and pictures below the root lead there."""
    return render_text(view.document.text, view.document.path, view.links, view.document.mdx)


def render_text(text: str, path: str = "", links: Sequence[LinkRow] = (), mdx: bool = False) -> str:
    """The same for a text that may be in no index.

    What is too long, or takes too long to draw, is shown as it is written, with a note that says so.
    """
    patience = Patience(PATIENCE)
    document = Document(text, path, mdx)
    if len(text) > LONGEST or len(document.blocks) > MOST_BLOCKS:
        return _as_written(text, document.blocks)
    page = _Page(path, links)
    try:
        html = page.html(document, patience)
    except TooSlow:
        return _as_written(text, document.blocks)
    return clean(html, page.address) if len(html) <= LONGEST_HTML else _as_written(text, document.blocks)


class _Page:
    """One document while it is made into HTML."""

    def __init__(self, path: str, links: Sequence[LinkRow]) -> None:
        self._path = path
        self._links: Mapping[tuple[str, str], LinkRow] = {_key(link.target, link.fragment): link for link in links}

    def html(self, document: Document, patience: Patience) -> str:
        """Not yet clean. Raises `TooSlow` where it takes too long."""
        text, blocks = document.text, document.blocks
        parser = _parser(_nests_little(text), patience)
        tokens = parser.parse(_without(text, blocks), {})
        tokens = _with_code(tokens, text, blocks)
        anchors = {heading.start_line: heading.slug for heading in document.headings}
        for token in tokens:
            patience.check()
            self._mark(token, anchors)
            self._inline(token)
        _tidy(tokens)
        drawn = []
        for at in range(0, len(tokens), TOKENS_AT_A_TIME):
            patience.check()
            drawn.append(parser.renderer.render(tokens[at : at + TOKENS_AT_A_TIME], parser.options, {}))
        return "".join(drawn)

    def _mark(self, token: Token, anchors: Mapping[int, str]) -> None:
        """The lines of a top-level block, and the anchor of a heading."""
        if token.map is None or token.level or token.nesting < 0:
            return
        token.attrSet("data-start-line", str(token.map[0] + 1))
        token.attrSet("data-end-line", str(max(token.map[1], token.map[0] + 1)))
        if token.type == "heading_open" and (slug := anchors.get(token.map[0] + 1)):
            token.attrSet("data-anchor", slug)

    def _inline(self, token: Token) -> None:
        if not token.children:
            return
        made: list[Token] = []
        for child in token.children:
            if child.type == "link_open":
                self._lead(child)
                made.append(child)
            elif child.type == "image":
                made += self._picture(child)
            elif child.type == "wikilink":
                made += self._wikilink(child)
            else:
                made.append(child)
        token.children = made

    def _lead(self, token: Token, found: LinkRow | None = None) -> None:
        """Points a link to where it leads here."""
        address = str(token.attrGet("href") or "")
        target, _, fragment = address.partition("#")
        link = found or self._links.get(_key(target, fragment))
        document = link.resolved if link and not link.external else None
        if found is None and not target and not _scheme(address):
            document = self._path
        if document is None or _is_picture(document):
            token.attrSet("href", self.address("a", "href", address) or "")
            return
        section = (link.section if link else None) or unquote(fragment)
        token.attrSet("data-document", document)
        token.attrSet("data-fragment", section)
        token.attrSet("href", _document_address(document, section))

    def _picture(self, token: Token) -> list[Token]:
        """A picture below the root; anything else is a link with its description, so that nothing is loaded."""
        address = str(token.attrGet("src") or "")
        link = self._links.get(_key(*_split(address)))
        place = self._file(link.resolved) if link and link.resolved else self.address("img", "src", address)
        if place:
            token.attrSet("src", place)
            return [token]
        return _linked(token.content or address, self.address("a", "href", address), "remote-picture")

    def _wikilink(self, token: Token) -> list[Token]:
        target, _, fragment = token.meta["target"].partition("#")
        link = self._links.get(_key(target, fragment))
        text = token.meta["text"] or token.meta["target"]
        if link is None or link.resolved is None:
            return _linked(text, None, "broken-link")
        if _is_picture(link.resolved):
            return _pictured(text, self._file(link.resolved) or "")
        parts = _linked(text, "", "")
        self._lead(parts[0], link)
        return parts

    def address(self, tag: str, name: str, address: str) -> str | None:
        """An address as it may stand in the page, or None."""
        address = _plain(address)
        scheme = _scheme(address)
        if scheme:
            return address if tag == "a" and scheme in ("http", "https", "mailto") else None
        if address.startswith("//") or "\\" in address:
            return None
        if address.startswith("#"):
            return address if address.startswith("#/document?") else _document_address(self._path, address[1:])
        if name == "src" or _is_picture(address.partition("#")[0].partition("?")[0]):
            path = unquote(address.partition("#")[0].partition("?")[0])
            return address if address.startswith("/files/") else self._file(_below(self._path, path))
        target, _, fragment = address.partition("#")
        link = self._links.get(_key(target, fragment))
        found = link.resolved if link and link.resolved else _below(self._path, unquote(target.partition("?")[0]))
        return _document_address(found, fragment) if found else None

    def _file(self, path: str | None) -> str | None:
        return f"/files/{quote(path)}" if path and _is_picture(path) else None


def clean(html: str, address: Callable[[str, str, str], str | None]) -> str:
    """HTML with nothing in it but what is allowed; `address` says where links and pictures may lead."""
    nh3 = load("nh3", "showing documents", INSTALL)

    def allowed(tag: str, name: str, value: str) -> str | None:
        if name in ("href", "src"):
            return address(tag, name, value)
        if name == "class":
            return value if _CLASSES.fullmatch(value) else None
        if name in ("width", "height", "colspan", "rowspan", "start", "value"):
            return value if _NUMBER.fullmatch(value) else None
        return value

    cleaned: str = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags={"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "title"},
        attributes=_ATTRIBUTES,
        attribute_filter=allowed,
        strip_comments=True,
        link_rel=None,
        url_schemes={"http", "https", "mailto"},
        set_tag_attribute_values={"a": {"rel": "noopener noreferrer nofollow"}},
    )
    return _OUTSIDE.sub(r'<a target="_blank"', cleaned)


_OUTSIDE = re.compile(r'<a(?=[^>]* href="(?:https?|mailto):)')


def _parser(html: bool, patience: Patience) -> MarkdownIt:
    """As GitHub reads Markdown, with footnotes, and links between notes. With `html`, tags are tags and not text."""
    load("markdown_it", "showing documents", INSTALL)
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": html, "maxNesting": 50}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin)
    # First of all rules, and among those that are asked in each line whether a paragraph, a quote or a list ends there.
    parser.block.ruler.before(
        "table", "patience", _checked(patience), {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.inline.ruler.before("text", "patience", _taken_if_long(patience))
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _checked(patience: Patience) -> Callable[[Any, int, int, bool], bool]:
    """A rule that reads no block, and looks at the clock wherever one may begin."""

    def check(_: Any, __: int, ___: int, ____: bool) -> bool:
        patience.check()
        return False

    return check


def _taken_if_long(patience: Patience) -> Callable[[Any, bool], bool]:
    """A rule that takes a paragraph as it is written if it is too long, and looks at the clock."""

    def take(state: Any, silent: bool) -> bool:
        patience.check()
        if silent or len(state.src) <= LONGEST_PARAGRAPH:
            return False
        state.pending += state.src[state.pos : state.posMax]
        state.pos = state.posMax
        return True

    return take


def _nests_little(text: str) -> bool:
    """Whether tags stand inside each other as people write them; thousands of them take a cleaner minutes."""
    still_open: Counter[str] = Counter()
    for slash, written in _TAG.findall(text):
        name = written.lower()
        if slash:
            still_open[name] -= still_open[name] > 0
        elif name not in _OFTEN_OPEN:
            still_open[name] += 1
            if still_open[name] > DEEPEST:
                return False
    return True


def _read_wikilink(state: Any, silent: bool) -> bool:
    if not state.src.startswith(("[[", "![["), state.pos):
        return False
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.meta = {"target": found[2].strip(), "text": (found[3] or "").strip()}
    state.pos = found.end()
    return True


def _tidy(tokens: Sequence[Token]) -> None:
    """What the parser leaves undone: ids behind headings, boxes of tasks, styles of cells, lines of footnotes."""
    footnote: Token | None = None
    for at, token in enumerate(tokens):
        if token.children and tokens[at - 1].type == "heading_open":
            last = token.children[-1]
            last.content = _HEADING_ID.sub("", last.content)
        if token.children and at > 1 and tokens[at - 2].type == "list_item_open" and (box := _BOX.match(token.content)):
            token.children[0].content = token.children[0].content[box.end() :]
            tokens[at - 2].attrSet("class", "task" if box[1] == " " else "task done")
        style = str(token.attrs.pop("style", ""))
        if style.startswith("text-align:"):
            token.attrSet("align", style.partition(":")[2])
        footnote = token if token.type == "footnote_open" else footnote if token.type != "footnote_close" else None
        if footnote is not None and token.map is not None:
            footnote.attrs.setdefault("data-start-line", str(token.map[0] + 1))
            footnote.attrSet("data-end-line", str(token.map[1]))


# The plugin gives its places ids, which could be those of the page itself.
def _footnote_ref(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    number = tokens[at].meta["id"] + 1
    return f'<sup><a href="#" data-fragment="fn{number}" data-anchor="fnref{number}">{number}</a></sup>'


def _footnote_open(renderer: Any, tokens: Sequence[Token], at: int, _: Any, __: Any) -> str:
    return f'<li data-anchor="fn{tokens[at].meta["id"] + 1}"{renderer.renderAttrs(tokens[at])}>'


def _footnote_anchor(_: Any, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    return f' <a href="#" data-fragment="fnref{tokens[at].meta["id"] + 1}">↩</a>'


def _footnotes_open(*_: Any) -> str:
    return "<hr>\n<section><ol>\n"


def _footnotes_close(*_: Any) -> str:
    return "</ol></section>\n"


_RULES = {
    "footnote_ref": _footnote_ref,
    "footnote_open": _footnote_open,
    "footnote_anchor": _footnote_anchor,
    "footnote_block_open": _footnotes_open,
    "footnote_block_close": _footnotes_close,
}


def _without(text: str, blocks: Sequence[Block]) -> str:
    """The text with blank lines in place of what is no Markdown, so that all lines keep their numbers."""
    parts, at = [], 0
    for block in blocks:
        if block.kind == "frontmatter" or block.kind in _CODE_LIKE:
            parts += [text[at : block.start], "\n" * (block.end_line - block.start_line)]
            at = block.end
    return "".join([*parts, text[at:]]).removeprefix("\ufeff")


def _with_code(tokens: Sequence[Token], text: str, blocks: Sequence[Block]) -> list[Token]:
    """MDX as code, where it stands."""
    waiting = deque(block for block in blocks if block.kind in _CODE_LIKE)
    if not waiting:
        return list(tokens)
    made: list[Token] = []
    for token in tokens:
        while waiting and token.level == 0 and token.map is not None and token.map[0] + 1 >= waiting[0].start_line:
            made.append(_code(waiting.popleft(), text))
        made.append(token)
    return [*made, *(_code(block, text) for block in waiting)]


def _code(block: Block, text: str) -> Token:
    from markdown_it.token import Token

    content = text[block.start : block.end] + "\n"
    lines = [block.start_line - 1, block.end_line]
    return Token("fence", "code", 0, content=content, info=_CODE_LIKE[block.kind], markup="```", map=lines, block=True)


def _as_written(text: str, blocks: Sequence[Block]) -> str:
    """A document that is too long to be drawn: its blocks, small ones together."""
    rows = [f"<p><em>{AS_WRITTEN}</em></p>"]
    first: Block | None = None
    for at, block in enumerate(blocks):
        first = first or block
        if block.end - first.start >= LONGEST_PIECE or at == len(blocks) - 1:
            lines = f'data-start-line="{first.start_line}" data-end-line="{block.end_line}"'
            rows.append(f"<pre {lines}>{escape(text[first.start : block.end])}</pre>")
            first = None
    return "\n".join(rows)


def _linked(text: str, address: str | None, style: str) -> list[Token]:
    """A text with a link around it, or with a style if it leads nowhere."""
    from markdown_it.token import Token

    tag = "a" if address is not None else "span"
    opening, closing = Token("link_open", tag, 1), Token("link_close", tag, -1)
    if address is not None:
        opening.attrSet("href", address)
    if style:
        opening.attrSet("class", style)
    return [opening, Token("text", "", 0, content=text), closing]


def _pictured(text: str, address: str) -> list[Token]:
    from markdown_it.token import Token

    picture = Token("image", "img", 0, attrs={"src": address, "alt": ""}, content=text)
    picture.children = [Token("text", "", 0, content=text)]
    return [picture]


def _document_address(path: str, fragment: str) -> str:
    query = {"path": path, "fragment": unquote(fragment)} if fragment else {"path": path}
    return f"#/document?{urlencode(query)}"


def _split(address: str) -> tuple[str, str]:
    target, _, fragment = address.partition("#")
    return target, fragment


def _key(target: str, fragment: str) -> tuple[str, str]:
    return unquote(target).strip(), unquote(fragment).strip()


def _plain(address: str) -> str:
    """Without what browsers leave out before they look at the scheme."""
    return re.sub(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff]+", "", address)


def _scheme(address: str) -> str:
    try:
        return urlsplit(_plain(address)).scheme.lower()
    except ValueError:
        return "invalid"


def _is_picture(path: str) -> bool:
    return path.lower().endswith(PICTURES)


def _below(source: str, target: str) -> str | None:
    """A path from the root, or None if it leaves the root."""
    folder = "" if target.startswith("/") else posixpath.dirname(source)
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path in (".", "..") or path.startswith("../") else path

"""What the boxes, components and shortcodes of all the site generators mean to a reader, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote

from headnote.rendering.markers import MAX_LINE_CHARS, TYPE, LineMarkers, Marker, plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


# -- Callouts: which kinds there are, and `> [!note]` as GitHub and Obsidian write it.


KINDS = frozenset(
    "note info tip important success question warning caution danger failure bug example quote abstract todo".split()
)
"""What a callout can be; the page has a colour for each."""
_ALIASES = {
    **dict.fromkeys(("hint", "recommendation", "protip"), "tip"),
    **dict.fromkeys(("attention", "deprecated", "experimental", "wip", "beta", "construction"), "warning"),
    **dict.fromkeys(("pitfall", "gotcha"), "caution"),
    **dict.fromkeys(("error", "critical"), "danger"),
    **dict.fromkeys(("fail", "missing"), "failure"),
    **dict.fromkeys(("check", "done"), "success"),
    **dict.fromkeys(("help", "faq"), "question"),
    **dict.fromkeys(("summary", "tldr", "youwilllearn", "recap"), "abstract"),
    **dict.fromkeys(("cite",), "quote"),
    **dict.fromkeys(("seealso", "secondary", "default", "callout", "aside", "admonition", "alert"), "note"),
    **dict.fromkeys(("primary",), "info"),
}

_REMOVED = "removed"
_FIRST_LINE = re.compile(r"\[!([^\[\]|\n]{1,40}+)(?:\|[^\[\]\n]{0,100}+)?\]([+-]?)[ \t]*+([^\n]*+)(?:\n|\Z)")


def callout_kind(name: str) -> str | None:
    """The kind of callout that a name stands for, or None."""
    folded = re.sub(r"[^a-z]", "", name.lower())
    return folded if folded in KINDS else _ALIASES.get(folded)


def quotes_to_markers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with markers in place of the quotes that are callouts."""
    arranged: list[Token] = []
    is_callout: list[bool] = []
    for at, token in enumerate(tokens):
        if token.type == "blockquote_open":
            opening = _opening(tokens, at)
            is_callout.append(opening is not None)
            if opening is not None:
                _become(token, opening)
        elif token.type == "blockquote_close" and is_callout.pop():
            _become(token, Marker(">", -1, "", ""))
        if token.type != _REMOVED:
            arranged.append(token)
    return arranged


def _opening(tokens: Sequence[Token], at: int) -> Marker | None:
    """The marker of the quote at `at`. Its line is taken out of the first paragraph."""
    if at + 3 >= len(tokens) or tokens[at + 1].type != "paragraph_open":
        return None
    paragraph, inline, ending = tokens[at + 1 : at + 4]
    first = _FIRST_LINE.match(inline.content)
    if first is None:
        return None
    inline.content = inline.content[first.end() :]
    if paragraph.map:
        paragraph.map = [paragraph.map[0] + 1, paragraph.map[1]]
    if not inline.content:
        for token in (paragraph, inline, ending):
            token.type = _REMOVED
    return Marker(">", 1, first[1].strip(), first[0], first[3].strip() or None, fold=first[2])


def _become(token: Token, marker: Marker) -> None:
    token.type, token.tag, token.nesting, token.meta = TYPE, "", 0, {"marker": marker}


# -- What the boxes and components of all the site generators mean to a reader, by their names


Kind = Literal["callout", "details", "tabs", "tab", "code-group", "card", "picture", "html", "plain"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("details", "accordion", "accordionitem", "expandable", "collapsible", "collapse"), "details"),
    **dict.fromkeys(
        ("detailstoggle", "disclosure", "spoiler", "toggle", "deepdive", "solution", "hiddencode"), "details"
    ),
    **dict.fromkeys(("tabs", "tabgroup", "tabset", "tabbed", "packagemanagertabs", "uiframeworktabs"), "tabs"),
    **dict.fromkeys(("statictabs", "islandtabs", "tabview"), "tabs"),
    **dict.fromkeys(("tab", "tabitem", "tabpanel", "tabbeditem"), "tab"),
    **dict.fromkeys(("codegroup", "codetabs", "codegroupitem"), "code-group"),
    **dict.fromkeys(("card", "linkcard", "linkbutton", "blogcard", "file", "listing", "update", "option"), "card"),
    **dict.fromkeys(("image", "img", "lightbox", "thumbnail", "picture", "figureimage"), "picture"),
}
_TITLES = tuple("title label heading header altheader summary question caption filename name tab term text".split())
_TAGS = frozenset(
    "blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol section summary table tbody td tfoot th"
    " thead tr ul".split()
)
"""Elements of HTML that are boxes in MDX, too."""
_TYPES = ("type", "kind", "variant", "style", "level", "color", "status", "intent")
_LINKS = ("href", "url", "to", "link", "src")
_HIDDEN_VALUE = re.compile(r"[{<]|^[#./]|^https?:|^\d+(?:px|%)?$")


class BoxMeaning(NamedTuple):
    """What a box is, and what stands above it."""

    kind: Kind
    callout: str = ""
    title: str | None = None
    """Markdown."""
    link: str = ""
    fold: str = ""
    tag: str = ""
    """Name of an HTML element."""


def meaning_of(marker: Marker) -> BoxMeaning:
    """What a marker stands for. An unknown name is a box without a frame, or a card if it has a title."""
    if marker.notation == "jsx" and marker.name.islower():
        return BoxMeaning("html" if marker.name in _TAGS else "plain", fold=marker.fold, tag=marker.name)
    folded = re.sub(r"[^a-z]", "", marker.name.lower())
    attributes = marker.attributes
    title = marker.title if marker.title is not None else title_in(attributes)
    link = next((attributes[name] for name in _LINKS if attributes.get(name)), "")
    callout = _callout(marker, folded)
    if callout:
        return BoxMeaning(
            "callout", callout, title if title is not None else spoken(_shown_name(marker)), fold=marker.fold
        )
    kind = _KINDS.get(folded, "plain")
    if kind == "plain" and title:
        kind = "card"
    if kind in ("details", "tab") and title is None:
        title = next((attributes[name] for name in ("value", "lang", "slot", "id") if attributes.get(name)), None)
        title = plain(title) if title else spoken(marker.name)
    return BoxMeaning(kind, "", title, link, marker.fold)


def _callout(marker: Marker, folded: str) -> str:
    """The kind of callout, from the name or from an attribute; empty if it is none."""
    if marker.notation == ">":
        return callout_kind(marker.name) or "note"
    if folded in ("callout", "aside", "admonition", "alert", "hint", "notice", "note", "message"):
        kinds = (callout_kind(marker.attributes[name]) for name in _TYPES if name in marker.attributes)
        return next(filter(None, kinds), None) or callout_kind(folded) or "note"
    if marker.notation == "indented" and folded != "tab":
        return callout_kind(marker.name) or "note"
    return callout_kind(folded) or "" if folded not in _KINDS else ""


def _shown_name(marker: Marker) -> str:
    """What the author calls a callout: `type="caution"` of an aside, else its name."""
    kinds = (marker.attributes[name] for name in _TYPES if callout_kind(marker.attributes.get(name, "")))
    return next(kinds, marker.name)


def title_in(attributes: Mapping[str, str]) -> str | None:
    """The attribute that reads as a title, as Markdown."""
    words = {re.sub(r"[^a-z]", "", name.lower()): value for name, value in attributes.items()}
    return next((plain(words[name]) for name in _TITLES if words.get(name)), None)


def said(marker: Marker) -> str:
    """What something inside a sentence says to a reader: its title, else its values, else its name."""
    title = title_in(marker.attributes)
    words = _unescaped(title) if title else " · ".join(_readable(marker))
    return words if re.search(r"[^\W\d_]{2}", words) else f"{spoken(marker.name)} {words}".strip()


def named(marker: Marker) -> str:
    """The same for something on a line of its own: its name, and its values."""
    words = " · ".join(_readable(marker))
    return f"{spoken(marker.name)}: {words}" if words else spoken(marker.name)


def _readable(marker: Marker) -> list[str]:
    """The values that are no addresses, sizes or code."""
    return [value for value in marker.attributes.values() if value and not _HIDDEN_VALUE.search(value)]


def _unescaped(markdown: str) -> str:
    return re.sub(r"\\(.)", r"\1", markdown)


def spoken(name: str) -> str:
    """`deep-dive` and `DeepDive` as words: `Deep dive`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-_.]+", " ", name).strip()
    return words[:1].upper() + words[1:].lower() if words else ""


# -- Shortcodes and tags of templates: `{{< note >}}` of Hugo, `{% hint %}` of GitBook, Markdoc and Jekyll.

_TAG = re.compile(
    r"""\{\{<\s*+([^<>]{1,2000}?)\s*+(/?)>\}\}|\{\{%\s*+([^%]{1,2000}?)\s*+(/?)%\}\}|\{%-?\s*+([^%]{1,2000}?)\s*+(/?)-?%\}"""
)
_WORD = re.compile(r"""(?:([\w.-]++)\s*+[=:]\s*+)?(?:"([^"]*+)"|'([^']*+)'|`([^`]*+)`|([^\s"'`]++))""")
_VERBATIM = {"mermaid": "mermaid", "highlight": "", "code": "", "codeblock": ""}
_COMMENT = "comment"
_CONTROL = frozenset(
    "if unless else elsif elif for set assign raw capture block macro case when extends do with call".split()
)
"""What a template does, and what says nothing to a reader."""


def read_shortcode(source: str, start: int, _: int) -> LineMarkers | None:
    """The tags that begin a line. With text behind them they are a box, if they open one, or part of a paragraph."""
    markers: list[Marker] = []
    at = start
    while (tag := _TAG.match(source, at)) is not None and tag.end() - start < MAX_LINE_CHARS:
        marker = _marker(tag)
        verbatim = _verbatim(source, tag, marker) if marker and marker.opens > 0 else None
        markers += [marker] if marker and not verbatim else verbatim.markers if verbatim else []
        at = verbatim.end if verbatim else tag.end()
        while source.startswith((" ", "\t"), at):
            at += 1
    if at == start:
        return None
    line_end = source.find("\n", at)
    rest = source[at : line_end if line_end >= 0 else len(source)].rstrip()
    return _with_text(source, markers, at, rest) if rest else LineMarkers(markers, at)


def _with_text(source: str, markers: list[Marker], at: int, rest: str) -> LineMarkers | None:
    if len(markers) != 1 or markers[0].opens <= 0 or meaning_of(markers[0]).kind == "plain":
        return None
    last = source.rfind("{", at, at + len(rest))
    closing = next((tag for tag in _TAG.finditer(rest, max(0, last - at - 1)) if tag.end() == len(rest)), None)
    marker = _marker(closing) if closing else None
    if closing and marker and marker.opens < 0 and marker.name == markers[0].name:
        return LineMarkers(markers, at, [marker], at + closing.start())
    return LineMarkers(markers, at)


def _marker(tag: re.Match[str]) -> Marker | None:
    """The marker of a tag; None for one that controls a template."""
    inside = (tag[1] or tag[3] or tag[5] or "").strip()
    closes = inside.startswith("/")
    name, _, rest = inside.removeprefix("/").strip().partition(" ")
    if not closes and tag[5] is not None and name.startswith("end"):
        closes, name = True, name.removeprefix("end")
    if name.lower() in _CONTROL or not name:
        return None
    if closes:
        return Marker("shortcode", -1, name, tag[0])
    stands_alone = bool(tag[2] or tag[4] or tag[6])
    return Marker("shortcode", 0 if stands_alone else 1, name, tag[0], attributes=_arguments(rest))


def _arguments(text: str) -> dict[str, str]:
    """The arguments; those without a name have a number for one."""
    arguments: dict[str, str] = {}
    for number, word in enumerate(_WORD.finditer(text)):
        value = next((one for one in word.groups()[1:] if one is not None), "")
        arguments[word[1] or str(number)] = value
    return arguments


def _verbatim(source: str, tag: re.Match[str], marker: Marker) -> LineMarkers | None:
    """What is code or a comment up to the tag that closes it."""
    if marker.name not in _VERBATIM and marker.name != _COMMENT:
        return None
    closing = re.compile(rf"\{{[{{%][<%-]?\s*(?:/|end)\s*{re.escape(marker.name)}\s*-?[>%]?\}}\}}?").search(
        source, tag.end(), tag.end() + MAX_LINE_CHARS
    )
    if closing is None:
        return None
    if marker.name == _COMMENT:
        return LineMarkers([], closing.end())
    language = _VERBATIM[marker.name] or marker.attributes.get("0") or marker.attributes.get("lang") or ""
    code = source[tag.end() : closing.start()].strip("\n")
    return LineMarkers([Marker("code", 0, language, code)], closing.end())


def inline_rule(state: Any, silent: bool) -> bool:
    """An inline rule: a tag inside a paragraph says what its arguments say, and one around text lets it stand."""
    if not state.src.startswith(("{{<", "{{%", "{%"), state.pos):
        return False
    tag = _TAG.match(state.src, state.pos, state.posMax)
    if tag is None:
        return False
    marker = _marker(tag)
    if not silent and marker is not None and marker.opens >= 0 and marker.attributes:
        token = state.push("component", "span", 0)
        token.meta = {"marker": marker}
    state.pos = tag.end()
    return True


def add_shortcodes(parser: MarkdownIt) -> None:
    """Teach a parser shortcodes inside paragraphs, also as the address of a link."""
    from markdown_it import helpers

    def read_destination(source: str, start: int, end: int) -> Any:
        result = helpers.parseLinkDestination(source, start, end)
        tag = _TAG.match(source, start, end) if source.startswith("{{", start) else None
        if tag is not None:
            result.ok, result.pos, result.str = True, tag.end(), quote(tag[0], safe="")
        return result

    parser.helpers = SimpleNamespace(  # type: ignore[assignment]
        parseLinkDestination=read_destination,
        parseLinkLabel=helpers.parseLinkLabel,
        parseLinkTitle=helpers.parseLinkTitle,
    )
    parser.inline.ruler.before("link", "shortcode", inline_rule)

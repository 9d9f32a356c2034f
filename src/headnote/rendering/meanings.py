"""What the boxes and components of all the site generators mean to a reader, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from headnote.rendering.markers import TYPE, Marker, plain

if TYPE_CHECKING:
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
    """Of an element of HTML."""


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

"""What the boxes and components of all the site generators mean to a reader, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from headnote.web.rendering.callouts import callout_kind
from headnote.web.rendering.markers import Marker

Kind = Literal["callout", "details", "tabs", "tab", "code-group", "card", "picture", "figure", "plain", "code"]

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
    **dict.fromkeys(("script", "style"), "code"),
}
_TITLES = (
    *(
        "title",
        "label",
        "heading",
        "header",
        "summary",
        "question",
        "caption",
        "filename",
        "name",
        "tab",
        "term",
        "text",
    ),
)
_TYPES = ("type", "kind", "variant", "style", "level", "color", "status", "intent")
_LINKS = ("href", "url", "to", "link", "src")
_HIDDEN_VALUE = re.compile(r"[{<]|^[#./]|^https?:|^\d+(?:px|%)?$")


class Meaning(NamedTuple):
    """What a box is, and what stands above it."""

    kind: Kind
    callout: str = ""
    title: str | None = None
    """Markdown."""
    link: str = ""
    fold: str = ""


def meaning_of(marker: Marker) -> Meaning:
    """What a marker stands for. An unknown name is a box without a frame, or a card if it has a title."""
    folded = re.sub(r"[^a-z]", "", marker.name.lower())
    attributes = marker.attributes
    title = marker.title if marker.title is not None else title_in(attributes)
    link = next((attributes[name] for name in _LINKS if attributes.get(name)), "")
    callout = _callout(marker, folded)
    if callout:
        return Meaning(
            "callout", callout, title if title is not None else spoken(_shown_name(marker)), fold=marker.fold
        )
    kind = _KINDS.get(folded, "plain")
    if kind == "plain" and title:
        kind = "card"
    if kind in ("details", "tab") and title is None:
        title = next((attributes[name] for name in ("value", "lang", "slot", "id") if attributes.get(name)), None)
        title = title or spoken(marker.name)
    return Meaning(kind, "", title, link, marker.fold)


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
    """The attribute that reads as a title."""
    return next((attributes[name] for name in _TITLES if attributes.get(name)), None)


def readable(attributes: Mapping[str, str]) -> list[str]:
    """The values that say something to a reader: no addresses, sizes or code."""
    return [value for value in attributes.values() if value and not _HIDDEN_VALUE.search(value)]


def spoken(name: str) -> str:
    """`deep-dive` and `DeepDive` as words: `Deep dive`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-_.]+", " ", name).strip()
    return words[:1].upper() + words[1:].lower() if words else ""

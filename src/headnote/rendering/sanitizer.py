"""The cleaner: of any HTML, only what is on these lists passes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from headnote.extras import load
from headnote.rendering import INSTALL

MAX_DEPTH = 200
"""Tags of one name inside each other. With more of them, tags are shown as text."""

# Text and structure: nothing that loads, sends, hides or covers anything.
_TAGS = set(
    "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure"
    " h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary sup"
    " table tbody td tfoot th thead time tr tt u ul var wbr".split()
)
_ATTRIBUTES = {
    "*": {"data-start-line", "data-end-line", "data-anchor", "dir", "lang", "title"},
    "a": {"class", "href", "data-document", "data-fragment"},
    "code": {"class"},
    "img": {"src", "alt", "width", "height"},
    "li": {"class", "value"},
    "ol": {"start", "reversed"},
    "span": {"class"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
    "details": {"class", "data-callout", "open"},
    "div": {"class", "data-callout", "data-title"},
    "p": {"class"},
    "pre": {"data-title"},
    "section": {"class", "data-document"},
    "summary": {"class"},
}
_CLASSES = re.compile(
    r"language-[\w+#.-]{1,40}|task|task done|broken-link|missing-picture|remote-picture|cite|tag|math|math display"
    r"|callout|callout-title|tabs|tab|card|card-title|component|code-of-page|embed|embed-title"
)
_PLACES = frozenset({"data-start-line", "data-end-line", "data-anchor"})
_CALLOUT = re.compile(r"[a-z]{1,20}")
_NUMBER = re.compile(r"[0-9]{1,6}%?")
_OUTSIDE_LINK = re.compile(r'<a(?=[^>]* href="(?:(?:https?|mailto):|/files/))')
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,20})")
# They have no end, or need none.
OFTEN_OPEN = frozenset("area base br col dd dt hr img input li link meta option p source td th tr wbr".split())


def clean(html: str, address: Callable[[str, str, str], str | None], is_embedded: bool = False) -> str:
    """HTML with nothing in it but what is allowed.

    `address` takes a tag, an attribute and its value, and returns the address that may stand there, or None. HTML that
    is embedded has no lines and anchors: they would be those of another document.
    """
    nh3 = load("nh3", "showing documents", INSTALL)

    def allowed(tag: str, name: str, value: str) -> str | None:
        if is_embedded and name in _PLACES:
            return None
        if name in ("href", "src"):
            return address(tag, name, value)
        if name == "class":
            return value if _CLASSES.fullmatch(value) else None
        if name == "data-callout":
            return value if _CALLOUT.fullmatch(value) else None
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
    return _OUTSIDE_LINK.sub(r'<a target="_blank"', cleaned)


def nests_deeply(text: str) -> bool:
    """Whether tags are nested deeper than people write them. With thousands, the cleaner takes minutes."""
    depths: Counter[str] = Counter()
    for slash, written in _TAG.findall(text):
        name = written.lower()
        if slash:
            depths[name] -= depths[name] > 0
        elif name not in OFTEN_OPEN:
            depths[name] += 1
            if depths[name] > MAX_DEPTH:
                return True
    return False

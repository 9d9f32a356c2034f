"""Shortcodes and tags of templates: `{{< note >}}` of Hugo, `{% hint %}` of GitBook, Markdoc and Jekyll."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headnote.rendering.markers import MAX_LINE_CHARS, LineMarkers, Marker
from headnote.rendering.meanings import meaning_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

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

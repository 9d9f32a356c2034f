"""The inline constructs of one paragraph, heading or cell: code spans, HTML, links, in one linear pass. And where a
link points: destinations, titles, labels, and the definitions that give labels a destination.

Each construct becomes a span; what lies outside of spans is text, with escapes, entities and emphasis still in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

# Blank means what CommonMark means: no other Unicode space separates a destination from its title.
_BLANK = r"[ \t\r\n]"
_ANGLED = r"<((?:[^<>\\\r\n]|\\.)*+)>"
_TITLE = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"""

# What nearly every link has: no blank, bracket, escape or title.
_USUAL_DESTINATION = re.compile(r"\(([^\x00-\x20\x7f()\\<{][^\x00-\x20\x7f()\\]*+)\)")
_BEFORE_DESTINATION = re.compile(rf"\({_BLANK}*+")
_ANGLED_DESTINATION = re.compile(_ANGLED, re.DOTALL)
# Hugo puts the address in place of `{{< ref "page.md" >}}`, with its blanks and brackets.
_SHORTCODE_DESTINATION = re.compile(r"\{\{[<%][^{}\r\n]{1,500}+\}\}(?:#[^\s()]*+)?")
_SIMPLE_DESTINATION = re.compile(r"[^\x00-\x20\x7f()\\]++(?=[\x00-\x20)]|\Z)")
_DESTINATION_TURN = re.compile(r"[\x00-\x20\x7f()]|\\.?", re.DOTALL)
_AFTER_DESTINATION = re.compile(rf"(?:{_BLANK}++{_TITLE})?+{_BLANK}*+\)", re.DOTALL)
_MAX_PARENTHESES = 32

LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]", re.DOTALL)
_DEFINITION = re.compile(
    r"[ \t]*+\[((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t\r\n]*+(?:<([^<>\r\n]*+)>|([^\s<]\S*+))", re.DOTALL
)
_DEFINITION_TITLE = re.compile(rf"(?:{_BLANK}++{_TITLE})?+[ \t]*+(?:\r\n?|\n|\Z)", re.DOTALL)
_REST_OF_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")

_ESCAPE_OR_ENTITY = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));"
)


def unescape(source: str) -> str:
    """Backslash escapes and entities as the characters they stand for."""
    if "\\" not in source and "&" not in source:
        return source
    return _ESCAPE_OR_ENTITY.sub(_unescaped, source)


def _unescaped(match: re.Match[str]) -> str:
    escaped, hexadecimal, decimal, name = match.groups()
    if escaped:
        return escaped
    if name:
        from html.entities import html5  # late: thousands of names, and few texts have any

        return html5.get(f"{name};", match[0])
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if valid else "\ufffd"


def normal_label(label: str) -> str:
    """Two labels are the same when they differ only in case and in blanks."""
    return " ".join(label.split()).casefold()


def inline_target(text: str, position: int, end: int) -> tuple[int, str] | None:
    """`(destination "title")` at this position: where it ends and the destination, resolved."""
    usual = _USUAL_DESTINATION.match(text, position, end)
    if usual is not None:
        return usual.end(), unescape(usual[1])
    place = destination_at(text, position, end)
    return None if place is None else (place[2], unescape(text[place[0] : place[1]]))


def destination_at(text: str, position: int, end: int) -> tuple[int, int, int] | None:
    """`(destination "title")` at this position: where the destination begins and ends, and where all of it ends."""
    opening = _BEFORE_DESTINATION.match(text, position, end)
    if opening is None:
        return None
    start = opening.end()
    angled = _ANGLED_DESTINATION.match(text, start, end)
    if angled is not None:
        start, stop = angled.span(1)
        after = angled.end()
    elif text.startswith("<", start, end):
        return None
    elif (shortcode := _SHORTCODE_DESTINATION.match(text, start, end)) is not None:
        after = stop = shortcode.end()
    else:
        after = stop = _bare_destination_end(text, start, end)
    closing = _AFTER_DESTINATION.match(text, after, end)
    return None if closing is None else (start, stop, closing.end())


def _bare_destination_end(text: str, start: int, end: int) -> int:
    """End of a destination without angle brackets: at a blank, or at a parenthesis it did not open itself."""
    simple = _SIMPLE_DESTINATION.match(text, start, end)
    if simple is not None:
        return simple.end()
    depth = 0
    for turn in _DESTINATION_TURN.finditer(text, start, end):
        character = turn[0]
        if character[0] == "\\":
            if character[1:] <= " ":
                return turn.start() + 1
            continue
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        # Without a limit, a million `](` would each read all of the others.
        if depth < 0 or depth > _MAX_PARENTHESES or character not in "()":
            return turn.start()
    return end


def definitions(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Label, normalised, and target of each link reference definition in this range."""
    position = start
    while position < end:
        opening = _DEFINITION.match(text, position, end)
        if opening is None:
            return
        label, angled, bare = opening.groups()
        yield normal_label(label), unescape(bare if angled is None else angled)
        closing = _DEFINITION_TITLE.match(text, opening.end(), end) or _REST_OF_LINE.match(text, opening.end(), end)
        position = closing.end() if closing is not None else end


# -- The inline constructs of one paragraph, heading or cell: code spans, HTML, links, in one linear pass.

SpanKind = Literal["code", "html", "footnote", "autolink", "link", "image", "wikilink", "embed"]


class InlineSpan:
    """One inline construct and where its visible part lies."""

    __slots__ = ("end", "inner_end", "inner_start", "kind", "nesting", "start", "target")

    def __init__(
        self, kind: SpanKind, start: int, inner_start: int, inner_end: int, end: int, target: str = "", nesting: int = 0
    ) -> None:
        self.kind = kind
        self.start = start
        self.inner_start = inner_start
        """Where the visible part begins: link text, alt text, content of a code span, alias of a wikilink."""
        self.inner_end = inner_end
        self.end = end
        self.target = target
        """Where a link points, escapes and entities resolved."""
        self.nesting = nesting
        """How deeply images are nested in the visible part."""


class _Bracket:
    """A `[` or `![` that waits for its `]`."""

    __slots__ = ("inner_start", "is_image", "start")

    def __init__(self, start: int, inner_start: int, is_image: bool) -> None:
        self.start = start
        self.inner_start = inner_start
        self.is_image = is_image


MARKUP = re.compile(r"[\\`<\[\]]")
_WIKILINK = re.compile(r"\[\[([^\[\]\r\n|]++)(?:\|([^\[\]\r\n]*+))?+\]\](?!\()")
_FOOTNOTE = re.compile(r"\[(\^[^\[\]\s]{1,200}+)\](?!\()")

_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}+:[^<>\x00-\x20]*+)>")
_EMAIL = re.compile(
    r"<([A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]++@"
    r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?)*+)>"
)
_TAG = re.compile(
    r"""<(?:
        /[A-Za-z][A-Za-z0-9\-]*+[ \t\r\n]*+>
      | [A-Za-z][A-Za-z0-9\-]*+
        (?:[ \t\r\n]++[A-Za-z_:][A-Za-z0-9_.:\-]*+
           (?:[ \t\r\n]*+=[ \t\r\n]*+(?:[^ \t\r\n"'=<>`]++|'[^']*+'|"[^"]*+"))?+
        )*+[ \t\r\n]*+/?>
    )""",
    re.VERBOSE,
)
_DECLARATION = re.compile(r"<![A-Za-z]")
# The longest tag that is read. It keeps crafted quotes from making every `<` read the rest of the text.
_MAX_TAG = 4096
_MAX_LABEL = 999
# Opening → what closes it; the first that fits counts.
_HTML_PAIRS = (("<!-->", ""), ("<!--->", ""), ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))

Definitions = Mapping[str, str]
"""Normalised label → target. A footnote is there too, by its label with the `^`."""


def spans(text: str, start: int, end: int, definitions: Definitions | None = None) -> list[InlineSpan]:
    """The inline constructs in this range, each after those within it.

    Without `definitions`, `[a][b]` is believed to be a link and `[a]` is not.
    """
    return _Scan(text, start, end, definitions).run()


class _Scan:
    """One pass over a range. The methods named after a character take its position and return where to go on."""

    def __init__(self, text: str, start: int, end: int, definitions: Definitions | None) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.definitions = definitions
        self.spans: list[InlineSpan] = []
        self.brackets: list[_Bracket] = []
        self.nestings: list[int] = []
        """For each open bracket the deepest image within it."""
        self.without_links = 0
        """How many of the open brackets contain a link: a link cannot contain another one."""
        self.last_bracket = -1
        """Where the latest `[` stands: text with a bracket in it is no label."""
        self.backticks: dict[int, list[int]] | None = None
        self.missing: set[str] = set()
        """Closing strings that do not occur again, so that none is searched for twice."""

    def run(self) -> list[InlineSpan]:
        text, end, search = self.text, self.end, MARKUP.search
        position = self.start
        while (match := search(text, position, end)) is not None:
            at = match.start()
            character = text[at]
            if character == "[":
                position = self.opening_bracket(at, position)
            elif character == "]":
                position = self.closing_bracket(at)
            elif character == "`":
                position = self.backtick(at)
            elif character == "<":
                position = self.angle(at)
            else:
                position = at + 2
        return self.spans

    def backtick(self, at: int) -> int:
        after = _run_end(self.text, at, self.end)
        length = after - at
        if self.backticks is None:
            self.backticks = _backtick_runs(self.text, at, self.end)
        closers = self.backticks.get(length)
        while closers and closers[-1] < after:
            closers.pop()
        if not closers:
            return after
        closer = closers.pop()
        self.spans.append(InlineSpan("code", at, after, closer, closer + length))
        return closer + length

    def angle(self, at: int) -> int:
        text, end = self.text, self.end
        following = text[at + 1 : at + 2]
        if following in ("!", "?"):
            return self.html_pair(at)
        autolink = _AUTOLINK.match(text, at, end)
        if autolink is not None:
            self.spans.append(InlineSpan("autolink", at, at + 1, autolink.end() - 1, autolink.end(), autolink[1]))
            return autolink.end()
        if following == "/" or following.isalpha():
            tag = _TAG.match(text, at, min(end, at + _MAX_TAG))
            if tag is not None:
                self.spans.append(InlineSpan("html", at, at, at, tag.end()))
                return tag.end()
        email = _EMAIL.match(text, at, end)
        if email is not None:
            self.spans.append(InlineSpan("autolink", at, at + 1, email.end() - 1, email.end(), f"mailto:{email[1]}"))
            return email.end()
        return at + 1

    def html_pair(self, at: int) -> int:
        """Comments, declarations, instructions: invisible up to their end, or no HTML if they have none."""
        for opening, closing in _HTML_PAIRS:
            if not self.text.startswith(opening, at, self.end):
                continue
            if opening == "<!" and not _DECLARATION.match(self.text, at, self.end):
                return at + 1
            stop = self.find(closing, at + len(opening))
            if stop < 0:
                return at + 1
            self.spans.append(InlineSpan("html", at, at, at, stop + len(closing)))
            return stop + len(closing)
        return at + 1

    def find(self, closing: str, position: int) -> int:
        if closing in self.missing:
            return -1
        stop = self.text.find(closing, position, self.end)
        if stop < 0:
            self.missing.add(closing)
        return stop

    def opening_bracket(self, at: int, position: int) -> int:
        text = self.text
        # A `!` before `position` belongs to what was read last, an escape for example.
        is_image = at > position and text[at - 1] == "!"
        start = at - 1 if is_image else at
        following = text[at + 1 : at + 2]
        if following == "[":
            wikilink = _WIKILINK.match(text, at, self.end)
            if wikilink is not None and not wikilink[1].isspace():
                self.spans.append(_wikilink_span(start, wikilink, is_image))
                self.last_bracket = at
                return wikilink.end()
        elif following == "^" and not is_image:
            footnote = _FOOTNOTE.match(text, at, self.end)
            if footnote is not None and self.is_defined(footnote[1]):
                self.spans.append(InlineSpan("footnote", at, at, at, footnote.end()))
                return footnote.end()
        self.brackets.append(_Bracket(start, at + 1, is_image))
        self.nestings.append(0)
        self.last_bracket = at
        return at + 1

    def closing_bracket(self, at: int) -> int:
        if not self.brackets:
            return at + 1
        bracket = self.brackets.pop()
        nesting = self.nestings.pop()
        outer = len(self.brackets)
        holds_link = outer < self.without_links and not bracket.is_image
        self.without_links = min(self.without_links, outer)
        resolved = None if holds_link else self.resolve(bracket, at)
        if resolved is not None:
            kind: SpanKind = "image" if bracket.is_image else "link"
            end, target = resolved
            self.spans.append(InlineSpan(kind, bracket.start, bracket.inner_start, at, end, target, nesting))
            if bracket.is_image:
                nesting += 1
            else:
                self.without_links = outer
        if self.nestings:
            self.nestings[-1] = max(self.nestings[-1], nesting)
        return at + 1 if resolved is None else resolved[0]

    def resolve(self, bracket: _Bracket, at: int) -> tuple[int, str] | None:
        """Where the link that began with this bracket ends, and its target; None if it is no link."""
        text = self.text
        following = text[at + 1 : at + 2] if at + 1 < self.end else ""
        if following == "(":
            inline = inline_target(text, at + 1, self.end)
            if inline is not None:
                return inline
        end, is_explicit = at + 1, False
        if following == "[":
            label = LABEL.match(text, at + 1, self.end)
            if label is not None and not _is_blank(label[1]):
                target = self.lookup(label[1])
                return None if target is None else (label.end(), target)
            if label is not None and not label[1]:
                end, is_explicit = label.end(), True
        if self.last_bracket >= bracket.inner_start or at - bracket.inner_start > _MAX_LABEL:
            return None
        if self.definitions is None and not is_explicit:
            return None
        target = self.lookup(text[bracket.inner_start : at])
        return None if target is None else (end, target)

    def lookup(self, label: str) -> str | None:
        if label.startswith("^"):
            return None
        if self.definitions is None:
            return ""
        return self.definitions.get(normal_label(label)) if self.definitions else None

    def is_defined(self, label: str) -> bool:
        return self.definitions is None or normal_label(label) in self.definitions


def _is_blank(label: str) -> bool:
    return not label or label.isspace()


def _wikilink_span(start: int, match: re.Match[str], is_embed: bool) -> InlineSpan:
    # In a table the bar is written `\|`, and the backslash is no part of the target.
    target = match[1].rstrip("\\").strip()
    shown = 2 if match[2] and not match[2].isspace() else 1
    inner_start, inner_end = match.span(shown)
    if shown == 1 and match[1].endswith("\\"):
        inner_end -= 1
    return InlineSpan("embed" if is_embed else "wikilink", start, inner_start, inner_end, match.end(), target)


def _backtick_runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Length → where runs of that many backticks begin, the first one last."""
    runs: dict[int, list[int]] = {}
    at = text.find("`", start, end)
    while at >= 0:
        after = _run_end(text, at, end)
        runs.setdefault(after - at, []).append(at)
        at = text.find("`", after, end)
    for starts in runs.values():
        starts.reverse()
    return runs


def _run_end(text: str, at: int, end: int) -> int:
    """Where the run of backticks that begins here ends."""
    after = at + 1
    while after < end and text[after] == "`":
        after += 1
    return after

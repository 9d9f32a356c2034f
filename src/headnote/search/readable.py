"""The text of a passage as a reader sees it, line by line: Markdown's signs are gone, and each line knows its place.

Blocks are those of the parser, and inline text becomes plain as it does in headings. Code stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from headnote.lines import LINE
from headnote.markdown.headings import heading_text
from headnote.markdown.plain import plain_text
from headnote.markdown.scanner import scan
from headnote.markdown.shown_headings import SHORTCODE
from headnote.markdown.views import View, as_content, footnote_content, jsx_content, list_items, quote_content, whole
from headnote.model import Block, BlockKind
from headnote.words.phrases import sentences

Kind = Literal["prose", "code", "heading"]

CELLS_APART = " · "
_MAX_DEPTH = 16
"""Nobody nests deeper by hand."""
_UNSEEN: frozenset[BlockKind] = frozenset(("rule", "definition", "mdx_esm", "mdx_expression"))
_CONTAINERS: frozenset[BlockKind] = frozenset(("list", "quote", "footnote", "mdx_jsx"))
_FENCE = re.compile(r"\ufeff?[ \t]*+(?:```|~~~|(?:---|\+\+\+)[ \t]*+\Z)")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]+\Z)")
_CELL = re.compile(r"(?:[^|\\]++|\\.|\\)++")
_CELL_END = re.compile(r"</t[dh]>\s*(?=<t[dh]\b)", re.IGNORECASE)
_BLOCK_END = re.compile(r"(?=</(?:d[dt]|div|h[1-6]|li|option|p|summary|t[dhr])>)", re.IGNORECASE)
_UNSEEN_HTML = re.compile(r"\s*<(?:script|style)\b", re.IGNORECASE)
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?[ \t]*+")
_NOTE = re.compile(
    r"""[ \t]*+(?:(?P<indented>!!!|\?\?\?\+?)|:{3,}|/{3,})[ \t]*+
        (?:(?P<kind>[\w-]*+)(?!\.\w))?+(?:\{[^}]*+\})?+[ \t|]*+
        (?:\[(?P<bracketed>[^\]]*+)\]|"(?P<quoted>[^"]*+)"|(?P<bare>.*+))""",
    re.VERBOSE,
)
"""The first or last line of a note, as Docusaurus, VitePress, FastAPI and MkDocs write it. MkDocs indents the text. In
`::: package.Name`, the documentation of some code, the name is what there is to see."""
_PICTURE = re.compile(
    r"!\[\[[^\[\]|]*?(?:\.(?:avif|bmp|gif|jpe?g|png|svg|webp)\b[^\[\]]*+|\|[0-9]++(?:x[0-9]++)?+)\]\]", re.IGNORECASE
)
"""An embedded picture, or anything else with a size."""
_HIDDEN = re.compile(
    rf"(?P<code>(?<!`)(`++)(?!`).*?(?<!`)\2(?!`))|%%.*?%%|{_PICTURE.pattern}|{SHORTCODE.pattern}", re.IGNORECASE
)
_BEGIN_HIDDEN = ("%%", "![[", "{{", "{*")
"""Most texts have none of these: to look for them takes a tenth of the time."""
_TEMPLATE_LINE = re.compile(r"\s*+(?:(?:\{\{[^{}]*+\}\}|\{%.*?%\}|<%.*?%>|\$\{[^{}]*+\})[\s,;.]*+)++")
_ESM_LINE = re.compile(
    r"""\s*+(?:import\s(?:[^"']*\bfrom\s*+)?+["'][^"']++["']|export\s(?:const|let|default|function|class|\*|\{).*?);?+\s*+"""
)
_FIELD = re.compile(r"(?:- )?[\[(]?(\w[\w /-]{0,40}+)::(?:\s++(.*?))?[\])]?")
"""A line that is a field of Dataview or Logseq: its name and value."""
_SIGNS = re.compile(r"[\s!-/:-@\[-`{-~–—…·•]*+")
_FENCE_LINE = re.compile(r"\s*+(?:(?:[-*+>]|[0-9]{1,9}[.)])\s++)*+(?:`{3}|~{3}).*")
_LABEL = re.compile(r"(?:- )?(?:[^\s:：]++\s++){0,2}+[^\s:：]++\s*+:|[^\s:：]{1,8}+：")
_CODE_COMMENT = re.compile(r"\s*+(?:<!--|%%(?!\w)).*")
_CODE_LABEL = re.compile(r"\s*+(?:- )?[\w.\"'-]++:")
_SILENT_CODE = (_TEMPLATE_LINE, _SIGNS, _FENCE_LINE, _CODE_LABEL, _CODE_COMMENT)
_SILENT_PROSE = (_TEMPLATE_LINE, _SIGNS, _FIELD, _LABEL)
_LINE_BEGIN = re.compile(r" ?\x02([0-9]+)\x02 ?")


class ReadableLine(NamedTuple):
    """A line in which there is something to see."""

    number: int
    """Of the line in the text, from 0."""
    text: str
    kind: Kind = "prose"
    continues: bool = False
    """Whether it goes on with the paragraph of the line before."""

    @property
    def says_something(self) -> bool:
        """Whether it can be an answer. Fields, templates, fences and labels without a value only say what stands around
        them."""
        silent = _SILENT_CODE if self.kind == "code" else _SILENT_PROSE
        return not any(pattern.fullmatch(self.text) for pattern in silent)

    @property
    def is_field(self) -> bool:
        """Whether it is a field with a value, which is better than nothing."""
        return self.kind == "prose" and (field := _FIELD.fullmatch(self.text)) is not None and bool(field[2])


def readable_lines(text: str, mdx: bool = False, *, begins_file: bool = False) -> list[ReadableLine]:
    """The lines of a text as a reader sees them, without those in which there is nothing to see. A text of nothing but
    signs is shown as it is. Only at the beginning of a file, `---` opens frontmatter.

    >>> [line.text for line in readable_lines("## Plan\\n\\nSee [the *map*](map.md) and [[Harbour|the harbour]].")]
    ['Plan', 'See the map and the harbour.']
    """
    reading = _Reading(text)
    reading.read(whole(text), mdx, 0, begins_file=begins_file)
    seen = [line for line in reading.lines if line.text.strip()]
    if seen:
        return seen
    source = (match[1] for match in LINE.finditer(text))
    return [ReadableLine(number, line, "code") for number, line in enumerate(source) if line.strip()]


def has_nothing_to_see(text: str) -> bool:
    """Whether a text is nothing but signs, such as a tag, which `readable_lines` shows as they are.

    >>> has_nothing_to_see('<div class="note">'), has_nothing_to_see("<p>Tides</p>")
    (True, False)
    """
    reading = _Reading(text)
    reading.read(whole(text), True, 0)
    return not any(line.text.strip() for line in reading.lines)


MAX_SENTENCE_CHARS = 280
_ITEM = re.compile(r"\A(?:[-+*]|[0-9]{1,9}[.)])[ ]++(?:\[[ xX]\][ ]++)?+")


def sentence_with(words: str, lines: Sequence[str], at: int) -> str:
    """The sentence that has these words, as a reader sees it. Its paragraph is around `lines[at]`.

    >>> sentence_with("the map", ["One thing. See", "[the map](map.md) first. Then go."], 1)
    'See the map first.'
    """
    first = at
    while first > 0 and lines[first - 1].strip():
        first -= 1
    last = at
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    readable = readable_lines("\n".join(lines[first : last + 1]))
    # The lines of a list and of a table are paragraphs of their own.
    begin = max((n for n, line in enumerate(readable) if line.number <= at - first and not line.continues), default=0)
    end = next((n for n, line in enumerate(readable) if n > begin and not line.continues), len(readable))
    before = " ".join(line.text for line in readable[begin:end] if line.number < at - first)
    paragraph = " ".join(line.text for line in readable[begin:end])
    place = max(paragraph.find(words, max(0, len(before) - len(words))), 0) if words else len(before)
    start, stop = next((start, stop) for start, stop in sentences(paragraph) if place < stop or stop == len(paragraph))
    return _shortened(_ITEM.sub("", paragraph[start:stop].strip()), place - start)


def _shortened(sentence: str, place: int) -> str:
    """What is around a place of a long sentence."""
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    start = max(0, min(place - MAX_SENTENCE_CHARS // 2, len(sentence) - MAX_SENTENCE_CHARS))
    cut = sentence[start : start + MAX_SENTENCE_CHARS]
    return f"{'…' if start else ''}{cut.strip()}{'…' if start + MAX_SENTENCE_CHARS < len(sentence) else ''}"


class _Reading:
    """One pass over a text. Views are parts of it, without the markers of the containers around them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[ReadableLine] = []
        self._starts = [match.start() for match in LINE.finditer(text)]
        self._in_note = False
        """Whether the line before opens a note with indented text."""

    def read(self, view: View, mdx: bool, depth: int, marker: str = "", begins_file: bool = False) -> None:
        """`marker` is that of a list item, and goes in front of its first line."""
        if not begins_file:
            view = as_content(view)
        first = len(self.lines)
        for block in scan(view.text, mdx):
            self._block(view, block, mdx, depth)
        if marker and first < len(self.lines):
            self.lines[first] = self.lines[first]._replace(text=f"{marker} {self.lines[first].text}")

    def _block(self, view: View, block: Block, mdx: bool, depth: int) -> None:
        in_note, self._in_note = self._in_note, False
        kind = block.kind
        if kind in _CONTAINERS and depth < _MAX_DEPTH:
            self._container(view, block, mdx, depth + 1)
        elif kind == "heading":
            self._add(view, block.start, heading_text(view.text, block.start, block.end), "heading")
        elif kind == "table":
            self._table(view, block)
        elif kind == "code" and in_note and depth < _MAX_DEPTH:
            self.read(_outdented(view, block), mdx, depth + 1)
        elif kind in ("code", "frontmatter"):
            self._code(view, block)
        elif kind not in _UNSEEN and not (kind == "html" and _UNSEEN_HTML.match(view.text, block.start)):
            self._prose(view, block)

    def _add(self, view: View, position: int, text: str, kind: Kind = "prose", continues: bool = False) -> None:
        number = bisect_right(self._starts, view.place(position)) - 1
        self.lines.append(ReadableLine(max(number, 0), text, kind, continues))

    def _container(self, view: View, block: Block, mdx: bool, depth: int) -> None:
        if block.kind == "list":
            for item in list_items(view, block.start, block.end):
                self.read(item, mdx, depth, self._marker(item.place(0)))
        elif block.kind == "quote":
            self.read(quote_content(view, block.start, block.end), mdx, depth)
        elif block.kind == "footnote":
            self.read(footnote_content(view, block.start, block.end), mdx, depth)
        else:
            self.read(jsx_content(view, block.start, block.end), False, depth)

    def _marker(self, place: int) -> str:
        """What stands in front of a list item: its number, or a dash."""
        start = self._starts[max(bisect_right(self._starts, place) - 1, 0)]
        marker = _MARKER.search(self.text, start, place)
        return marker[0] if marker and marker[0][0].isdigit() else "-"

    def _table(self, view: View, block: Block) -> None:
        for row, (position, line) in enumerate(_lines(view, block)):
            if row != 1:  # below the header come dashes
                # A table ends the escape of its own sign, before any other markup is read: also in code.
                cells = (plain_text(cell.replace("\\|", "|")) for cell in _CELL.findall(line))
                self._add(view, position, CELLS_APART.join(filter(None, cells)))

    def _code(self, view: View, block: Block) -> None:
        is_fenced = block.kind == "frontmatter" or _FENCE.match(view.text, block.start) is not None
        lines = list(_lines(view, block))
        for number, (position, line) in enumerate(lines):
            is_edge = number in (0, len(lines) - 1)
            if not (is_fenced and is_edge and _FENCE.match(line)):
                self._add(view, position, line if is_fenced else line.removeprefix("    "), "code")

    def _prose(self, view: View, block: Block) -> None:
        lines = list(_lines(view, block))
        notes = {number: note for number, (_, line) in enumerate(lines) if (note := _NOTE.match(line))}
        sources = [_title(notes[number]) if number in notes else line for number, (_, line) in enumerate(lines)]
        if block.kind == "html":
            sources = [_BLOCK_END.sub(" ", _CELL_END.sub(CELLS_APART, line)) for line in sources]
        titles = set(notes)
        for number, text in _plain_lines(sources):
            callout = _CALLOUT.match(text)
            if callout:
                titles.add(number)
            shown = (text[callout.end() :] or callout[1].capitalize()) if callout else text
            if not (block.kind == "paragraph" and _is_unseen(shown)):
                # A tag at the beginning of a line of HTML begins something of its own.
                is_apart = block.kind == "html" and lines[number][1].lstrip().startswith("<")
                continues = number > 0 and not is_apart and titles.isdisjoint((number - 1, number))
                self._add(view, lines[number][0], shown, "prose", continues)
        last = notes.get(len(lines) - 1)
        self._in_note = last is not None and last["indented"] is not None


def _plain_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of a paragraph with their numbers, without markup. A link may go over several of them, so they are read
    as one text, with a sign for the beginning of each. A line that lies in markup goes without."""
    # A backslash at the end of a line breaks it.
    plain = (line.replace("\x02", " ").rstrip(" \\") for line in lines)
    marked = "".join(f" \x02{number}\x02 {line}" for number, line in enumerate(plain))
    hides = any(begin in marked for begin in _BEGIN_HIDDEN)
    seen = _HIDDEN.sub(lambda match: match["code"] or match["shown"] or "", marked) if hides else marked
    _, *pieces = _LINE_BEGIN.split(plain_text(seen))
    yield from zip(map(int, pieces[::2]), pieces[1::2], strict=True)


def _is_unseen(line: str) -> bool:
    """Whether a page shows nothing of a line of text: a template, a statement of MDX, an empty field, only signs."""
    # Most lines have none of what each of the patterns needs.
    if _SIGNS.fullmatch(line) or (("{" in line or "<%" in line) and _TEMPLATE_LINE.fullmatch(line)):
        return True
    if ("import" in line or "export" in line) and _ESM_LINE.fullmatch(line):
        return True
    return "::" in line and (field := _FIELD.fullmatch(line)) is not None and not field[2]


def _lines(view: View, block: Block) -> Iterator[tuple[int, str]]:
    """Where each line of a block begins, and its text."""
    for match in LINE.finditer(view.text, block.start, block.end):
        if match.start() < block.end:
            yield match.start(), match[1]


def _outdented(view: View, block: Block) -> View:
    """The text of a note, which its indentation makes look like code."""
    lines = [(place, line.removeprefix("    ")) for place, line in _lines(view, block)]
    starts = list(accumulate((len(line) + 1 for _, line in lines[:-1]), initial=0))
    ends = (view.place(place) + len(source) for place, source in _lines(view, block))
    shifts = [end - len(line) - start for end, (_, line), start in zip(ends, lines, starts, strict=True)]
    return View("\n".join(line for _, line in lines), starts, shifts)


def _title(note: re.Match[str]) -> str:
    """What the line of a note shows: its title, else its kind; nothing at its end."""
    title = next((note[name] for name in ("bracketed", "quoted", "bare") if note[name]), "")
    return title or note["kind"].capitalize()

"""Blocks that their first characters give away: prose, headings, fences, lists, quotes, breaks and HTML, not indented.

They are most of a document, and searching for line ends and fences takes a fraction of the time of the regexes. What is
not decided by a look at such a block is left to the rules: they read everything else, and these constructs wherever
they are indented or look odd.
"""

from __future__ import annotations

import re
from typing import Final

from headnote.markdown.rules.leaf import BLOCK_TAGS, COMPLETE_TAG, RAW_TEXT_TAGS
from headnote.markdown.rules.paragraph import Continuation
from headnote.markdown.rules.rule import Dialect, SpansRead, without_blank_end

UNDECIDED: Final = -1
_IS_PROSE: Final = -2
_BLANKS: Final = frozenset(chr(code) for code in range(0x3001) if chr(code).isspace())
"""What a regex calls `\\s`."""
_MAY_BEGIN_OTHER: Final = frozenset("#>`~*+-_<[0123456789") | _BLANKS
"""First characters of what may be no paragraph."""
_MAY_END_PROSE: Final = _MAY_BEGIN_OTHER | frozenset("=|:")
"""First characters of a line that may be no further line of a paragraph."""
_MAX_HASHES: Final = 6
_MIN_MARKS: Final = 3
_MAX_TAG_CHARS: Final = max(map(len, BLOCK_TAGS))
_BLOCK_TAGS: Final = frozenset(BLOCK_TAGS)
_RAW_TEXT_TAGS: Final = frozenset(RAW_TEXT_TAGS)
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_COMPLETE_TAG: Final = re.compile(COMPLETE_TAG)
_END_TAG_NAME: Final = frozenset(" \t\n>/")
_MAX_NAME_CHARS: Final = 64
"""Length of a tag that is read here: how far to look for its `>`."""
_MAX_SPACES: Final = 4
"""Between the marker of a list item and its content."""
_INDENTATION: Final = ("", " ", "  ", "   ")


class QuickReader:
    """Reads such blocks in one dialect."""

    def __init__(self, dialect: Dialect, go_on: Continuation) -> None:
        self.mdx = dialect.mdx
        # In MDX a brace begins an expression, and the `i` of `import` or the `e` of `export` a statement.
        self.may_begin_other: frozenset[str] = _MAY_BEGIN_OTHER | frozenset("{ie" if self.mdx else "")
        self.may_end_prose: frozenset[str] = _MAY_END_PROSE | frozenset("{" if self.mdx else "")
        self.go_on = go_on

    def read(self, text: str, start: int, reading: SpansRead) -> int:
        """Where scanning goes on behind the block at `start`, or `UNDECIDED`."""
        first = text[start]
        if first not in self.may_begin_other:
            return self._read_prose(text, start, reading)
        if first == "#":
            return _read_heading(text, start, reading)
        if first == "`":
            if _run_end(text, start) - start < _MIN_MARKS:
                return self._read_prose(text, start, reading)
            return _read_fence(text, start, self.mdx, reading)
        if first == "<":
            end = UNDECIDED if self.mdx else _read_html(text, start, reading)
            return self._read_prose(text, start, reading) if end == _IS_PROSE else end
        if first == ">":
            return _read_quote(text, start, reading)
        if first == "[":
            return self._read_prose(text, start, reading) if _is_no_label(text, start) else UNDECIDED
        if (first == "*" or first == "_") and _begins_emphasis(text, start):
            return self._read_prose(text, start, reading)
        if (first == "-" or first == "*" or first == "_") and text[start + 1] == first:
            return _read_break(text, start, reading)
        if first == "-" or first == "*" or first == "+":
            return _read_list(text, start, first, 1, reading)
        if first.isdecimal() and (text[start + 1] == "." or text[start + 1] == ")"):
            return _read_list(text, start, text[start + 1], 2, reading)
        return UNDECIDED

    def _read_prose(self, text: str, start: int, reading: SpansRead) -> int:
        size, may_end = len(text), self.may_end_prose
        end = text.find("\n", start) + 1
        while end < size and (text[end] not in may_end or _is_surely_prose(text, end)):
            end = text.find("\n", end) + 1
        if end < size and text[end] != "\n":
            return self.go_on(text, start, end, reading)
        reading.spans.append(("paragraph", start, end - 1, 0, ""))
        return end


def _is_no_label(text: str, start: int) -> bool:
    """Whether a bracket begins no definition and no footnote: where it closes, no colon follows. Most are links."""
    end = text.find("]", start, text.find("\n", start))
    return end > 0 and text[end + 1] != ":" and text[end - 1] != "\\"


def _begins_emphasis(text: str, start: int) -> bool:
    """Whether something stands behind one or two marks: no list and no thematic break begins so."""
    mark = text[start]
    after = start + 2 if text[start + 1] == mark else start + 1
    return text[after] != mark and text[after] not in _BLANKS


def _read_break(text: str, start: int, reading: SpansRead) -> int:
    after = _run_end(text, start)
    if after - start < _MIN_MARKS or not _is_blank(text, after):
        return UNDECIDED
    end = text.find("\n", after)
    reading.spans.append(("rule", start, end, 0, ""))
    return end + 1


def _is_surely_prose(text: str, at: int) -> bool:
    """Whether a line goes on with the paragraph before it, although other lines with its first character may not."""
    first = text[at]
    if first == "\n":
        return False
    second = text[at + 1]
    if first == "`" or first == "~":
        return second != first
    if first == "[":
        return second != "^"
    if first == "*" or first == "_" or first == "+" or first == "#":
        return second != first and second not in _BLANKS
    # A number interrupts a paragraph only if it is 1, which may have zeros in front.
    return first in "23456789"


def _read_quote(text: str, start: int, reading: SpansRead) -> int:
    """Lines that have the sign at the margin, up to a blank one. Where a line goes on without it, the rules decide."""
    size, end = len(text), start
    while end < size and text[end] == ">":
        end = text.find("\n", end) + 1
    if end < size and not _is_blank(text, end):
        return UNDECIDED
    reading.spans.append(("quote", start, end - 1, 0, ""))
    return end


def _read_list(text: str, start: int, mark: str, width: int, reading: SpansRead) -> int:
    """A list whose markers, of this width and with this last character, all stand at the margin and are spaced alike.

    It ends at a line at the margin after a blank one, or with the text. Where it might go on there, or items might
    look different, the rules decide.
    """
    content = start + width
    while text[content] == " ":
        content += 1
    gap = content - start - width
    if not 1 <= gap <= _MAX_SPACES:
        return UNDECIDED
    size, is_numbered = len(text), width > 1
    line, last = start, start
    while True:
        content = line + width + gap
        # What begins with another marker may be a thematic break.
        if text[content] in _BLANKS or text[content] == mark:
            return UNDECIDED
        last = text.find("\n", content)
        line = last + 1
        follows_blank = False
        while line < size:
            at = line
            while text[at] == " ":
                at += 1
            if _is_blank(text, at):
                follows_blank = True
                at = text.find("\n", at)
            elif at - line >= width + gap:
                follows_blank = False
                last = at = text.find("\n", at)
            elif at > line or text[at] == "\t":
                return UNDECIDED
            else:
                break
            line = at + 1
        if line == size or (follows_blank and not _may_be_item(text[line], mark, is_numbered)):
            reading.spans.append(("list", start, last, 0, ""))
            return line
        if not _is_item(text, line, mark, width, gap):
            return UNDECIDED


def _may_be_item(first: str, mark: str, is_numbered: bool) -> bool:
    return first.isdecimal() if is_numbered else first == mark


def _is_item(text: str, line: int, mark: str, width: int, gap: int) -> bool:
    """Whether a line begins with a marker and this many spaces."""
    if width > 1 and not "0" <= text[line] <= "9":
        return False
    at = line + width
    if text[at - 1] != mark:
        return False
    stop = at + gap
    while at < stop and text[at] == " ":
        at += 1
    return at == stop


def _read_heading(text: str, start: int, reading: SpansRead) -> int:
    after = start + 1
    while text[after] == "#":
        after += 1
    level = after - start
    if level > _MAX_HASHES or text[after] not in " \t\n":
        return UNDECIDED
    end = text.find("\n", after)
    reading.spans.append(("heading", start, end, level, ""))
    return end + 1


def _read_html(text: str, start: int, reading: SpansRead) -> int:
    """A comment; or a tag that opens an HTML block up to the next blank line. Any other tag may begin a paragraph."""
    if text[start + 1] == "!":
        return _read_comment(text, start, reading)
    name = start + 2 if text[start + 1] == "/" else start + 1
    after = name
    while after - name <= _MAX_TAG_CHARS and text[after] not in _END_TAG_NAME:
        after += 1
    tag = text[name:after]
    is_block = tag.lower() in _BLOCK_TAGS and tag.isascii() and (text[after] != "/" or text[after + 1] == ">")
    if not is_block and not _is_plain_tag(text, name):
        if text[name] not in _LETTERS or tag.lower() in _RAW_TEXT_TAGS:
            return UNDECIDED
        if _COMPLETE_TAG.match(text, start) is None:
            return _IS_PROSE
    end = text.find("\n", after) + 1
    while not _is_blank(text, end):
        end = text.find("\n", end) + 1
    reading.spans.append(("html", start, end - 1, 0, ""))
    return end


def _is_plain_tag(text: str, name: int) -> bool:
    """Whether this is the name of a tag without attributes, alone on its line."""
    end = text.find(">", name, name + _MAX_NAME_CHARS)
    if end <= name:
        return False
    tag = text[name:end]
    is_name = tag.isascii() and tag[0].isalpha() and tag.replace("-", "").isalnum()
    return is_name and tag.lower() not in _RAW_TEXT_TAGS and _is_blank(text, end + 1)


def _read_comment(text: str, start: int, reading: SpansRead) -> int:
    if text[start + 2] != "-" or text[start + 3] != "-":
        return UNDECIDED
    # From the third character on: in `<!-->` the opening is part of the closing.
    closing = text.find("-->", start + 2)
    if closing < 0:
        return UNDECIDED
    end = text.find("\n", closing)
    reading.spans.append(("html", start, end, 0, ""))
    return end + 1


def _read_fence(text: str, start: int, mdx: bool, reading: SpansRead) -> int:
    after = _run_end(text, start)
    line_end = text.find("\n", after)
    info = text[after:line_end]
    if after - start < _MIN_MARKS or "`" in info:
        return UNDECIDED
    end = _fence_end(text, line_end, text[start:after], mdx)
    # Without a closing fence it takes in all that follows, blank lines at the end of the file included.
    last = without_blank_end(text, start, end) if text[end - 2] in " \t\n" else end - 1
    reading.spans.append(("code", start, last, 0, info.strip(" \t")))
    return end


def _fence_end(text: str, line_end: int, mark: str, mdx: bool) -> int:
    """From the end of the first line, the end of the line that closes the fence; else of the text."""
    while (at := text.find(mark, line_end)) >= 0:
        line = text.rfind("\n", line_end, at) + 1
        line_end = text.find("\n", at)
        if _is_indentation(text[line:at], mdx) and _is_blank(text, _run_end(text, at)):
            return line_end + 1
    return len(text)


def _is_indentation(before: str, mdx: bool) -> bool:
    """Whether a fence may stand behind this on its line. MDX has no indented code, so any depth will do."""
    return not before.strip(" \t") if mdx else before in _INDENTATION


def _run_end(text: str, start: int) -> int:
    """Where the run of one character that begins here ends."""
    mark, end = text[start], start + 1
    while text[end] == mark:
        end += 1
    return end


def _is_blank(text: str, at: int) -> bool:
    """Whether nothing follows on the line, or no line."""
    size = len(text)
    while at < size and (text[at] == " " or text[at] == "\t"):
        at += 1
    return at == size or text[at] == "\n"

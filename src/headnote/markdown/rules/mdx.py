"""MDX: ESM statements, JSX elements and expressions that stand on lines of their own.

What cannot be understood is no error: it is left to the paragraph rule. Of JavaScript just enough is known to tell
where a bracket closes: strings, templates and comments are stepped over.
"""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import LINES_TO_BLANK, Dialect, Flow, JsxTag, Rule, Span, SpansRead

_TOKEN = re.compile(
    r"""
      "(?:[^"\\\n]|\\[\s\S])*+"             # a string ends on its line, or is an apostrophe in text
    | '(?:[^'\\\n]|\\[\s\S])*+'
    | //[^\n]*+
    | /\*                                   # the end of a comment is looked up
    | (?<=[({\[,;=:!&|?])/(?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/  # a regex: no operand before it
    | [({\[`)}\]]
    """,
    re.VERBOSE,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+(?:`|\$\{)")
_OPENING = {")": "(", "]": "[", "}": "{"}
_LAST_COMMENT_END = -1
"""Key in `known` for where the last comment of the text ends."""


def closing_bracket(text: str, opening: int, known: dict[int, int]) -> int:
    """Offset just past what closes the bracket or backtick at `opening`; -1 if nothing does.

    `known` keeps the answer for every bracket seen on the way: a text full of unclosed brackets is read once.
    """
    if opening not in known:
        _match_brackets(text, opening, known)
    return known[opening]


def next_bracket(text: str, start: int, end: int, known: dict[int, int]) -> int:
    """Offset of the next opening bracket or backtick outside strings and comments; -1 if there is none."""
    at = start
    while token := _TOKEN.search(text, at, end):
        if token[0] in "({[`":
            return token.start()
        at = _after(text, token, known)
    return -1


def _after(text: str, token: re.Match[str], known: dict[int, int]) -> int:
    """Where reading goes on after a token; an unclosed comment is text."""
    if token[0] != "/*":
        return token.end()
    if _LAST_COMMENT_END not in known:
        known[_LAST_COMMENT_END] = text.rfind("*/")
    if token.end() > known[_LAST_COMMENT_END]:
        return token.end()
    return text.find("*/", token.end()) + 2


def _match_brackets(text: str, opening: int, known: dict[int, int]) -> None:
    open_brackets: list[int] = []
    at = opening
    while True:
        in_template = bool(open_brackets) and text[open_brackets[-1]] == "`"
        token = _TEMPLATE.match(text, at) if in_template else _TOKEN.search(text, at)
        if token is None:
            known.update((bracket, -1) for bracket in open_brackets)
            return
        mark = text[token.end() - 1]
        at = _after(text, token, known)
        if in_template and mark == "`":
            known[open_brackets.pop()] = at
        elif mark in "({[`" and (in_template or len(token[0]) == 1):
            jump = known.get(at - 1, -1)
            if jump > 0:
                at = jump
            else:
                open_brackets.append(at - 1)
        elif mark in _OPENING and len(token[0]) == 1:
            _close(text, mark, at, open_brackets, known)
        if not open_brackets:
            return


def _close(text: str, mark: str, at: int, open_brackets: list[int], known: dict[int, int]) -> None:
    """A brace closes whatever was left open inside it; a stray `)` or `]` is text."""
    if mark == "}":
        while open_brackets and text[open_brackets[-1]] != "{":
            known[open_brackets.pop()] = -1
    if open_brackets and text[open_brackets[-1]] == _OPENING[mark]:
        known[open_brackets.pop()] = at


# -- MDX: ESM statements, JSX elements and expressions that stand on lines of their own.

_NAME = r"(?:[^\W\d]|\$)[\w$-]*+(?:\s*+[.:]\s*+(?:[^\W\d]|\$)[\w$-]*+)*+"
_TAG_OPENING = re.compile(rf"<(?P<closing>/)?+\s*+(?P<name>{_NAME})?+(?=[\s/>{{])")
_ATTRIBUTE = re.compile(
    r"""\s*+(?:(?:[^\W\d]|\$)[\w$:.-]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?P<value>(?=\{))))?+|(?P<spread>(?=\{)))"""
)
_TAG_END = re.compile(r"\s*+(?P<closed>/\s*+)?+>")
_GAP = re.compile(r"[ \t]*+")
_SIMPLE_TAG = re.compile(r"[ \t]*+<(/)?+([A-Za-z][A-Za-z0-9]*+)>[ \t]*+\n")
_PARAGRAPH = re.compile(LINES_TO_BLANK)


def esm(_: Dialect) -> Rule:
    return Rule("mdx_esm", r"(?<![ \t])(?:import|export)[ ]++[^\n]", _read_esm)


def flow(otherwise: Rule) -> Rule:
    """JSX elements and expressions; `otherwise` reads the line when other text is among them."""
    text_from = re.compile(rf"[ \t]*+{otherwise.pattern}").match

    def read(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
        end, tags, alone = flow_at(text, start, reading)
        if not alone:
            # A tag may be spread over lines; what they begin with is then part of the tag.
            paragraph = text_from(text, max(start, text.rfind("\n", start, end) + 1))
            assert paragraph is not None
            return otherwise.read(text, start, paragraph, reading)
        reading.spans.append(
            ("mdx_jsx", start, end, 0, tags[0].name) if tags else ("mdx_expression", start, end, 0, "")
        )
        return end + 1

    return Rule("mdx_flow", "[<{]", read)


def flow_at(text: str, start: int, reading: SpansRead) -> Flow:
    """The tags and expressions with which the line at `start` begins."""
    if start not in reading.flows:
        reading.flows[start] = _read_flow(text, start, reading.brackets)
    return reading.flows[start]


def _read_flow(text: str, start: int, brackets: dict[int, int]) -> Flow:
    if simple := _SIMPLE_TAG.match(text, start):
        end = simple.end() - 1
        return Flow(end, (JsxTag(simple[2], end, -1 if simple[1] else 1),), alone=True)
    tags: list[JsxTag] = []
    after_expression = False  # two in a row are text
    at = first = _skip_gap(text, start)
    while not text.startswith("\n", at):
        if text.startswith("{", at) and not after_expression:
            end = closing_bracket(text, at, brackets)
            after_expression = True
        else:
            tag = read_tag(text, at, brackets)
            tags += [tag] if tag else []
            end = tag.end if tag else -1
            after_expression = False
        if end < 0:
            return Flow(at, tuple(tags), alone=False)
        at = _skip_gap(text, end)
    return Flow(at, tuple(tags), alone=at > first)


def join_elements(reading: SpansRead) -> list[Span]:
    """From an opening tag to its closing tag is one element: join what lies between them to one span.

    An opening tag that is never closed, and a closing tag that was never opened, stay by themselves.
    """
    opened: list[tuple[str, int]] = []  # name of an open element, index of its span in `joined`
    waiting: dict[str, int] = {}  # how often each name is open: a stray closing tag costs no search
    joined: list[Span] = []
    for span in reading.spans:
        joined.append(span)
        if span[0] != "mdx_jsx":
            continue
        for tag in reading.flows[span[1]].tags:
            if tag.opens > 0:
                opened.append((tag.name, len(joined) - 1))
                waiting[tag.name] = waiting.get(tag.name, 0) + 1
            elif tag.opens < 0 and waiting.get(tag.name):
                first = _close_element(tag.name, opened, waiting)
                joined[first:] = [(*joined[first][:2], span[2], *joined[first][3:])]
    return joined


def _close_element(name: str, opened: list[tuple[str, int]], waiting: dict[str, int]) -> int:
    """Take the innermost element of that name off the open ones; the index of its first span."""
    while True:
        innermost, first = opened.pop()
        waiting[innermost] -= 1
        if innermost == name:
            return first


def _read_esm(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = esm_end(text, start, reading.brackets)
    reading.spans.append(("mdx_esm", start, end - 1, 0, ""))
    return end


def esm_end(text: str, start: int, brackets: dict[int, int]) -> int:
    """Where the statement at `start` ends, line end included: at the next blank line outside its brackets."""
    end = first_end = _blank_after(text, start)
    at = start
    while (bracket := next_bracket(text, at, end, brackets)) >= 0:
        at = closing_bracket(text, bracket, brackets)
        if at < 0:
            return first_end  # broken: better a short statement than the rest of the file
        if at > end:
            end = _blank_after(text, at)
    return end


def _blank_after(text: str, position: int) -> int:
    line = text.rfind("\n", 0, position) + 1
    paragraph = _PARAGRAPH.match(text, line)
    assert paragraph is not None
    return paragraph.end()


def read_tag(text: str, start: int, brackets: dict[int, int]) -> JsxTag | None:
    """The tag at `start`; None if there is none. `brackets` is the memory of `closing_bracket`."""
    opening = _TAG_OPENING.match(text, start)
    if opening is None:
        return None
    at = opening.end()
    while not (end := _TAG_END.match(text, at)):
        attribute = _ATTRIBUTE.match(text, at)
        if attribute is None:
            return None
        at = attribute.end()
        if attribute.lastgroup:
            at = closing_bracket(text, at, brackets)
            if at < 0:
                return None
    opens = -1 if opening["closing"] else 0 if end["closed"] else 1
    return JsxTag(opening["name"] or "", end.end(), opens)


def _skip_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    assert gap is not None
    return gap.end()

"""Just enough JavaScript to know where a bracket closes: strings, templates and comments are stepped over."""

from __future__ import annotations

import re

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

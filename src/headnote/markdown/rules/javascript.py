"""Just enough JavaScript to know where a bracket closes: strings, templates and comments are stepped over."""

from __future__ import annotations

import re

_CODE = re.compile(
    r"""
      "(?:[^"\\\n]|\\[\s\S])*+"             # a string ends on its line, or is an apostrophe in text
    | '(?:[^'\\\n]|\\[\s\S])*+'
    | //[^\n]*+
    | /\*(?:[^*]|\*(?!/))*+\*/
    | (?<=[({\[,;=:!&|?])/(?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/  # a regex, where no operand stands before it
    | [({\[`)}\]]
    """,
    re.VERBOSE,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+(?:`|\$\{)")
_OPENING = {")": "(", "]": "[", "}": "{"}


def closing_bracket(text: str, opening: int, known: dict[int, int]) -> int:
    """Offset just past what closes the bracket or backtick at `opening`; -1 if nothing does.

    `known` keeps the answer for every bracket seen on the way: a text full of unclosed brackets is read once.
    """
    if opening not in known:
        _match_brackets(text, opening, known)
    return known[opening]


def _match_brackets(text: str, opening: int, known: dict[int, int]) -> None:
    open_brackets: list[int] = []
    at = opening
    while True:
        in_template = bool(open_brackets) and text[open_brackets[-1]] == "`"
        token = _TEMPLATE.match(text, at) if in_template else _CODE.search(text, at)
        if token is None:
            known.update((bracket, -1) for bracket in open_brackets)
            return
        mark, at = text[token.end() - 1], token.end()
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
        while open_brackets and text[open_brackets[-1]] not in "{":
            known[open_brackets.pop()] = -1
    if open_brackets and text[open_brackets[-1]] == _OPENING[mark]:
        known[open_brackets.pop()] = at

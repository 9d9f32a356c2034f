"""The smallest text that still shows a difference, by leaving things out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from blocklines import lines_of


def shrink(text: str, still_fails: Callable[[str], bool]) -> str:
    """Drop lines, then characters, then tame what is left, for as long as the failure stays."""
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in simpler(text):
            if still_fails(candidate):
                text, shrunk = candidate, True
                break
    return text


def simpler(text: str) -> Iterator[str]:
    """Every text one step simpler, the boldest steps first. Each is shorter or tamer, so shrinking ends."""
    lines = lines_of(text)
    for size in (len(lines) // 2, 2, 1):
        for start in range(len(lines) - size + 1 if size else 0):
            yield "".join(lines[:start] + lines[start + size :])
    if "\r" in text:
        yield text.replace("\r\n", "\n").replace("\r", "\n")
    for index in range(len(text)):
        yield text[:index] + text[index + 1 :]
    for index, character in enumerate(text):
        if character == "\t":
            yield f"{text[:index]} {text[index + 1 :]}"
        elif character.isalnum() and character != "a":
            yield f"{text[:index]}a{text[index + 1 :]}"

"""The block of YAML or TOML at the very start of a file: where it ends, what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from headnote.markdown.plain_data import TooLarge, plain_mapping
from headnote.markdown.simple_yaml import simple_fields
from headnote.markdown.untrusted import load_data
from headnote.model import Block, Frontmatter

_Format = Literal["yaml", "toml"]

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*+(?=[\r\n])")
_CLOSING = {
    "---": re.compile(r"---[ \t]*+(?=[\r\n]|\Z)"),
    "+++": re.compile(r"\+\+\+[ \t]*+(?=[\r\n]|\Z)"),
}
_FORMAT: dict[str, _Format] = {"---": "yaml", "+++": "toml"}

_LINE_END = re.compile(r"\r\n?|\n")
_BETWEEN_TAGS = re.compile(r"[,\s]+")
_BETWEEN_ALIASES = re.compile(",")
_TOML_LINE = re.compile(r" \(at line (\d+), column \d+\)")


def match_frontmatter(text: str) -> tuple[int, str] | None:
    """End of the frontmatter (its closing line included, the line end not) and its format, if there is one."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    fence = opening[1]
    at = text.find(fence, opening.end())
    while at >= 0:
        closing = _CLOSING[fence].match(text, at) if text[at - 1] in "\r\n" else None
        if closing is not None:
            return closing.end(), _FORMAT[fence]
        at = text.find(fence, at + 1)
    return None


def read_frontmatter(text: str, block: Block) -> Frontmatter:
    """What the frontmatter says. It never raises: what cannot be read becomes a warning with the file's line."""
    format_: _Format = "toml" if block.info == "toml" else "yaml"
    lines = _LINE_END.sub("\n", text[block.start : block.end]).split("\n")
    if format_ == "yaml" and (fields := simple_fields(lines[1:-1])):
        return Frontmatter(format_, fields)
    body = "\n".join(lines[1:-1])
    try:
        value = load_data(body, format_)
        if value is None:
            return Frontmatter(format_, {})
        if not isinstance(value, dict):
            return _unread(format_, block.start_line, "it has no fields")
        return Frontmatter(format_, plain_mapping(value))
    except TooLarge as error:
        return _unread(format_, block.start_line, str(error))
    except Exception as error:  # noqa: BLE001  parsers fail in many ways on hostile input, and none may stop a file
        line, problem = _locate(error)
        return _unread(format_, block.start_line + 1 + line, problem)


def _unread(format_: _Format, line: int, problem: str) -> Frontmatter:
    return Frontmatter(format_, {}, f"line {line}: unreadable {format_.upper()} frontmatter: {problem}")


def _locate(error: Exception) -> tuple[int, str]:
    """Line within the body, from 0, and the complaint in one line."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return mark.line, _one_line(getattr(error, "problem", None) or str(error))
    message = _one_line(str(error)) or type(error).__name__
    toml_line = _TOML_LINE.search(message)
    if toml_line is not None:
        return int(toml_line[1]) - 1, _TOML_LINE.sub("", message)
    return 0, message


def _one_line(message: str) -> str:
    return " ".join(message.split())[:200]


def title(data: Mapping[str, Any]) -> str:
    """The `title` field as one line; empty if there is none."""
    return next(iter(_words(_field(data, "title"))), "")


def tags(data: Mapping[str, Any]) -> list[str]:
    """`tags` or `tag`: a list, or a string with commas or blanks between them. A leading `#` is dropped."""
    words = _words(_field(data, "tags", "tag"), separator=_BETWEEN_TAGS)
    return _unique(word.lstrip("#") for word in words)


def aliases(data: Mapping[str, Any]) -> list[str]:
    """`aliases` or `alias`: a list, or a string with commas between them, since an alias may have blanks."""
    return _unique(_words(_field(data, "aliases", "alias"), separator=_BETWEEN_ALIASES))


def _field(data: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that says anything; `Tags` counts as `tags`."""
    folded = {key.casefold(): value for key, value in data.items() if value not in (None, "", [])}
    return next((folded[name] for name in names if name in folded), None)


def _words(value: Any, separator: re.Pattern[str] | None = None) -> list[str]:
    """The strings in a field, whichever way its author wrote it; items of a list are not taken apart."""
    if isinstance(value, str):
        parts = separator.split(value) if separator else [value]
    elif isinstance(value, list):
        parts = [str(item) for item in value if item is not None and not isinstance(item, dict | list)]
    elif value is None or isinstance(value, dict):
        return []
    else:
        parts = [str(value)]
    return [" ".join(part.split()) for part in parts if part.strip()]


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word))

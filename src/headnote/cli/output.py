"""What a command found, in the formats that programs read. One table for all commands: `--format NAME`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from headnote.cli.choices import words
from headnote.cli.command import Option
from headnote.cli.options import as_json, together
from headnote.cli.terminal import UNPRINTABLE, harmless, printable, without_commands, write_bytes, write_json
from headnote.errors import SettingsError

_REPLACED = {code: sign for code, sign in UNPRINTABLE.items() if chr(code) not in "\n\t\r"}
"""What a terminal would obey, and XML may not contain. Line ends and tabs stay: cells and elements can hold them."""
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


class OutputRow(NamedTuple):
    """One thing that was found."""

    fields: Mapping[str, Any]
    """All that is known of it, for JSON lines."""
    file: str
    """The file it stands in, as seen from here."""
    line: int = 1
    about: str = ""
    """Where in the document: headings, or what it leads to."""
    text: str = ""
    """Its words: all of them for Markdown, the first line for `lines`."""
    shown: str = ""
    """The line that is shown of it, if that is not the first of the text."""
    cells: Mapping[str, object] = MappingProxyType({})
    """What tables have instead of some fields, or beside them. In tables, a list is joined by commas."""

    def cell(self, name: str) -> str:
        """The text of a field, or of the cell that stands in its place."""
        return _cell(self.cells[name] if name in self.cells else self.fields.get(name))


class Output(NamedTuple):
    """What a command found."""

    name: str
    """Of all of it, as an element of XML: `hits`."""
    item: str
    """Of one of them: `hit`."""
    record: Mapping[str, Any]
    """All of it as one object, for JSON."""
    rows: Sequence[OutputRow]
    columns: Sequence[str]
    """Names of the cells, also if there are no rows."""


class Shape(NamedTuple):
    """The format that was asked for."""

    name: str
    null: bool = False


def write_output(output: Output, shape: Shape) -> None:
    """Write what was found in this format."""
    if shape.name == "files":
        _write_files(output.rows, "\0" if shape.null else "\n")
    else:
        FORMATS[shape.name](output)


# For programs


def _json(output: Output) -> None:
    write_json(dict(output.record))


def _jsonl(output: Output) -> None:
    for row in output.rows:
        write_json(dict(row.fields))


def _csv(output: Output) -> None:
    """As RFC 4180 has it, with the line ends of other programs. What a terminal would obey is replaced; line ends in
    cells stay, in quotes."""
    rows = [list(output.columns), *([row.cell(name) for name in output.columns] for row in output.rows)]
    _write(without_commands("".join(map(_csv_line, rows))))


# Imports inside functions: every command of an index has this module, and few print such a format.


def _csv_line(cells: list[str]) -> str:
    import csv
    import io

    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)  # with another line end, a lone carriage return would not be quoted
    return line.getvalue().removesuffix("\r\n") + "\n"


def _xml(output: Output) -> None:
    from xml.sax.saxutils import escape, quoteattr

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{output.name}>"]
    for row in output.rows:
        cells = {name: row.cell(name) for name in output.columns if name != "text"}
        attributes = "".join(f" {name}={quoteattr(_of_xml(value))}" for name, value in cells.items())
        text = escape(_of_xml(row.cell("text")), {"\r": "&#13;"})
        lines.append(
            f"  <{output.item}{attributes}>{text}</{output.item}>" if text else f"  <{output.item}{attributes}/>"
        )
    _write(without_commands("\n".join([*lines, f"</{output.name}>", ""]), lambda sign: f"&#{ord(sign)};"))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text.translate(_REPLACED)


def _of_xml(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _write(text: str) -> None:
    """Encoded here: on Windows, standard output would turn each line end into two characters."""
    write_bytes(text.encode("utf-8", "backslashreplace"))


# For people and their tools


def _md(output: Output) -> None:
    """Each with its place as a heading and its words as a quotation, to paste into an issue or a chat."""
    blocks = []
    for row in output.rows:
        about = f"{_escaped(row.about)}\n\n" if row.about else ""
        quoted = "\n".join(f"> {line}".rstrip() for line in row.text.translate(_REPLACED).splitlines())
        blocks.append(f"### {_code(f'{row.file}:{row.line}')}\n\n{about}{quoted}".rstrip() + "\n")
    _write(without_commands("\n".join(blocks)))


def _code(text: str) -> str:
    return f"`{printable(text)}`" if "`" not in text else printable(text).replace("`", "\\`")


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", printable(text))


def _lines(output: Output) -> None:
    """`path:line:`, then tabs: one line each, for fzf, quickfix lists and awk."""
    for row in output.rows:
        first = row.shown or next((line for line in row.text.splitlines() if line.strip()), "")
        cells = (f"{row.file}:{row.line}:", row.about, " ".join(first.split()))
        line = "\t".join(printable(cell.replace("\t", " ")) for cell in cells)
        _write(f"{without_commands(line)}\n")


def _write_files(rows: Iterable[OutputRow], end: str) -> None:
    """Each file once, in the order of its best hit: with NUL, and that is for programs alone, exactly as it is named;
    else harmless on a terminal, and no command for the runner of a job, which shows what nobody else reads."""
    write = str if end == "\0" else harmless if sys.stdout.isatty() else without_commands
    files = dict.fromkeys(row.file for row in rows)
    write_bytes(b"".join(os.fsencode(write(file)) + end.encode() for file in files))


FORMATS: dict[str, Callable[[Output], None]] = {
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "md": _md,
    "xml": _xml,
    "lines": _lines,
}
OUTPUT = "Output"
"""Heading of the help."""
NAMES = ("text", *FORMATS, "files")
"""Every format; `text` is for people, and each command has its own."""

form = click.option(
    "--format",
    "form",
    cls=Option,
    section=OUTPUT,
    metavar="FORMAT",
    shell_complete=words(*NAMES),
    help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}; text by default.",
)
null = click.option(
    "--null",
    "-0",
    cls=Option,
    section=OUTPUT,
    is_flag=True,
    help="End each file name with NUL, with --format files: for xargs -0.",
)
shape = together(form, null, as_json)
"""`--format`, `-0` and `--json`."""


def chosen(given: str | None, as_json: bool, null: bool = False, known: Sequence[str] = NAMES) -> Shape:
    """The format that was asked for; `--json` is a short name of one. `null` ends file names with NUL."""
    if given is not None and given not in known:
        raise SettingsError(f"unknown format {given!r}", path="--format", remedy=f"use {', '.join(known)}")
    if as_json and given not in (None, "json"):
        raise SettingsError(f"--json and --format {given} contradict each other", remedy="leave one out")
    if null and given != "files":
        raise SettingsError("-0 is for file names", remedy="use it with --format files")
    return Shape(given or ("json" if as_json else "text"), null)

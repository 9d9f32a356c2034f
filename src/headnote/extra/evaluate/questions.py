"""Questions and the passages that answer them: JSON lines, one question each.

    {"question": "How often do I calibrate?", "gold": {"path": "calibration.md", "heading": "How good is it?"}}

`gold` is one passage or a list. `path` alone means the whole document. `heading` (its text, its anchor, or `A > B`)
means the section with everything below it, `lines` is `[first, last]` or one number, `excerpt` is a quotation, `start`
and `end` are characters. `leave_out` lists documents that do not count.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from headnote.errors import HeadnoteError
from headnote.extra.evaluate.metrics import TextSpan
from headnote.formats.kinds import open_document
from headnote.lines import whole_lines
from headnote.markdown.headings import OutlineEntry
from headnote.sources.files import read_source

KEYS = {"question", "gold", "leave_out"}
PLACES = ("heading", "lines", "excerpt", "start", "end")


class GoldPlace(NamedTuple):
    """The file and line of a question, for error messages."""

    file: str
    line: int

    def error(self, message: str, remedy: str = "") -> HeadnoteError:
        return HeadnoteError(message, path=self.file, line=self.line, remedy=remedy)


class Gold(NamedTuple):
    """A passage that answers the question, as written in the file."""

    path: str
    heading: str = ""
    lines: tuple[int, int] | None = None
    excerpt: str = ""
    characters: tuple[int, int] | None = None


class Question(NamedTuple):
    text: str
    gold: tuple[Gold, ...]
    place: GoldPlace
    leave_out: frozenset[str] = frozenset()
    """Documents that do not count, such as the one the question was taken from."""


def read_questions(file: Path) -> list[Question]:
    """All questions of a file. A malformed one is an error that names its line."""
    questions = []
    for number, line in enumerate(read_source(file).splitlines(), 1):
        if line.strip():
            questions.append(_question(line, GoldPlace(str(file), number)))
    if not questions:
        raise HeadnoteError("no questions", path=str(file), remedy='write one object per line: {"question", "gold"}')
    return questions


def _question(line: str, place: GoldPlace) -> Question:
    record = parse_object(line, place)
    text = record.get("question")
    if not isinstance(text, str) or not text.strip():
        raise place.error("no question", 'write {"question": "…", "gold": {"path": "…"}}')
    if unknown := sorted(record.keys() - KEYS):
        raise place.error(f"unknown key {unknown[0]!r}", f"use {', '.join(sorted(KEYS))}")
    gold = record.get("gold")
    items = gold if isinstance(gold, list) else [gold]
    if gold is None or not items:
        raise place.error("no gold", 'say where the answer is: "gold": {"path": "…"}')
    leave_out = record.get("leave_out", [])
    if not isinstance(leave_out, list) or not all(isinstance(path, str) for path in leave_out):
        raise place.error("leave_out is not a list of paths")
    return Question(text, tuple(_gold(item, place) for item in items), place, frozenset(leave_out))


def parse_object(line: str, place: GoldPlace) -> dict[str, Any]:
    """The JSON object on a line."""
    try:
        record = json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(": line")[0]
        raise place.error(f"not JSON: {reason}", "write one JSON object per line") from None
    if not isinstance(record, dict):
        raise place.error("not a JSON object", "write one JSON object per line")
    return record


def _gold(item: object, place: GoldPlace) -> Gold:
    if not isinstance(item, dict):
        raise place.error("gold is not an object", 'write {"path": "…"}')
    path = item.get("path")
    if not isinstance(path, str) or not path:
        raise place.error("gold without a path")
    if unknown := sorted(item.keys() - {"path", *PLACES}):
        raise place.error(f"unknown key {unknown[0]!r} in gold", f"use path, {', '.join(PLACES)}")
    locators = [name for name in ("heading", "lines", "excerpt") if name in item]
    if "start" in item or "end" in item:
        locators.append("start and end")
    if len(locators) > 1:
        raise place.error(f"{' and '.join(locators)} in one gold", "keep one of them")
    return Gold(
        path=path.removeprefix("./"),
        heading=_text(item, "heading", place),
        lines=_lines(item, place),
        excerpt=_text(item, "excerpt", place),
        characters=_characters(item, place),
    )


def _text(item: dict[str, Any], name: str, place: GoldPlace) -> str:
    value = item.get(name, "")
    if not isinstance(value, str) or (name in item and not value.strip()):
        raise place.error(f"{name} in gold is not text")
    return value


def _lines(item: dict[str, Any], place: GoldPlace) -> tuple[int, int] | None:
    value = item.get("lines")
    if value is None:
        return None
    first, last = value if isinstance(value, list) and len(value) == 2 else (value, value)
    if not _is_range(first, last, least=1):
        raise place.error("lines in gold are not a range", "write [first, last], counted from 1")
    return first, last


def _characters(item: dict[str, Any], place: GoldPlace) -> tuple[int, int] | None:
    if "start" not in item and "end" not in item:
        return None
    start, end = item.get("start"), item.get("end")
    if not _is_range(start, end, least=0) or start == end:
        raise place.error("start and end in gold are not a range", "write both, counted from 0")
    return start, end  # type: ignore[return-value]  # checked above


def _is_range(first: object, last: object, least: int) -> bool:
    # Not isinstance: booleans are integers in Python.
    are_integers = type(first) is int and type(last) is int
    return are_integers and least <= first <= last  # type: ignore[operator]


# -- Question sets by others, read as our questions. The file tells which format it has.
#
# - A table (`.csv`) with `question`, `references` (JSON with `start_index`, `end_index`) and `corpus_id`: characters of
#   `<corpus_id>.md`.
# - A list (`.json`) of questions with `correct_chunks`, which are addresses of sections; `write_sections` writes these
#   sections to a folder, one document each.
# - Lines (`.jsonl`) with `query`, `src`, `target`, `fragment`: the text of a link and its target. The page with the
#   link does not count.


LINK_KEYS = {"query", "src", "target"}

Item = TypeVar("Item")


def load_questions(file: Path) -> list[Question]:
    """Questions in any of these formats, or in ours."""
    suffix = file.suffix.lower()
    if suffix == ".csv":
        return _non_empty(_from_table(file), file)
    if suffix == ".json":
        return _non_empty(_from_addresses(file), file)
    first = next((line for line in read_source(file).splitlines() if line.strip()), "")
    if first and parse_object(first, GoldPlace(str(file), 1)).keys() >= LINK_KEYS:
        return _non_empty(_from_links(file), file)
    return read_questions(file)


def _non_empty(questions: Iterator[Question], file: Path) -> list[Question]:
    non_empty = list(questions)
    if not non_empty:
        raise HeadnoteError("no questions", path=str(file))
    return non_empty


# ── a table with characters ──


def _from_table(file: Path) -> Iterator[Question]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    rows = csv.DictReader(io.StringIO(read_source(file), newline=""))
    for row in rows:
        place = GoldPlace(str(file), rows.line_num)
        yield _convert(_table_question, row, place)


def _table_question(row: dict[str, str], place: GoldPlace) -> Question:
    path = f"{row['corpus_id']}.md"
    references = json.loads(row["references"])
    gold = [Gold(path, characters=(item["start_index"], item["end_index"])) for item in references]
    return Question(row["question"], tuple(gold), place)


# ── addresses of sections ──


def section_path(address: str) -> str:
    """`https://host/en/docs/page#part` → `docs/page/part.md`, without the language."""
    parts = urlsplit(address)
    folders = parts.path.strip("/").removeprefix("en/")
    return f"{folders}/{parts.fragment or 'index'}.md"


def write_sections(file: Path, folder: Path) -> None:
    """Write the sections of such a set as documents: page and heading as headings, then the text."""
    for number, record in enumerate(_list(file), 1):
        place = GoldPlace(str(file), number)
        path, text = _convert(_section, record, place)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def _section(record: dict[str, str], _: GoldPlace) -> tuple[str, str]:
    path = section_path(record["chunk_link"])
    page = Path(path).parent.name.replace("-", " ")
    heading = record["chunk_heading"]
    text = record["text"].removeprefix(heading).strip()
    return path, f"# {page}\n\n## {heading}\n\n{text}\n"


def _from_addresses(file: Path) -> Iterator[Question]:
    for number, record in enumerate(_list(file), 1):
        place = GoldPlace(str(file), number)
        yield _convert(_address_question, record, place)


def _address_question(record: dict[str, Any], place: GoldPlace) -> Question:
    gold = [Gold(section_path(address)) for address in dict.fromkeys(record["correct_chunks"])]
    return Question(record["question"], tuple(gold), place)


# ── links ──


def _from_links(file: Path) -> Iterator[Question]:
    for number, line in enumerate(read_source(file).splitlines(), 1):
        if line.strip():
            place = GoldPlace(str(file), number)
            record = parse_object(line, place)
            question = _convert(_link_question, record, place)
            # A link whose text equals the heading is too easy.
            if not record.get("trivial"):
                yield question


def _link_question(record: dict[str, Any], place: GoldPlace) -> Question:
    gold = Gold(_without_root(record["target"]), heading=record.get("fragment") or "")
    return Question(record["query"], (gold,), place, frozenset([_without_root(record["src"])]))


def _without_root(path: str) -> str:
    """The path without its first folder, which is the root."""
    return path.partition("/")[2]


def _convert(convert: Callable[[Any, GoldPlace], Item], record: Any, place: GoldPlace) -> Item:
    """One question or section. If the record is malformed, the error names its place."""
    try:
        return convert(record, place)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise place.error(f"malformed: {error!r}") from None


def _list(file: Path) -> list[Any]:
    try:
        content = json.loads(read_source(file))
    except (ValueError, RecursionError) as error:
        raise HeadnoteError(f"not JSON: {error}", path=str(file)) from None
    if not isinstance(content, list):
        raise HeadnoteError("not a list of questions or sections", path=str(file))
    return content


# -- Finds a gold passage, as written in a question set, in its document.


def locate(gold: Gold, text: str, place: GoldPlace) -> TextSpan:
    """The span of a gold passage, without surrounding blanks."""
    if gold.heading:
        start, end = _gold_section(gold, text, place)
    elif gold.lines is not None:
        start, end = _gold_lines(gold, gold.lines, text, place)
    elif gold.excerpt:
        start, end = _excerpt(gold, text, place)
    else:
        start, end = gold.characters or (0, len(text))
        if end > len(text):
            raise place.error(f"{gold.path} has {len(text)} characters, and gold ends at {end}")
    span = _trimmed(TextSpan(gold.path, start, end), text)
    if not span.length:
        raise place.error(f"the gold in {gold.path} is blank")
    return span


def _trimmed(span: TextSpan, text: str) -> TextSpan:
    """The range without blanks at either end."""
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return span._replace(start=start, end=max(start, span.end - len(inner) + len(inner.rstrip())))


def _gold_section(gold: Gold, text: str, place: GoldPlace) -> tuple[int, int]:
    entries = open_document(text, gold.path).outline
    for names in zip(*map(_names_of, entries), strict=True):
        matches = [entry for entry, name in zip(entries, names, strict=True) if name == _folded(gold.heading)]
        if len(matches) > 1:
            anchors = ", ".join(entry.heading.slug for entry in matches[:4])
            raise place.error(
                f"{gold.path} has {len(matches)} headings {gold.heading!r}", f"name the anchor: {anchors}"
            )
        if matches:
            return matches[0].start, matches[0].end
    raise place.error(f"{gold.path} has no heading {gold.heading!r}", f"see headnote outline {gold.path}")


def _names_of(entry: OutlineEntry) -> tuple[str, ...]:
    """Its anchor, its breadcrumb and its text."""
    heading = entry.heading
    return tuple(map(_folded, (heading.slug, " > ".join(heading.path), heading.text)))


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _gold_lines(gold: Gold, lines: tuple[int, int], text: str, place: GoldPlace) -> tuple[int, int]:
    ends = list(accumulate(map(len, whole_lines(text))))
    first, last = lines
    if last > len(ends):
        raise place.error(f"{gold.path} has {len(ends)} lines, and gold ends at {last}")
    return (ends[first - 2] if first > 1 else 0), ends[last - 1]


def _excerpt(gold: Gold, text: str, place: GoldPlace) -> tuple[int, int]:
    start = text.find(gold.excerpt)
    if start >= 0:
        return start, start + len(gold.excerpt)
    # It may have been copied from a rendering with other line breaks.
    loose = re.search(r"\s+".join(map(re.escape, gold.excerpt.split())), text)
    if loose is None:
        raise place.error(f"the excerpt is not in {gold.path}", "copy it from the file as it is")
    return loose.span()

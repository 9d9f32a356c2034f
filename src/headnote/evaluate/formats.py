"""Question sets by others, read as our questions. The file tells which format it has.

- A table (`.csv`) with `question`, `references` (JSON with `start_index`, `end_index`) and `corpus_id`: characters of
  `<corpus_id>.md`.
- A list (`.json`) of questions with `correct_chunks`, which are addresses of sections; `write_sections` writes these
  sections to a folder, one document each.
- Lines (`.jsonl`) with `query`, `src`, `target`, `fragment`: the text of a link and its target. The page with the link
  does not count.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from headnote.errors import HeadnoteError
from headnote.evaluate.questions import Gold, Place, Question, parse_object, read_questions
from headnote.sources.files import read_source

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
    if first and parse_object(first, Place(str(file), 1)).keys() >= LINK_KEYS:
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
        place = Place(str(file), rows.line_num)
        yield _convert(_table_question, row, place)


def _table_question(row: dict[str, str], place: Place) -> Question:
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
        place = Place(str(file), number)
        path, text = _convert(_section, record, place)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def _section(record: dict[str, str], _: Place) -> tuple[str, str]:
    path = section_path(record["chunk_link"])
    page = Path(path).parent.name.replace("-", " ")
    heading = record["chunk_heading"]
    text = record["text"].removeprefix(heading).strip()
    return path, f"# {page}\n\n## {heading}\n\n{text}\n"


def _from_addresses(file: Path) -> Iterator[Question]:
    for number, record in enumerate(_list(file), 1):
        place = Place(str(file), number)
        yield _convert(_address_question, record, place)


def _address_question(record: dict[str, Any], place: Place) -> Question:
    gold = [Gold(section_path(address)) for address in dict.fromkeys(record["correct_chunks"])]
    return Question(record["question"], tuple(gold), place)


# ── links ──


def _from_links(file: Path) -> Iterator[Question]:
    for number, line in enumerate(read_source(file).splitlines(), 1):
        if line.strip():
            place = Place(str(file), number)
            record = parse_object(line, place)
            question = _convert(_link_question, record, place)
            # A link whose text equals the heading is too easy.
            if not record.get("trivial"):
                yield question


def _link_question(record: dict[str, Any], place: Place) -> Question:
    gold = Gold(_without_root(record["target"]), heading=record.get("fragment") or "")
    return Question(record["query"], (gold,), place, frozenset([_without_root(record["src"])]))


def _without_root(path: str) -> str:
    """The path without its first folder, which is the root."""
    return path.partition("/")[2]


def _convert(convert: Callable[[Any, Place], Item], record: Any, place: Place) -> Item:
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

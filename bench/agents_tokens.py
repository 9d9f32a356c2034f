"""How many tokens does an agent read until it has the passage that answers, by headnote and by ripgrep?

    python bench/agents_tokens.py [--corpus NAME]... [--expand WHAT] [--json FILE]

Questions that people asked on GitHub, by the title of the thread, and the texts of links in the documentation of
FastAPI, whose targets are taken out. An agent reads from the top until it has a line of the gold passage; where the
gold is a page, any line of it will do.

- headnote: the hits of `search` as the tool of agents shows them, place, section and text, one after the other. Behind
  the fifth, which is what an agent gets at first, it asks for more.
- rg, files: what coding agents do without an index. The words of the question that are no function words go into one
  `rg --count -i 'one|two|three'`. The agent reads that list (20 files), then files in windows of 200 lines: first the
  files with the most different words, then with the most matches; in each, first the window with the most.
- rg, places: as well as it can be done with what `rg` says. The agent sees at no cost which 40 lines, of all files,
  have most of the words, rare ones counting more, and the name of the file, too, and reads these first.

Neither rg opens a changelog, and no line is read twice.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from headnote.api import Index
from headnote.extra.evaluate.measuring import LocatedQuestion, locate_gold
from headnote.extra.evaluate.questions import Gold, GoldPlace, Question, load_questions
from headnote.search.query import Expand
from headnote.search.spelling import function_terms
from headnote.tokens import count_tokens
from headnote.words.terms import terms
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import shared_folder

BUDGETS = (500, 1000, 2000, 4000, 8000)
"""Tokens that an agent may read."""
ASKED = ("fastapi-en", "uv-docs", "react.dev", "astro-en", "poetry-docs")
LINKS = "fastapi-en"
HITS = 40
"""That an agent asks for before it gives up."""
LISTED = 20
"""Files whose counts it reads."""
WINDOW = 200
PLACE = 40
"""Lines."""
_CHANGELOG = re.compile("release|changelog|history", re.IGNORECASE)
_WORD = re.compile(r"[\w$@#.-]*\w")
_TARGET = re.compile(r"\]\([^()\s]*\)")


Files = Mapping[str, Sequence[str]]
"""Path → lines."""
Matches = Mapping[str, Mapping[int, set[str]]]
"""Path → number of a line, from 0 → the words of the question in it."""


class Read(NamedTuple):
    """One thing that an agent reads: what it costs, and which lines it shows."""

    tokens: int
    path: str = ""
    first: int = 0
    last: int = 0


# -- by headnote


def read_hits(index: Index, question: str, leave_out: frozenset[str], expand: Expand) -> Iterator[Read]:
    for hit in index.search(question, HITS, expand=expand):
        if hit.path not in leave_out:
            shown = f"{hit.path}:{hit.start_line}-{hit.end_line}\nsection: {hit.breadcrumb or hit.title}\n{hit.text}\n"
            yield Read(count_tokens(shown), hit.path, hit.start_line, hit.end_line)


# -- by ripgrep


def read_files(files: Files, matches: Matches) -> Iterator[Read]:
    """Whole files, those with most of the words first."""
    best = sorted(matches, key=lambda path: (-len(set().union(*matches[path].values())), -len(matches[path]), path))
    yield Read(count_tokens("".join(f"{path}:{len(matches[path])}\n" for path in best[:LISTED])))
    for path in best[:LISTED]:
        windows = _windows(matches[path], WINDOW)
        starts = sorted(windows, key=lambda first: (-len(set().union(*windows[first])), -len(windows[first]), first))
        others = (first for first in range(0, len(files[path]), WINDOW) if first not in windows)
        yield from (_lines(files, path, first, WINDOW) for first in (*starts, *others))


def read_places(files: Files, matches: Matches) -> Iterator[Read]:
    """The few lines with the rarest of the words first, wherever they are."""
    having = Counter(word for by_line in matches.values() for word in set().union(*by_line.values()))
    rarity = {word: math.log1p(len(files) / count) for word, count in having.items()}
    places = [
        (
            -sum(rarity[word] for word in {*set().union(*words), *(one for one in rarity if one in path.lower())}),
            path,
            at,
        )
        for path, by_line in matches.items()
        for at, words in _windows(by_line, PLACE).items()
    ]
    return (_lines(files, path, first, PLACE) for _, path, first in sorted(places))


def _lines(files: Files, path: str, first: int, count: int) -> Read:
    lines = files[path][first : first + count]
    numbered = "".join(f"{number}\t{line}\n" for number, line in enumerate(lines, first + 1))
    return Read(count_tokens(f"{path}\n{numbered}"), path, first + 1, first + len(lines))


def matches_of(files: Files, question: str, leave_out: frozenset[str]) -> Matches:
    """In which lines of which files the words of a question are, be it inside of others."""
    words = [word.lower() for word in _WORD.findall(question)]
    keywords = [word for word in dict.fromkeys(words) if len(word) > 1 and not function_terms().issuperset(terms(word))]
    readable = (path for path in files if path not in leave_out and not _CHANGELOG.search(path))
    matches = {path: _matches(files[path], keywords) for path in readable}
    return {path: by_line for path, by_line in matches.items() if by_line}


def _matches(lines: Sequence[str], keywords: Sequence[str]) -> dict[int, set[str]]:
    text = "\n".join(lines).lower()
    if not any(word in text for word in keywords):
        return {}
    by_line = ({word for word in keywords if word in line} for line in text.split("\n"))
    return {number: own for number, own in enumerate(by_line) if own}


def _windows(by_line: Mapping[int, set[str]], size: int) -> dict[int, list[set[str]]]:
    """Where windows of so many lines begin → the words in their lines."""
    windows: defaultdict[int, list[set[str]]] = defaultdict(list)
    for number, words in by_line.items():
        windows[number // size * size].append(words)
    return windows


# -- until it has the passage


def tokens_until(reads: Iterator[Read], gold: Mapping[str, Sequence[tuple[int, int]]]) -> int | None:
    """What is read until a line of the gold is among it; None if that takes more than the largest budget."""
    total = 0
    for read in reads:
        total += read.tokens
        if total > BUDGETS[-1]:
            return None
        if any(read.first <= last and first <= read.last for first, last in gold.get(read.path, ())):
            return total
    return None


def gold_lines(one: LocatedQuestion, texts: Mapping[str, str]) -> dict[str, list[tuple[int, int]]]:
    lines: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for span in one.gold:
        text = texts[span.path]
        lines[span.path].append((text.count("\n", 0, span.start) + 1, text.count("\n", 0, max(span.end - 1, 0)) + 1))
    return lines


def _take_links_out(folder: Path) -> None:
    for file in folder.rglob("*.md"):
        file.write_text(_TARGET.sub("]()", file.read_text(encoding="utf-8")), encoding="utf-8", newline="")


def measured(
    root: Path, questions: Sequence[Question], expand: Expand, *, has_links: bool = True
) -> dict[str, list[int | None]]:
    """Way → tokens for each question."""
    with tempfile.TemporaryDirectory() as work:
        copy = shutil.copytree(root, Path(work, "docs"), ignore=shutil.ignore_patterns(".headnote"))
        if not has_links:
            _take_links_out(copy)
        index = Index.open(copy)
        index.update()
        texts = {path: index.read(path).text for path in index.documents()}
        files = {path: text.split("\n") for path, text in texts.items()}
        needed: dict[str, list[int | None]] = {"headnote": [], "rg, files": [], "rg, places": []}
        for one in locate_gold(questions, texts.__getitem__):
            gold, asked = gold_lines(one, texts), one.question
            needed["headnote"].append(tokens_until(read_hits(index, asked.text, asked.leave_out, expand), gold))
            matches = matches_of(files, asked.text, asked.leave_out)
            needed["rg, files"].append(tokens_until(read_files(files, matches), gold))
            needed["rg, places"].append(tokens_until(read_places(files, matches), gold))
        index.close()
    return needed


def asked_questions(corpus: str) -> list[Question]:
    file = shared_folder() / "retrieval" / "asked" / "asked.jsonl"
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Question(
            record["question"],
            tuple(Gold(gold["path"], gold.get("heading", "").replace("`", "")) for gold in record["gold"]),
            GoldPlace(str(file), number),
        )
        for number, record in enumerate(records, 1)
        if record["corpus"] == corpus
    ]


# -- the table


def row(name: str, way: str, needed: Sequence[int | None]) -> list[str]:
    within = [sum(tokens is not None and tokens <= budget for tokens in needed) for budget in BUDGETS]
    middle = sorted(tokens if tokens is not None else BUDGETS[-1] + 1 for tokens in needed)[len(needed) // 2]
    median = f"{middle:,}" if middle <= BUDGETS[-1] else f"over {BUDGETS[-1]:,}"
    return [name, way, str(len(needed)), *(f"{count / len(needed):.0%}" for count in within), median]


def main() -> int:
    parser = argparse.ArgumentParser(description="How many tokens an agent reads until it has the passage.")
    parser.add_argument("--corpus", choices=ASKED, action="append", help="of the asked questions; repeatable")
    parser.add_argument("--expand", choices=get_args(Expand), default="none", help="how headnote is asked")
    add_json_option(parser)
    arguments = parser.parse_args()
    show_setting(setting := machine(), packages := versions(["numpy"]))
    corpora = shared_folder() / "corpora"
    sets: dict[str, dict[str, list[int | None]]] = {}
    for corpus in arguments.corpus or ASKED:
        needed = measured(corpora / corpus, asked_questions(corpus), arguments.expand)
        for way, tokens in needed.items():
            sets.setdefault("asked on GitHub", defaultdict(list))[way] += tokens
    if not arguments.corpus:
        links = load_questions(shared_folder() / "retrieval" / "linkgold" / f"{LINKS}.jsonl")
        sets["links of FastAPI"] = measured(corpora / LINKS, links, arguments.expand, has_links=False)
    rows = [row(name, way, needed) for name, ways in sets.items() for way, needed in ways.items()]
    columns = ["questions", "way", "count", *(f"{budget:,}" for budget in BUDGETS), "median"]
    show(Table("Share of questions answered within so many tokens", columns, rows, []))
    figures = [
        Figure(f"{line[0]}, {line[1]}", f"within {budget}", "%", float(cell.rstrip("%")), "higher")
        for line in rows
        for budget, cell in zip(BUDGETS, line[3:-1], strict=True)
    ]
    write_figures(arguments.json, figures, setting, packages)
    return 0


if __name__ == "__main__":
    sys.exit(main())

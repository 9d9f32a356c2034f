"""Speed, growth and faults of headnote.chunk, side by side with other chunkers in one run.

    python bench/chunk.py [--tables ABCD] [--quick] [--rounds N] [--json FILE] [--peers-only]

A  2000 characters: megabytes a second.
B  512 exact cl100k tokens: the same, on a fixed sample, because some take minutes for everything.
C  One document of 1 to 100 MB: does time grow linearly, and how much memory does it take?
D  Faults in the chunks of 512 tokens. Ends with 1 if ours has any.

The corpora lie at HEADNOTE_SHARED, or beside the working copy in `shared`. The others come with
`pip install -e ".[bench]"`.
"""

# Here "chunk" is what the benchmark is about; nothing imports this file.
# ruff: noqa: A005

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from faults import (
    FENCE_CUT,
    HEADING_FROM_CODE,
    HEADING_LAST,
    HEADING_ONLY,
    KINDS,
    LOST,
    OVER_CAP,
    REWRITTEN,
    TABLE_HEADLESS,
    WRONG_POSITION,
    Fault,
    Judge,
    Source,
    total,
)
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import SEED, Corpora, Document, joined, load, megabytes, sample
from splitters import (
    BY_CHARACTERS,
    BY_TOKENS,
    CUTS_AT_HASHES,
    DISTRIBUTIONS,
    HAS_NO_CAP,
    LANGCHAIN,
    LANGCHAIN_HEADER,
    NAMES_NO_HEADINGS,
    NAMES_NO_POSITIONS,
    OURS,
    OURS_FIELDS,
    PIECES,
    SEMANTIC,
    SHORT,
    Split,
    count_tokens,
)

CORPORA = ["kubernetes-en", "rust-book", "react.dev"]
CHARACTERS = 2000
TOKENS = 512
SAMPLE_MEGABYTES = 2.0
QUICK_MEGABYTES = 0.6
SIZES = [1, 2, 5, 10, 20, 50, 100]
QUICK_SIZES = [1, 2, 5]
GROWTH = [(OURS, "characters"), (OURS_FIELDS, "characters"), (OURS, "tokens"), (SEMANTIC, "characters")]
LIMITS = {"characters": CHARACTERS, "tokens": TOKENS}
NOT_SAID = "–"
CHUNKS = "chunks"
SPARED = "not charged for that reason"

LONGEST_SECONDS = 30

Growth = dict[str, float]
"""What one process measured: seconds, bytes, chunks, text_bytes; and the size of the document."""
Makers = dict[str, Callable[[int], Split]]


class Run:
    """The options, the documents, and the results so far."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.rounds: int = options.rounds
        self.quick: bool = options.quick
        self.peers_only: bool = options.peers_only
        self.everything = load(CORPORA)
        self.small = sample(self.everything, QUICK_MEGABYTES if self.quick else SAMPLE_MEGABYTES)
        self.tables: list[Table] = []
        self.figures: list[Figure] = []
        self.targets: list[tuple[str, float, str]] = []
        self.our_faults: list[tuple[str, Fault]] = []

    @property
    def documents(self) -> Corpora:
        return self.small if self.quick else self.everything

    def selected(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if not (self.peers_only and name in {OURS, OURS_FIELDS})]

    def add(self, table: Table) -> None:
        self.tables.append(table)
        show(table)


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed, growth and faults of headnote.chunk beside other chunkers.")
    parser.add_argument("--tables", default="ABCD", help="which of the tables A, B, C, D (default all)")
    parser.add_argument("--quick", action="store_true", help="a small sample, for a look in a minute")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts (default 5)")
    add_json_option(parser)
    parser.add_argument("--peers-only", action="store_true", help="leave ours out")
    options = parser.parse_args()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    run = Run(options)
    steps = {"A": by_characters, "B": by_tokens, "C": growth, "D": faults}
    for letter in dict.fromkeys(options.tables.upper()):
        if letter not in steps:
            parser.error(f"no table {letter}: there are A, B, C and D")
        steps[letter](run)
    show_targets(run)
    show_our_faults(run)
    write_figures(options.json, run.figures, setting, packages)
    return 1 if run.our_faults else 0


# ── A and B: speed ──


def by_characters(run: Run) -> None:
    table, ratio = speed_table(
        run, f"A. {CHARACTERS} characters, MB/s", BY_CHARACTERS, CHARACTERS, run.documents, [SEMANTIC, LANGCHAIN_HEADER]
    )
    if ratio:
        run.targets.append((f"A: × {SEMANTIC}, at least 1", ratio[SEMANTIC], ">=1"))
        run.targets.append((f"A: × {LANGCHAIN_HEADER}, at least 6", ratio[LANGCHAIN_HEADER], ">=6"))
    run.add(table)


def by_tokens(run: Run) -> None:
    table, ratio = speed_table(
        run, f"B. {TOKENS} exact cl100k tokens, MB/s", BY_TOKENS, TOKENS, run.small, [SEMANTIC, LANGCHAIN]
    )
    table.notes.append(f"All of them on the same sample, an equal share of each corpus, seed {SEED}.")
    if ratio:
        run.targets.append((f"B: × {SEMANTIC}, at least 20", ratio[SEMANTIC], ">=20"))
        run.targets.append((f"B: × {LANGCHAIN}, at least 10", ratio[LANGCHAIN], ">=10"))
    run.add(table)


def speed_table(
    run: Run, title: str, makers: Makers, limit: int, corpora: Corpora, yardsticks: list[str]
) -> tuple[Table, dict[str, float]]:
    """The table, and how many times faster ours is than each of the yardsticks."""
    names = run.selected(makers)
    seconds, chunks = measure(names, makers, limit, corpora, run.rounds)
    size = megabytes(flat(corpora))
    speed = {name: size / sum(seconds[name].values()) for name in names}
    rows = [
        [
            name,
            *(f"{megabytes(corpora[corpus]) / seconds[name][corpus]:.1f}" for corpus in corpora),
            f"{speed[name]:.2f}",
            *(f"{speed[name] / speed[yardstick]:.2f}" for yardstick in yardsticks),
            f"{chunks[name]:,}",
        ]
        for name in names
    ]
    columns = ["", *corpora, "all", *(SHORT[yardstick] for yardstick in yardsticks), "chunks"]
    sizes = ", ".join(f"{name} {megabytes(part):.1f} MB in {len(part):,} files" for name, part in corpora.items())
    notes = [
        f"{sizes}. Best of {run.rounds} interleaved rounds. One process, one thread.",
        "Ours: every chunk's text is read while the clock runs; in the second row also embed_text, start_line,",
        "end_line and tokens.",
    ]
    for name in names:
        by_corpus = {corpus: megabytes(corpora[corpus]) / seconds[name][corpus] for corpus in corpora}
        for corpus, value in {**by_corpus, "all": speed[name]}.items():
            run.figures.append(Figure(f"{title[0]}: {name}, {corpus}", "speed", "MB/s", value, "higher"))
    ratio = {yardstick: speed[OURS] / speed[yardstick] for yardstick in yardsticks} if OURS in speed else {}
    return Table(title, columns, rows, notes), ratio


def measure(
    names: list[str], makers: Makers, limit: int, corpora: Corpora, rounds: int
) -> tuple[dict[str, dict[str, float]], Counter[str]]:
    """Best seconds for each name and corpus, and the number of chunks."""
    best = {name: dict.fromkeys(corpora, math.inf) for name in names}
    chunks: Counter[str] = Counter()
    for number in range(rounds):
        # Each round visits everybody, so that a busy minute of the machine hits all of them; and begins with another.
        for place in range(len(names)):
            name = names[(number + place) % len(names)]
            # A new one each time: what it remembers of the round before must not help it.
            split = makers[name](limit)
            split("# Warm\n\nup.\n")
            progress(f"round {number + 1} of {rounds}: {name}")
            for corpus, documents in corpora.items():
                gc.collect()
                start = time.perf_counter()
                count = sum(len(split(document.text)) for document in documents)
                best[name][corpus] = min(best[name][corpus], time.perf_counter() - start)
                chunks[name] += count if number == 0 else 0
    progress("")
    return best, chunks


# ── C: growth ──


def growth(run: Run) -> None:
    sizes = QUICK_SIZES if run.quick else SIZES
    kinds = [kind for kind in GROWTH if kind[0] in run.selected([kind[0]])]
    growths: dict[str, list[Growth]] = {label(kind): [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "one.md"
        for size in sizes:
            file.write_bytes(joined(run.everything, size).encode())
            for kind in kinds:
                results = growths[label(kind)]
                if results and results[-1]["seconds"] * size / sizes[len(results) - 1] > LONGEST_SECONDS:
                    continue
                progress(f"{size} MB: {label(kind)}")
                results.append({**in_own_process(*kind, file, 3 if size <= 10 else 2), "size": file.stat().st_size})
    progress("")
    run.figures += growth_figures(growths)
    run.add(growth_table(growths, sizes))
    for name in (label(kind) for kind in kinds if kind[0] in {OURS, OURS_FIELDS}):
        run.targets.append((f"C: {name}, exponent of time, at most 1.1", exponent(growths[name]), "<=1.1"))
        memory = max(result["bytes"] / result["size"] for result in growths[name])
        run.targets.append((f"C: {name}, memory × document, below 10", memory, "<=10"))


def growth_figures(growths: dict[str, list[Growth]]) -> Iterator[Figure]:
    for name, results in growths.items():
        yield Figure(f"C: {name}", "exponent of time", "", exponent(results))
        for result in results:
            case = f"C: {name}, {result['size'] / 1e6:.0f} MB"
            yield Figure(case, "time", "ms/MB", 1e9 * result["seconds"] / result["size"])
            yield Figure(case, "memory", "bytes per byte", result["bytes"] / result["size"])


def growth_table(growths: dict[str, list[Growth]], sizes: list[int]) -> Table:
    rows = []
    for name, results in growths.items():
        times = [f"{1e9 * result['seconds'] / result['size']:.1f}" for result in results]
        memory = [f"{result['bytes'] / result['size']:.1f}" for result in results]
        left_out = [NOT_SAID] * (len(sizes) - len(results))
        rows.append([f"{name}: ms/MB", *times, *left_out, f"{exponent(results):.2f}"])
        rows.append(["  memory ×", *memory, *left_out, ""])
    longest = max(growths.values(), key=len)
    rows.append(["the str alone ×", *(f"{result['text_bytes'] / result['size']:.1f}" for result in longest), ""])
    notes = [
        "One document, the corpora joined (without frontmatter) and repeated. Each figure from a process of its own.",
        "memory: peak resident size over that of the process before the document was read, so chunks and document,",
        "in multiples of the document's UTF-8 bytes. A str stores every character as wide as its widest one.",
        "exponent: of the growth of processor time, fitted over all sizes; 1.0 is linear.",
        f"{NOT_SAID}: left out, it would have taken more than {LONGEST_SECONDS} seconds if growth were linear.",
    ]
    return Table("C. Growth: one document of so many MB", ["", *map(str, sizes), "exponent"], rows, notes)


def label(kind: tuple[str, str]) -> str:
    name, unit = kind
    return f"{name}, {LIMITS[unit]} {unit}"


def exponent(results: list[Growth]) -> float:
    """Slope of the line that fits best through time over size, both as logarithms."""
    if len(results) < 2:
        return math.nan
    sizes = [math.log(result["size"]) for result in results]
    times = [math.log(result["seconds"]) for result in results]
    return statistics.linear_regression(sizes, times).slope


def in_own_process(name: str, unit: str, file: Path, rounds: int) -> Growth:
    worker = Path(__file__).with_name("one_document.py")
    command = [sys.executable, str(worker), name, unit, str(LIMITS[unit]), str(file), str(rounds)]
    growth: Growth = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return growth


# ── D: faults ──


def faults(run: Run) -> None:
    names = run.selected(PIECES)
    splits = {name: PIECES[name](TOKENS) for name in names}
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    documents = flat(run.documents)
    for number, document in enumerate(documents):
        if number % 20 == 0:
            progress(f"document {number} of {len(documents)}")
        source = Source(document.text)
        for name in names:
            judge = Judge(
                source, count_tokens, TOKENS, keeps_frontmatter=name != OURS, cuts_at_hashes=name in CUTS_AT_HASHES
            )
            pieces = splits[name](document.text)
            for piece in pieces:
                judge.add(piece)
            faults = judge.finish()
            counts[name] += total(faults)
            counts[name] += Counter({CHUNKS: len(pieces), SPARED: judge.spared})
            if name == OURS:
                run.our_faults += [(document.path, fault) for fault in faults]
    progress("")
    rows = [[name, *fault_row(name, counts[name]), f"{counts[name][CHUNKS]:,}"] for name in names]
    run.figures += [Figure(f"D: {name}", kind, "chunks", counts[name][kind]) for name in names for kind in KINDS]
    notes = [*fault_notes(run), SPARED + ": " + ", ".join(f"{name} {counts[name][SPARED]}" for name in names) + "."]
    run.add(Table(f"D. Faults at {TOKENS} cl100k tokens", ["", *KINDS, CHUNKS], rows, notes))


def fault_row(name: str, counts: Counter[str]) -> list[str]:
    unsaid = {WRONG_POSITION: NAMES_NO_POSITIONS, HEADING_FROM_CODE: NAMES_NO_HEADINGS}
    mark = {OVER_CAP: HAS_NO_CAP}
    return [
        NOT_SAID if name in unsaid.get(kind, ()) else f"{counts[kind]:,}" + "*" * (name in mark.get(kind, ()))
        for kind in KINDS
    ]


def fault_notes(run: Run) -> list[str]:
    documents = flat(run.documents)
    return [
        f"{len(documents):,} documents, {megabytes(documents):.1f} MB. Number of chunks that have the fault.",
        f"{OVER_CAP}: tokens of what is embedded, by tiktoken; for ours with breadcrumb and overlap. *: has no cap.",
        f"{FENCE_CUT}: the chunk, read alone, shows code outside a code block or leaves a fence open.",
        f"{TABLE_HEADLESS}: the chunk, read alone, shows rows of a table outside a table.",
        f"{LOST}: visible characters of the source in no chunk. Frontmatter is metadata for ours, text for others.",
        f"{REWRITTEN}: its text does not stand in the source like that; code without its indentation, for example.",
        f"{WRONG_POSITION}: source[start:end] is not the chunk, or begins inside the one before; for ours lines, too.",
        f"{HEADING_ONLY}, {HEADING_LAST}: nothing but headings; a heading at the end, its text in the next chunk. Not",
        "charged to anybody where the next block fits the cap by itself but not together with the heading.",
        f"{HEADING_FROM_CODE}: a # line of code named as heading in metadata; without metadata: cut at such a line.",
        f"{NOT_SAID}: it does not tell.",
    ]


# ── the end ──


def show_targets(run: Run) -> None:
    if not run.targets:
        return
    rows = []
    for what, value, target in run.targets:
        reached = value >= float(target[2:]) if target.startswith(">") else value <= float(target[2:])
        rows.append([what, f"{value:.2f}", "reached" if reached else "NOT reached"])
    run.add(Table("Targets", ["", "measured", ""], rows, []))


def show_our_faults(run: Run, of_each_kind: int = 5) -> None:
    if not run.our_faults:
        return
    print(f"\n{len(run.our_faults)} faults of ours, at most {of_each_kind} of each kind:\n")
    shown: Counter[str] = Counter()
    for path, fault in run.our_faults:
        shown[fault.kind] += 1
        if shown[fault.kind] <= of_each_kind:
            print(f"  {fault.kind}: {path}:{fault.line}" + f" ({fault.weight})" * (fault.weight > 1))


def flat(corpora: Corpora) -> list[Document]:
    return [document for documents in corpora.values() for document in documents]


def progress(message: str) -> None:
    """One line that is written over, and only where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{message}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""How many searches does `headnote serve` answer, how long does each take, and what do more workers add?

    python bench/serve.py [--workers N ...] [--before FOLDER] [--connections N] [--seconds N] [--rounds N]
                          [--corpus NAME] [--embedder NAME] [--mode MODE] [--json FILE]

Needs `pip install -e ".[search,server]"`. Documents lie at HEADNOTE_SHARED, or beside the working copy in `shared`;
they are copied, because the benchmark writes into them. Connections stay open and ask one question after the other, a
different heading of the documents each time; first nothing else happens, then a file changes a few times a second, and
the server updates its index meanwhile. `--before` is a checkout of another commit, which answers in the same run. All
take turns, several rounds, and the round in the middle counts. The load is `bench/load.py`, which shares the machine
with the server. Ends with 1 if any request fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from processes import core_seconds
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from serving import Server, fetch, started, until_fresh

SEED = 7
CHANGES_A_SECOND = 4
WARM_UP_SECONDS = 2.0
DISTRIBUTIONS = ["headnote-md", "starlette", "uvicorn", "apsw", "onnxruntime"]


class Subject(NamedTuple):
    """A server to measure."""

    name: str
    root: Path
    """A copy of the documents, with an index by this version."""
    options: tuple[str, ...]
    environment: dict[str, str]


class Outcome(NamedTuple):
    """What became of the requests of one round."""

    times: list[float]
    """Seconds of each that was answered, sorted."""
    errors: Counter[str]
    seconds: float
    cores: float
    """Seconds of all cores together that the server used."""
    load: float
    """And those of the load."""
    updates: int = 0
    """Of the index, meanwhile."""

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds

    def percentile(self, part: int) -> float:
        """In milliseconds."""
        return self.times[min(len(self.times) - 1, len(self.times) * part // 100)] * 1000 if self.times else 0.0


Outcomes = dict[tuple[str, bool], list[Outcome]]
"""Server and whether files changed → its rounds."""


def main() -> int:
    options = read_options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    outcomes: Outcomes = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        subjects = list(prepared(Path(folder), options))
        for _ in range(options.rounds):
            for subject in subjects:
                for changing, outcome in measured(subject, options):
                    outcomes[subject.name, changing].append(outcome)
    for changing in (False, True):
        show(table(outcomes, subjects, changing, options))
    write_figures(options.json, as_figures(outcomes, options), setting, packages)
    return 1 if any(outcome.errors for rounds in outcomes.values() for outcome in rounds) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--before", type=Path)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", default="fastapi-en")
    parser.add_argument("--embedder", default="instant")
    parser.add_argument("--mode", default="hybrid")
    add_json_option(parser)
    return parser.parse_args()


def prepared(folder: Path, options: argparse.Namespace) -> Iterator[Subject]:
    """The servers, each version with documents and an index of its own."""
    if options.before:
        environment = {**os.environ, "PYTHONPATH": str(options.before / "src")}
        yield Subject("before", copied(folder / "before", options), ("--embedder", options.embedder), environment)
    root = copied(folder / "now", options)
    for count in options.workers:
        chosen = ("--embedder", options.embedder, "--workers", str(count))
        yield Subject(f"{count} worker{'s' if count > 1 else ''}", root, chosen, dict(os.environ))


def copied(folder: Path, options: argparse.Namespace) -> Path:
    shared = Path(os.environ.get("HEADNOTE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    ignored = shutil.ignore_patterns(".headnote", ".git")
    return Path(shutil.copytree(shared / "corpora" / options.corpus, folder / options.corpus, ignore=ignored))


def measured(subject: Subject, options: argparse.Namespace) -> Iterator[tuple[bool, Outcome]]:
    """One round, without and with changes."""
    with started(subject.root, *subject.options, environment=subject.environment) as server:
        until_fresh(server.address)
        queries = headings(server.address, options.mode)
        load(server, queries, options.connections, WARM_UP_SECONDS)
        yield False, load(server, queries, options.connections, options.seconds)
        yield True, load(server, queries, options.connections, options.seconds, subject.root)


def headings(address: str, mode: str) -> list[str]:
    """Requests that ask for every heading once, in an order that does not change."""
    paths = [document["path"] for document in fetch(f"{address}api/documents")["documents"]]
    outlines = [fetch(f"{address}api/outline?path={quote(path)}") for path in paths]
    texts = sorted({heading["text"] for outline in outlines for heading in outline["headings"]})
    random.Random(SEED).shuffle(texts)
    return [f"/api/search?q={quote(text)}&mode={mode}" for text in texts if text.strip()]


def load(
    server: Server, queries: Sequence[str], connections: int, seconds: float, changing: Path | None = None
) -> Outcome:
    """What the server does under load, while files in the folder `changing` change."""
    before, cores = fetch(f"{server.address}api/status")["generation"], core_seconds(server.process)
    command = [sys.executable, str(Path(__file__).with_name("load.py"))]
    with subprocess.Popen(
        [*command, server.address, str(connections), str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("\n".join(queries))
        process.stdin.close()
        process.stdin = None
        if changing:
            change(changing, seconds)
        output, _ = process.communicate()
    cores = core_seconds(server.process) - cores
    result = json.loads(output)
    updates = fetch(f"{server.address}api/status")["generation"] - before
    errors = Counter(result["errors"])
    return Outcome(result["times"], errors, seconds, cores, load=result["core_seconds"], updates=updates)


def change(root: Path, seconds: float) -> None:
    """Writes into files, one after the other."""
    files = sorted(root.rglob("*.md"))
    chance = random.Random(SEED)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        file = chance.choice(files)
        file.write_text(f"{file.read_text('utf-8')}\n\nA change of this page.\n", "utf-8")
        time.sleep(1 / CHANGES_A_SECOND)


# -- the figures


def middle(rounds: Sequence[Outcome]) -> Outcome:
    """The round whose number of answers is in the middle."""
    return sorted(rounds, key=lambda outcome: outcome.per_second)[len(rounds) // 2]


def as_figures(outcomes: Outcomes, options: argparse.Namespace) -> Iterator[Figure]:
    for (name, changing), rounds in outcomes.items():
        outcome = middle(rounds)
        meanwhile = "files change" if changing else "nothing else"
        case = f"{options.corpus}, {options.mode}, {options.connections} connections, {meanwhile}, {name}"
        yield Figure(case, "requests", "1/s", outcome.per_second, "higher")
        yield Figure(case, "errors", "", sum(outcome.errors.values()))
        yield Figure(case, "core time of a request", "ms", core_milliseconds(outcome))
        for part in (50, 95, 99):
            yield Figure(case, f"p{part}", "ms", outcome.percentile(part))


def core_milliseconds(outcome: Outcome) -> float:
    return outcome.cores / max(1, len(outcome.times)) * 1000


def table(outcomes: Outcomes, subjects: Sequence[Subject], changing: bool, options: argparse.Namespace) -> Table:
    first = middle(outcomes[subjects[0].name, changing])
    rows, notes = [], []
    for subject in subjects:
        rounds = outcomes[subject.name, changing]
        outcome = middle(rounds)
        spread = f"{min(one.per_second for one in rounds):.0f}-{max(one.per_second for one in rounds):.0f}"
        times = (outcome.percentile(50), outcome.percentile(95), outcome.percentile(99), core_milliseconds(outcome))
        rows.append(
            [
                *(subject.name, f"{len(outcome.times):,}", f"{sum(outcome.errors.values()):,}"),
                *(f"{outcome.per_second:.0f}", spread, f"{outcome.per_second / first.per_second:.2f} ×"),
                *(f"{value:.1f}" for value in times),
            ]
        )
        notes += [f"{subject.name}: {count} × {error}" for error, count in outcome.errors.most_common()]
        if changing:
            notes.append(f"{subject.name}: the index was updated {outcome.updates} times")
    cost = statistics.median(one.load / one.seconds for rounds in outcomes.values() for one in rounds)
    notes.append(f"the load itself took {cost:.0%} of one core")
    meanwhile = f"while {CHANGES_A_SECOND} files a second change" if changing else "while nothing else happens"
    title = f"Searches over {options.connections} connections for {options.seconds:g} s {meanwhile}"
    columns = [
        "",
        "requests",
        "errors",
        "requests/s",
        "of all rounds",
        "ratio",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "core ms",
    ]
    return Table(title, columns, rows, notes)


if __name__ == "__main__":
    sys.exit(main())

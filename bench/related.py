"""How good is `related`? Links are taken out of real documents, and their targets looked for among the suggestions.

    python bench/related.py FOLDER... [--links N] [--embedder NAME] [--seed N] [--rounds N] [--json FILE]

Of each folder, N documents lose one of their links to another document: its text stays (a name without a link), or
goes with it. Then the folder is indexed, and each of them is asked for ten related passages and ten links to make.
With `--rounds`, processes of their own ask (`fresh_related.py`), and the best of so many counts; `--links 0` does only
that.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import headnote
from fresh_related import STEPS
from headnote.markdown.document import Document
from processes import run
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures

SHOWN = 10
ASKED = 6
"""Documents that a fresh process asks about."""
COMMAND = "headnote related"


class Removed(NamedTuple):
    """A link that a document has lost."""

    source: str
    target: str


class Result(NamedTuple):
    """The share of targets that were found again, and the time of one question."""

    related: float
    suggested: float
    milliseconds: float
    documents: int
    links: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--links", type=int, default=200)
    parser.add_argument("--embedder", default="instant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=0)
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(["headnote-md", "numpy"])
    show_setting(setting, packages)
    rows: list[list[str]] = []
    figures: list[Figure] = []
    for folder in options.folders:
        if options.rounds:
            figures += _in_fresh_processes(folder, options.embedder, options.seed, options.rounds)
        for keeps_text in (True, False) if options.links else ():
            result = _measured(folder, options.links, options.embedder, options.seed, keeps_text)
            case = f"{folder.name}, text {'kept' if keeps_text else 'gone'}"
            shares = (("related", result.related), ("links to make", result.suggested))
            figures += [Figure(case, name, "share", share, "higher") for name, share in shares]
            cells = [f"{share:.2f}" for _, share in shares]
            rows.append([case, str(result.documents), str(result.links), *cells, f"{result.milliseconds:.0f}"])
    columns = ["folder", "documents", "links", "related", "links to make", "ms of a core"]
    if rows:
        show(Table(f"targets among the first {SHOWN}, by {options.embedder}", columns, rows, []))
    write_figures(options.json, figures, setting, packages)
    return 0


def _in_fresh_processes(folder: Path, embedder: str, seed: int, rounds: int) -> list[Figure]:
    """How long one waits who asks first, and who asks later."""
    best: dict[str, list[float]] = {}
    with TemporaryDirectory() as temporary:
        root = Path(temporary) / folder.name
        shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".headnote", ".git"))
        with headnote.Index.open(root, embedder=embedder) as index:
            index.update()
            index.search("anything")  # which writes the file of vectors
            paths = random.Random(seed).sample(index.documents(), ASKED)
            size = f"{index.status().chunks:,} chunks of {len(index.documents()):,} documents"
        script = str(Path(__file__).with_name("fresh_related.py"))
        command = [sys.executable, "-m", "headnote", "related", paths[0], "--root", str(root), "--no-update"]
        for _ in range(rounds):
            found = json.loads(run([sys.executable, script, str(root), *paths]).output)
            whole = run(command)
            for step, new in (found | {COMMAND: [whole.seconds, whole.cores]}).items():
                best[step] = list(map(min, best.get(step, new), new))
    rows = [[step, *(f"{1000 * figure:.0f}" for figure in best[step])] for step in (*STEPS, COMMAND)]
    show(Table(f"{folder.name}, {size}, best of {rounds}", ["in a fresh process", "ms", "ms of a core"], rows, []))
    return [figure for step, figures in best.items() for figure in spent(f"{folder.name}, {step}", *figures)]


def _measured(folder: Path, count: int, embedder: str, seed: int, keeps_text: bool) -> Result:
    with TemporaryDirectory() as temporary:
        root = Path(temporary) / folder.name
        shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".headnote", ".git"))
        with headnote.Index.open(root, embedder=embedder) as index:
            index.update()
            removed = _remove_links(index, root, count, random.Random(seed), keeps_text)
            index.update()
            times: list[float] = []

            def found(removed: Removed, unlinked: bool) -> bool:
                began = time.process_time()
                answer = index.related(removed.source, limit=SHOWN, unlinked=unlinked)
                times.append(time.process_time() - began)
                return removed.target in {entry.path for entry in answer}

            related = [found(link, False) for link in removed]
            suggested = [found(link, True) for link in removed]
            documents = len(index.documents())
    share: Callable[[list[bool]], float] = lambda hits: sum(hits) / max(len(hits), 1)  # noqa: E731
    return Result(share(related), share(suggested), 1000 * statistics.median(times), documents, len(removed))


def _remove_links(
    index: headnote.Index, root: Path, count: int, chance: random.Random, keeps_text: bool
) -> list[Removed]:
    """One target of each of so many documents that they alone are linked with: no link leads back."""
    graph = index.graph()
    paths = [node.path for node in graph.nodes]
    edges = {(paths[one], paths[other]) for one, other in graph.edges}
    sources = sorted({one for one, _ in edges})
    chance.shuffle(sources)
    removed: list[Removed] = []
    for source in sources:
        targets = sorted(other for one, other in edges if one == source and (other, one) not in edges)
        if targets and len(removed) < count:
            target = chance.choice(targets)
            if _cut(index, root, source, target, keeps_text):
                removed.append(Removed(source, target))
    return removed


def _cut(index: headnote.Index, root: Path, source: str, target: str, keeps_text: bool) -> bool:
    """Take all links to the target out of the document; whether that worked."""
    file = root / source
    text = index.document(source).document.text
    written = {(link.target, link.fragment) for link in index.links(source) if link.resolved == target}
    links = [
        link
        for link in Document(text, source, source.endswith(".mdx")).links
        if (link.target, link.fragment) in written and link.kind in ("link", "wikilink")
    ]
    for link in sorted(links, key=lambda link: -link.start):
        text = text[: link.start] + (link.text if keeps_text else "") + text[link.end :]
    file.write_text(text, encoding="utf-8", newline="")
    return bool(links)


if __name__ == "__main__":
    sys.exit(main())

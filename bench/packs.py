"""What does a pack cost, beside the index of the folder: making it, its size, and the first hit in a fresh process?

    python bench/packs.py [FOLDER] [--rounds N] [--json FILE]

The folder is the documentation of Kubernetes by default. Folder and pack are opened by turns, each in a process of its
own (`fresh_opening.py`), and the best of N rounds counts. Nothing is updated on the way.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import headnote
from headnote.extra.packs.unpacking import verify_pack
from processes import run
from report import Figure, Table, add_json_option, machine, show, show_setting, spent, versions, write_figures
from shared_corpora import MEGABYTE, shared_folder

QUERY = "how do I drain a node before maintenance"
CHUNK = 1 << 20
STEPS = ("import", "open", "first hit", "second search")


class Spent(NamedTuple):
    """What a piece of work took: by the clock, and of all cores together."""

    seconds: float
    cores: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    folder = options.folder or shared_folder() / "corpora" / "kubernetes-en"
    setting, packages = machine(), versions(["headnote-md", "numpy", "apsw"])
    show_setting(setting, packages)
    figures: list[Figure] = []
    with TemporaryDirectory() as temporary:
        root, pack = Path(temporary, folder.name), Path(temporary, "made.headnote")
        shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".headnote", ".git"))
        figures += _making(root, pack)
        figures += _opening(root, pack, options.rounds)
    write_figures(options.json, figures, setting, packages)
    return 0


def _making(root: Path, pack: Path) -> list[Figure]:
    """Make a pack, weigh it and check it."""
    with headnote.Index.open(root, embedder="instant") as index:
        index.update()
        index.search(QUERY)  # which writes the file of vectors, a part of the index
        made = _spent(lambda: index.pack(pack))
        documents = len(index.documents())
    checked = _spent(lambda: verify_pack(pack))
    own = sum(file.stat().st_size for file in (root / ".headnote").iterdir() if file.is_file())
    sizes = {"index": own, "pack": pack.stat().st_size, "pack, compressed on the way": _compressed(pack)}
    rows = [[name, f"{size / MEGABYTE:.0f}"] for name, size in sizes.items()]
    show(Table(f"size of {root.name}, {documents:,} documents", ["file", "MB"], rows, []))
    steps = {"making a pack": made, "verifying it": checked}
    rows = [[name, f"{one.seconds:.1f}", f"{one.cores:.1f}"] for name, one in steps.items()]
    show(Table("the work", ["step", "s", "core s"], rows, []))
    figures = [Figure(name, "size", "B", size) for name, size in sizes.items()]
    return figures + [figure for name, one in steps.items() for figure in spent(name, *one)]


def _spent(work: Callable[[], object]) -> Spent:
    began, cores = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - began, time.process_time() - cores)


def _compressed(file: Path) -> int:
    """Bytes of the file as a web server sends it."""
    packer, size = zlib.compressobj(6), 0
    with file.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            size += len(packer.compress(chunk))
    return size + len(packer.flush())


def _opening(root: Path, pack: Path, rounds: int) -> list[Figure]:
    """Each step in a fresh process, and the command line as a whole."""
    places = {"folder": root, "pack": pack}
    commands = {
        "folder": ["search", QUERY, "--root", str(root), "--no-update"],
        "pack": ["search", QUERY, "--pack", str(pack)],
    }
    best: dict[tuple[str, str], Spent] = {}

    def keep(name: str, step: str, new: Spent) -> None:
        best[name, step] = Spent(*map(min, best.get((name, step), new), new))

    for _ in range(rounds):
        for name, place in places.items():
            done = run([sys.executable, str(Path(__file__).with_name("fresh_opening.py")), str(place), QUERY])
            for step, figures in json.loads(done.output).items():
                keep(name, step, Spent(*figures))
            whole = run([sys.executable, "-m", "headnote", *commands[name]])
            keep(name, "headnote search", Spent(whole.seconds, whole.cores))
    rows = [
        [step, *(f"{1000 * figure:.0f}" for name in places for figure in best[name, step])]
        for step in (*STEPS, "headnote search")
    ]
    columns = ["step in a fresh process", "folder", "folder, cores", "pack", "pack, cores"]
    show(Table(f"milliseconds, best of {rounds}", columns, rows, []))
    return [figure for (name, step), one in best.items() for figure in spent(f"{name}, {step}", *one)]


if __name__ == "__main__":
    sys.exit(main())

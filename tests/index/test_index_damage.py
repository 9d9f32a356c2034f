"""One byte of the file turns over: every command answers or says in one line what to do, and doing it helps."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from index_states import State, fresh_state, state, write

import headnote
from headnote.cli.main import main
from headnote.errors import IndexFailure, MissingSource
from headnote.store.opening import open_store
from headnote.store.sqlite.store import FILE, FOLDER

EMBEDDER = "hashing:16"
HEADER = 100
"""Bytes that SQLite begins a file with. Each of them has a meaning of its own, so all are turned over."""
PLACES = 350
EVERY = 10
"""How many of the places are left out between two that are repaired, since each takes a second update."""

FILES = {
    "index.md": "---\ntags: [start, home]\naliases: [Home]\nstatus: draft\n---\n\n# Start\n\nSee [[guide#Setup]].\n",
    "guide.md": "# Guide\n\nWords of the guide, naïve ones.\n\n## Setup\n\nGo to [start](index.md) and ![p](p.png).\n",
    "deep/notes.md": "# Notes\n\n#tagged words about lighthouses\n\n```py\nrun_it()\n```\n\n[lost](nowhere.md)\n",
    "deep/long.md": "# Long\n\n" + "\n\n".join(f"Paragraph {n} about harbours and tides." for n in range(30)),
}
CHANGED = {"guide.md": "# Guide\n\nOther words.\n\n## Setup\n\nGo to [notes](deep/notes.md).\n"}


class Patient:
    """A folder whose index is damaged again and again."""

    def __init__(self, root: Path, scratch: Path) -> None:
        self.root = root
        self.file = root / FOLDER / FILE
        write(root, FILES)
        with self.opened() as index:
            index.update(workers=1)
        self.healthy = self.file.read_bytes()
        write(root, FILES | CHANGED)
        self.fresh: State = fresh_state(root, scratch, EMBEDDER)

    def opened(self) -> headnote.Index:
        return headnote.Index.open(self.root, embedder=EMBEDDER)

    def damage(self, place: int, turned: int) -> None:
        shutil.rmtree(self.root / FOLDER)
        self.file.parent.mkdir()
        content = bytearray(self.healthy)
        content[place] ^= turned
        self.file.write_bytes(content)

    def update(self) -> None:
        with self.opened() as index:
            index.update(workers=1)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Patient:
    return Patient(tmp_path_factory.mktemp("damaged") / "docs", tmp_path_factory.mktemp("fresh") / "docs")


def places(content: bytes) -> list[int]:
    """The header, and bytes from all over the file, of which most are none of the zeros between pages."""
    used = [at for at in range(HEADER, len(content)) if content[at]]
    chance = random.Random(15)
    anywhere = chance.sample(range(HEADER, len(content)), 50)
    return [*range(HEADER), *anywhere, *chance.sample(used, PLACES - HEADER - len(anywhere))]


@contextlib.contextmanager
def answers_or_says_what_to_do() -> Iterator[None]:
    failure: IndexFailure | None = None
    try:
        yield
    except IndexFailure as error:
        failure = error
    line = str(failure or "headnote doctor --repair")
    assert "headnote doctor --repair" in line
    assert "\n" not in line


QUESTIONS: dict[str, Callable[[headnote.Index], object]] = {
    "hybrid": lambda index: index.search("words about lighthouses", expand="section"),
    "keyword": lambda index: index.search("harbours tides", mode="keyword", tags="start", where={"status": "draft"}),
    "status": lambda index: (index.status(), index.drift(), index.contents()),
    "links": lambda index: (index.links("guide.md"), index.backlinks("guide.md"), index.broken_links(), index.graph()),
    "read": lambda index: (index.outline("deep/long.md"), index.read("deep/long.md"), index.document("guide.md")),
    "ask": lambda index: index.ask("what is there about lighthouses?", model=""),
}


def ask_everything(index: headnote.Index) -> None:
    for ask in QUESTIONS.values():
        with answers_or_says_what_to_do(), contextlib.suppress(MissingSource):  # a path that is another one now
            ask(index)


def turned_over(content: bytes) -> Iterator[tuple[int, int]]:
    """Places, and which bits of the byte there turn over: one of them, or any."""
    chance = random.Random(16)
    for place in places(content):
        yield place, 1 << chance.randrange(8) if place % 2 else chance.randrange(1, 256)


def test_whatever_byte_it_is_every_question_is_answered_or_says_what_to_do(patient: Patient) -> None:
    for place, bits in turned_over(patient.healthy):
        patient.damage(place, bits)
        with answers_or_says_what_to_do(), patient.opened() as index:
            ask_everything(index)
            with answers_or_says_what_to_do():
                index.update(workers=1)
            with answers_or_says_what_to_do():
                index.check()


Shown = dict[str, object]


def shown(index: headnote.Index) -> Shown:
    """What people are shown of the documents; nothing for what cannot be read, and says so."""
    found: Shown = {}

    def show(name: str, ask: Callable[[], object]) -> None:
        with answers_or_says_what_to_do(), contextlib.suppress(MissingSource):
            found[name] = ask()

    for path in FILES:
        show(f"read {path}", lambda path=path: index.read(path))  # type: ignore[misc]
        show(f"outline {path}", lambda path=path: index.outline(path))  # type: ignore[misc]
        show(f"links {path}", lambda path=path: set(index.links(path)))  # type: ignore[misc]
    for words in ("words", "harbours tides", "start lighthouses"):
        show(words, lambda words=words: {_content(hit) for hit in index.search(words, 50, min_score=0)})  # type: ignore[misc]
    return found


def _content(hit: headnote.Hit) -> tuple[object, ...]:
    return hit.path, hit.start_line, hit.end_line, hit.title, hit.breadcrumb, hit.text, hit.tags, str(hit.metadata)


def test_whatever_byte_it_is_nothing_is_shown_that_was_not_written(patient: Patient) -> None:
    patient.damage(0, 0)
    with patient.opened() as index:
        written = shown(index)
    passages = set().union(*(hits for hits in written.values() if isinstance(hits, set)))
    for place, bits in turned_over(patient.healthy):
        patient.damage(place, bits)
        with answers_or_says_what_to_do(), patient.opened() as index:
            for name, seen in shown(index).items():
                # Words, vectors and the order of tables may be damaged: then something else is found, or less.
                is_sound = seen <= passages if isinstance(seen, set) else seen == written[name]
                assert is_sound, (place, bits, name)


def test_whatever_byte_it_is_a_repaired_index_is_as_good_as_a_new_one(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", EMBEDDER)
    for place, bits in islice(turned_over(patient.healthy), 0, None, EVERY):
        patient.damage(place, bits)
        assert main(["doctor", str(patient.root)]) in (0, 1)
        assert main(["doctor", str(patient.root), "--repair"]) == 0, (place, capsys.readouterr().out)
        patient.update()
        assert state(patient.root, EMBEDDER, open_store(patient.root)) == patient.fresh, place

"""The benchmark of quality: what it leaves out, what it remembers, what it compares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headnote.embedding.embedder import HashingEmbedder
from headnote.extra.evaluate.measuring import CachingEmbedder, Retrieved, locate_gold
from headnote.extra.evaluate.metrics import TextSpan
from headnote.extra.evaluate.questions import Gold, GoldPlace, Question
from our_search import Model, OurIndex
from vector_file import VectorFile
from views import GOALS, LINKS, VIEWS
from ways import Way, compare, differences, record

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

PAGES = {
    "probes.md": "# Probes\n\nA probe asks whether a container lives. See [the restarts](restarts.md).\n",
    "restarts.md": "# What begins again\n\nA dead one is started anew after a while.\n",
    "volumes.md": "# Volumes\n\nA volume outlives the container that mounts it.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "pages"
    root.mkdir()
    for name, text in PAGES.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def boosted(index: OurIndex) -> list[str]:
    hits = index.hits("does a probe ask whether the container lives", 10, "hybrid")
    assert hits
    return [hit.path for hit in hits if hit.why.link_score]


def test_links_lend_no_score_where_links_are_the_questions(folder: Path, tmp_path: Path) -> None:
    model = Model("hashing", HashingEmbedder(64))
    assert boosted(OurIndex(folder, tmp_path / "with", model)) == ["restarts.md"]
    assert boosted(OurIndex(folder, tmp_path / "without", model, ignores_links=True)) == []


class CountingEmbedder(HashingEmbedder):
    """Counts the texts that are really embedded."""

    embedded = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        return super().embed(texts)


def test_a_second_run_embeds_nothing(folder: Path, tmp_path: Path) -> None:
    counts = []
    for run in ("first", "second"):
        counting = CountingEmbedder(64)
        vectors = VectorFile(tmp_path / "vectors", counting.name, counting.dimensions)
        index = OurIndex(folder, tmp_path / run, Model("counting", CachingEmbedder(counting, vectors)))
        assert index.hits("which volume outlives a container", 3, "semantic")[0].path == "volumes.md"
        counts.append(counting.embedded)
    assert counts[0] > 0
    assert counts[1] == 0


def way(model: str, mode: str, *, is_ours: bool = True) -> Way:
    return Way(model, mode, lambda *_: [], 3, is_ours)


def test_models_are_compared_with_the_baseline_words_their_legs_and_the_best_of_the_others() -> None:
    questions = [Question(f"q{number}", (Gold("a.md"),), GoldPlace("q", number)) for number in range(20)]
    located = locate_gold(questions, lambda _: "text")
    right, wrong = [Retrieved(TextSpan("a.md", 0, 4), 1)], [Retrieved(TextSpan("b.md", 0, 4), 1)]
    answers = [
        (way("", "keyword"), [right] * 20),
        (way("old", "hybrid"), [wrong] * 20),
        (way("new", "hybrid"), [right] * 20),
        (way("new", "semantic"), [wrong] * 20),
        (way("splitter:", "rrf", is_ours=False), [wrong] * 20),
    ]
    comparison = compare("set", LINKS, located, answers, baseline="old")
    table = differences(comparison, quick=False)
    assert {row[0]: row[1].split()[-1] for row in table.rows} == {
        "old hybrid − keyword": "WORSE",
        "old hybrid − splitter: rrf": "chance",
        "new hybrid − old hybrid": "better",
        "new hybrid − keyword": "chance",
        "new hybrid − new semantic": "better",
        "new hybrid − splitter: rrf": "better",
    }
    data = record(comparison)
    assert data["ways"][2]["metrics"]["mrr"] == {"mean": 1.0, "low": 1.0, "high": 1.0}


def test_every_goal_is_about_a_metric_of_a_view_that_is_shown() -> None:
    for goal in GOALS:
        assert goal.view in VIEWS[goal.set.partition(" ")[0]]
        assert goal.metric in goal.view.metrics

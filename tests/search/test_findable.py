"""A document is found by every name it has, on every store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from headnote import Index, SettingsError
from headnote.search.query import Mode

pytest_plugins = ("store_fixtures",)
pytestmark = pytest.mark.usefixtures("everywhere")

FILLER = "The harbour opens at six. Boats are moored along the quay, and the crane is checked every morning.\n"
NOTE = """---
aliases: [K8s cheat sheet]
tags: [container-ops]
---
# Commands for every day

Pods restart when their probes fail. Look at the events of the namespace first.
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "runbook-42.md").write_text(NOTE)
    for number in range(9):
        (tmp_path / f"page{number}.md").write_text(f"# Harbour {number}\n\n{FILLER}")
    (tmp_path / "sheets.md").write_text("# Sheets\n\nA sheet of paper for the log book, and another sheet.\n")
    with Index.open(tmp_path, embedder="hashing:64") as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("query", "terms", "matched"),
    [
        ("k8s cheat sheet", ("k8s", "cheat", "sheet"), ("k8s", "cheat", "sheet")),
        ("runbook-42", ("runbook42", "runbook", "42"), ("runbook-42", "runbook", "42")),
        ("runbook 42", ("runbook", "42"), ("runbook", "42")),
        ("container-ops", ("containerop", "contain", "op"), ("container-ops", "container", "ops")),
        ("command for every day", ("command", "everi", "day"), ("commands", "every", "day")),
    ],
)
def test_a_note_is_found_by_alias_file_name_tag_and_heading(
    index: Index, mode: Mode, query: str, terms: tuple[str, ...], matched: tuple[str, ...]
) -> None:
    best = index.search(query, mode=mode)[0]
    assert best.path == "runbook-42.md"
    assert best.why.matched == matched, "words are as the note writes them"
    assert best.why.terms == terms, "what was looked for in the index is what a hit says it has"


@pytest.mark.parametrize("field", ["description", "summary", "excerpt", "intro"])
def test_a_page_is_found_by_what_its_frontmatter_says_about_it(index: Index, field: str) -> None:
    text = (
        f"---\n{field}: Wharfage and its tariff.\n---\n# Fees\n\nPaid by the day.\n\n# Exceptions\n\nNone in winter.\n"
    )
    (index.root / "fees.md").write_text(text, encoding="utf-8")
    index.update()
    best = index.search("wharfage tariff", mode="keyword")[0]
    assert (best.path, best.start_line, best.why.matched) == ("fees.md", 4, ("wharfage", "tariff"))
    assert [hit.path for hit in index.search('"wharfage and its tariff"')] == ["fees.md"]
    assert "Wharfage" not in best.text


def test_a_renamed_file_is_found_by_its_new_name_only(index: Index) -> None:
    (index.root / "runbook-42.md").rename(index.root / "failover.md")
    assert index.update().plan.renamed == [("runbook-42.md", "failover.md")]
    assert index.search("failover", mode="keyword")[0].path == "failover.md"
    assert index.search("runbook 42", mode="keyword") == []
    assert index.search("k8s cheat sheet", mode="keyword")[0].path == "failover.md"
    assert index.check() == []


def test_a_file_that_was_moved_keeps_its_name(index: Index) -> None:
    (index.root / "deep").mkdir()
    (index.root / "runbook-42.md").rename(index.root / "deep" / "runbook-42.md")
    index.update()
    assert index.search("runbook-42", mode="keyword")[0].path == "deep/runbook-42.md"
    assert index.check() == []


def test_a_hit_carries_what_its_document_says_about_itself(tmp_path: Path) -> None:
    head = "---\ntitle: Gauges\naliases: [Meters]\ntags: [harbour]\ndate: 2026-03-01\nowner: {team: tides}\n---\n"
    (tmp_path / "gauges.md").write_text(
        f"{head}# Gauges\n\nRead [the datum](datum.md#zero), [[datum]] and https://example.org/x daily. #daily\n"
    )
    (tmp_path / "datum.md").write_text("# Zero\n\nThe datum is zero.\n")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        best = opened.search("read daily")[0]
    assert best.tags == ("harbour", "daily")
    assert best.aliases == ("Meters",)
    assert best.metadata["date"] == date(2026, 3, 1)
    assert best.metadata["owner"] == {"team": "tides"}
    assert best.links == ("datum.md#zero", "datum.md", "https://example.org/x")


def test_reciprocal_ranks_order_what_the_scores_find_relevant(index: Index) -> None:
    weighted = index.search("harbour crane", limit=20)
    ranked = index.search("harbour crane", limit=20, fusion="rrf")
    assert {hit.path for hit in ranked} == {hit.path for hit in weighted}
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] < scores[0] <= 1
    assert index.search("zebra xyzzy plugh", fusion="rrf") == [], "ranks alone would find something"
    with pytest.raises(SettingsError, match="fusion"):
        index.search("harbour", fusion="rff")  # type: ignore[arg-type]

"""What comes with a hit: neighbours, its section, what it links to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.errors import SettingsError

FILLER = "Here is a sentence that fills the page. " * 6
PAGE = f"""# Manual

{FILLER}

## Gauges

{FILLER}

Calibrate the pressure gauge twice. [See zebras](zebras.md).

{FILLER}

### Deeper

{FILLER}

## Valves

{FILLER}
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[headnote.Index]:
    (tmp_path / "manual.md").write_text(PAGE)
    (tmp_path / "zebras.md").write_text("# Zebras\n\nStriped.\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=80, min_tokens=10) as opened:
        opened.update()
        yield opened


def hits(index: headnote.Index, **options: Any) -> list[headnote.Hit]:
    return index.search("calibrate pressure gauge", **({"limit": 1} | options))


def test_a_section_comes_whole_with_what_is_below_it(index: headnote.Index) -> None:
    (hit,) = hits(index, expand="section")
    assert hit.text == PAGE[hit.start : hit.end]
    assert hit.text.startswith("## Gauges")
    assert "### Deeper" in hit.text
    assert "## Valves" not in hit.text
    assert index.read(hit.path, hit.start_line, hit.end_line).text.strip() == hit.text.strip()


BOAT = f"# Boat\n\n{FILLER}\n\n## Bow\n\n" + "".join(
    f"{f'Its {material} is looked after by the mate in {month}. ' * 4}The anchor winch is of {material}.\n\n"
    for material, month in (("oak", "May"), ("brass", "June"), ("steel", "July"))
)
STERN = f"## Stern\n\n{FILLER}\n\nNo anchor winch is there.\n"


def test_hits_that_are_most_of_a_section_become_it(index: headnote.Index) -> None:
    (index.root / "boat.md").write_text(BOAT + STERN)
    index.update()
    parts = index.search("anchor winch", limit=6)
    assert len([hit for hit in parts if hit.breadcrumb == "Boat > Bow"]) >= 2
    joined = index.search("anchor winch", limit=6, expand="auto")
    assert len(joined) == len({hit.breadcrumb for hit in joined})
    assert [hit.breadcrumb for hit in joined].count("Boat > Bow") == 1
    [wide] = [hit for hit in joined if hit.breadcrumb == "Boat > Bow"]
    first = next(hit for hit in parts if hit.breadcrumb == "Boat > Bow")
    assert (wide.id, wide.score) == (first.id, first.score)
    assert wide.text.startswith("## Bow")
    assert wide.text.rstrip() == BOAT[BOAT.index("## Bow") :].rstrip()
    assert index.search_page("anchor winch", 6, expand="auto").hits == tuple(joined)


def test_a_section_that_the_budget_does_not_allow_stays_in_parts(index: headnote.Index) -> None:
    (index.root / "boat.md").write_text(BOAT + STERN)
    index.update()
    parts = index.search("anchor winch", limit=6, budget=170)
    assert index.search("anchor winch", limit=6, budget=170, expand="auto") == parts
    assert sum(hit.tokens for hit in parts) <= 170


def test_neighbours_are_one_chunk_before_and_after(index: headnote.Index) -> None:
    (alone,) = hits(index)
    (wide,) = hits(index, expand="neighbours")
    assert wide.start < alone.start
    assert wide.end > alone.end
    assert (wide.id, wide.score, wide.why) == (alone.id, alone.score, alone.why)
    assert wide.tokens > alone.tokens


def test_what_a_hit_links_to_follows_it(index: headnote.Index) -> None:
    first, second = hits(index, expand="linked", limit=2)
    assert (first.path, second.path) == ("manual.md", "zebras.md")
    assert second.why.linked_from == f"manual.md:{first.start_line}"


def test_what_is_shown_already_is_not_shown_again(index: headnote.Index) -> None:
    query = "sentence that fills the page"
    assert len(index.search(query, path="manual.md", min_score=0)) == 5
    (page,) = index.search(query, path="manual.md", min_score=0, expand="section")
    assert page.text.strip() == PAGE.strip(), "the best hit stands under the first heading, and all is below that"


def test_a_budget_is_kept_by_leaving_the_hit_as_it_is(index: headnote.Index) -> None:
    wide = hits(index, expand="section", limit=5)
    small = hits(index, expand="section", limit=5, budget=wide[0].tokens + 100)
    assert sum(hit.tokens for hit in small) <= wide[0].tokens + 100


def test_an_unknown_expansion_is_refused(index: headnote.Index) -> None:
    with pytest.raises(SettingsError, match="neighbours"):
        hits(index, expand="everything")

"""Release notes mention everything once, so the page on a matter is before them, unless somebody asks for a version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.ranking import VERSION_FACTOR
from headnote.words.name_keys import is_version

pytest_plugins = ("store_fixtures",)

RELEASES = [
    f"## {number}.2.0 (2025-0{number}-11)\n\n- Set the idle timeout of pump {number} with a flag.\n"
    for number in range(1, 10)
]
NOTES = {
    "history.md": "# Pumps\n\n" + "\n".join(RELEASES),
    "settings.md": "# Settings\n\nA pump that is idle stops after its timeout. Name it in the file of settings.\n",
}


@pytest.fixture(params=["hashing:64", "none"])
def index(request: pytest.FixtureRequest, store_target: str, tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "pumps").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "pumps" / name).write_text(text)
    with Index.open(tmp_path / "pumps", store=store_target or None, embedder=request.param, preset="mdvdb") as opened:
        opened.update()
        yield opened


def test_what_was_new_in_a_version_counts_less(index: Index) -> None:
    hits = index.search("set the idle timeout of a pump", limit=10)
    assert {hit.path: hit.why.version for hit in hits} == {"history.md": VERSION_FACTOR, "settings.md": 1.0}
    plain = index.search("set the idle timeout of a pump, what changed", limit=10)
    assert {hit.why.version for hit in plain} == {1.0}


def test_a_version_that_is_asked_for_is_first(index: Index) -> None:
    hit = index.search("idle timeout in 4.2.0", limit=1)[0]
    assert (hit.breadcrumb.partition(" > ")[2], hit.why.version) == ("4.2.0 (2025-04-11)", 1.0)


@pytest.mark.parametrize(
    "heading", ["1.2.3", "[2.0.0] - 2024-01-31", "Pumps v3.0", "Version 1.4.0-rc1", "v2.x", "Unreleased"]
)
def test_a_version_is_known_by_its_heading(heading: str) -> None:
    assert is_version(heading)


@pytest.mark.parametrize(
    "heading", ["", "1.2 Priming", "Python 3.12", "192.168.0.1 and others", "Versions", "3 pumps", "2024-01-31"]
)
def test_other_headings_with_numbers_are_none(heading: str) -> None:
    assert not is_version(heading)

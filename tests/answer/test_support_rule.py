"""How well the rule tells lines that say it from lines that do not, on the handbook.

The sentences were written by hand for this, so they say how the rule behaves, not how any model writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from shown_samples import check_citations, make_hit

from headnote import chunk
from headnote.answer.prompt import ShownPassage, passage_of


class Sample(NamedTuple):
    sentence: str
    path: str
    begins: str
    """In the first line that says it."""
    more: int
    """Further lines."""


CHOSEN_WITH: list[Sample] = [
    Sample(
        "If the lamp is dark, measure the battery; below 3.3 V the gauge sleeps until the sun returns",
        "troubleshooting.md",
        "It is dark",
        5,
    ),
    Sample("A red lamp means that the lid was opened", "troubleshooting.md", "It is red", 0),
    Sample("Tighten the upper bracket with 12 Nm", "installing.md", "set to 12 Nm", 0),
    Sample(
        "The lower bracket only needs 9 Nm because it just stops the tube from swinging",
        "installing.md",
        "set to 9 Nm",
        0,
    ),
    Sample("For scientific use the gauge has to be calibrated every three months", "calibration.md", "| science", 0),
    Sample("Scientific data allows a difference of at most 5 mm", "calibration.md", "| science", 0),
    Sample(
        "Use the median of ten readings instead of the mean when there are waves",
        "calibration.md",
        "Take ten readings",
        6,
    ),
    Sample(
        "Two measurements, one near low and one near high water, are sufficient",
        "calibration.md",
        "Measure the true distance",
        1,
    ),
    Sample("Nobody should install a gauge without a second person", "index.md", "Nobody mounts", 0),
    Sample("Levels can always be recalculated as long as the raw distances are kept", "index.md", "Raw distances", 2),
    Sample(
        "The station computes the level by subtracting the measured distance from the sensor height",
        "index.md",
        "The station subtracts",
        0,
    ),
    Sample("A gauge sends a line each minute", "index.md", "Every minute a gauge", 0),
    Sample(
        "The ladder at quay 4 must not be used until the harbour office approves it",
        "field-notes.md",
        "The ladder is loose",
        0,
    ),
    Sample("The widget refreshes every 60 seconds by default", "gauge-widget.mdx", "| `refresh`", 0),
    Sample("Data shown by the widget may be about two minutes old", "gauge-widget.mdx", "<Note title", 1),
    Sample("Weed on the solar panel is normal in August", "troubleshooting.md", "Look at the tube", 0),
    Sample("Use `tidewater hello` to check that the gauge answers", "installing.md", "On a laptop", 4),
    Sample(
        "Set sensor_height to the height of the sensor above chart datum in metres", "installing.md", "Then tell it", 6
    ),
    Sample(
        "Mounting takes a full tide: mount at low water and check at high water", "installing.md", "A gauge needs", 1
    ),
    Sample("Check your page on a phone in sunlight before publishing", "publishing.md", "Before you publish", 1),
    Sample(
        "You should clean the sensor before measuring, since dirt makes the error non-linear",
        "calibration.md",
        "[^line]: It stops",
        3,
    ),
    Sample("HTML is passed through by the generator unchanged", "publishing.md", "The site is made", 1),
]
"""The share was chosen with these."""

TRIED_ON: list[Sample] = [
    Sample("Your gauge must be able to see the sky and needs an upright wall", "installing.md", "A gauge needs", 1),
    Sample("Bring eight stainless bolts and two brackets", "installing.md", "two brackets and eight", 0),
    Sample(
        "The bracket has to clear the highest spring tide by half a metre", "installing.md", "Hold the upper bracket", 0
    ),
    Sample("Two blinks after turning the key show that it works", "installing.md", "Turn the key", 0),
    Sample("An uncalibrated gauge must not have its levels published", "index.md", "A gauge without a date", 1),
    Sample("The history is available from the archive", "index.md", "as that height", 1),
    Sample(
        "Above 50 mm something is defective and calibration will not help", "calibration.md", "A difference above", 0
    ),
    Sample("Swimmers' signs tolerate 50 mm", "calibration.md", "| a sign for", 0),
    Sample("Quay 3 was 14 mm off and is now within 2 mm", "field-notes.md", "**Quay 3**", 0),
    Sample("The upper edge of the new bracket is at 6.41 m", "field-notes.md", "upper edge", 1),
    Sample("A chart is placed with a single tag on its own line", "publishing.md", "A tag alone", 0),
    Sample(
        "The tide table is written in HTML because of cells spanning rows", "publishing.md", "The table of the next", 0
    ),
    Sample("`station` is the only required property", "gauge-widget.mdx", "number of the gauge; required", 0),
    Sample("Do not navigate by the widget since levels are delayed", "gauge-widget.mdx", "A level arrives", 0),
    Sample("A crane between gauge and station can block the signal", "troubleshooting.md", "Look at the map", 0),
    Sample("Photograph the tube showing its number before you leave", "installing.md", "Leave the site", 0),
]
"""Written afterwards."""


@pytest.fixture(scope="module")
def documents(repository: Path) -> dict[str, list[str]]:
    files = sorted((repository / "examples" / "handbook").glob("*.md*"))
    return {file.name: file.read_text(encoding="utf-8").split("\n") for file in files}


@pytest.fixture(scope="module")
def shown(documents: dict[str, list[str]]) -> list[ShownPassage]:
    """Every passage there is: the hardest case, since no citation fails for want of a source."""
    passages = []
    for path, lines in documents.items():
        for part in chunk("\n".join(lines), path=path):
            hit = make_hit(path, part.start_line, part.end_line, part.text, breadcrumb=part.breadcrumb)
            passages.append(passage_of(lines, hit))
    return [passage for passage in passages if passage]


def holds(sentence: str, path: str, start: int, end: int, shown: list[ShownPassage]) -> bool:
    return bool(check_citations(f"{sentence} [{path}:{start}-{end}].", shown).citations)


def own_lines(sample: Sample, documents: dict[str, list[str]]) -> tuple[int, int]:
    [start] = [number for number, line in enumerate(documents[sample.path], 1) if sample.begins in line]
    return start, start + sample.more


@pytest.mark.parametrize(("samples", "lost"), [(CHOSEN_WITH, 2), (TRIED_ON, 1)], ids=["chosen-with", "tried-on"])
def test_lines_that_say_it(
    samples: list[Sample], lost: int, documents: dict[str, list[str]], shown: list[ShownPassage]
) -> None:
    held = [holds(sample.sentence, sample.path, *own_lines(sample, documents), shown) for sample in samples]
    assert held.count(False) == lost


@pytest.mark.parametrize("samples", [CHOSEN_WITH, TRIED_ON], ids=["chosen-with", "tried-on"])
def test_lines_that_say_something_else(
    samples: list[Sample], documents: dict[str, list[str]], shown: list[ShownPassage]
) -> None:
    """Four lines at a time, from everywhere but around those that say it."""
    passed: dict[bool, list[bool]] = {True: [], False: []}
    for sample in samples:
        first, last = own_lines(sample, documents)
        for path, lines in documents.items():
            for start in range(1, len(lines), 4):
                end = min(start + 3, len(lines))
                near = path == sample.path and start <= last + 1 and end >= first - 1
                if not near and "".join(lines[start - 1 : end]).strip():
                    passed[path == sample.path].append(holds(sample.sentence, path, start, end, shown))
    assert sum(passed[True]) / len(passed[True]) < 0.04
    assert sum(passed[False]) / len(passed[False]) < 0.015

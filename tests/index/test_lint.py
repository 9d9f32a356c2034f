"""Lint finds every fault that was put into a sound collection, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import headnote
from headnote.api.checking import lint
from headnote.cli.main import main
from headnote.errors import SettingsError
from headnote.links.checking.link_report import KINDS, LINK_KINDS

PUMP = (
    "A pump moves water from the well to the tank, and it has to be primed before the first start of the season. "
    "Close the valve, open the vent, and fill the housing until no more bubbles come out of the pipe. "
    "Whoever starts it dry ruins the seal, which takes a week to arrive and half a day to replace at low tide. "
    "The manual of the maker has a drawing of all parts, and the shop has most of them in stock in spring."
)
RATE = "A pump delivers at most 40 litres of water in a minute."
MADE_OF_TABLE = "---\nsources: [raw/table.md]\nupdated: 2026-03-01\n---\n"
SOUND = {
    "index.md": "# Home\n\n[Pumps](pumps.md), [valves](valves.md), [tanks](tanks.md) and [tides](tides.md).\n",
    "pumps.md": f"# Pumps\n\n{PUMP} {RATE}[^maker]\n\n[^maker]: As its plate says.\n",
    "valves.md": "# Valves\n\nA valve closes clockwise, and nobody should force it with a wrench: `[^a]`.\n",
    "tanks.md": "# Tanks\n\nA tank holds the water for one day. It is cleaned when the season ends, see [[valves]].\n",
    "tides.md": f"{MADE_OF_TABLE}# Tides\n\nThe tide turns twice a day, and so do [[pumps]] near the pier.\n",
    "raw/table.md": "---\nupdated: 2026-02-01\n---\n\nHigh and low water at the pier, in every month, for [[tides]].\n",
}
SCHEMA = """\
[[schema]]
path = "/t*.md"
required = ["updated"]
types = { updated = "date" }
values = { status = ["draft", "final"] }
"""

Files = dict[str, str]
Make = Callable[[Files], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(files: Files) -> Path:
        folder = tmp_path / "wiki"
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            os.utime(file, (1_700_000_000,) * 2)
        return folder

    return write


def found(folder: Path, only: Iterable[str] = ()) -> set[tuple[str, str, int, str]]:
    """Of all kinds, those included that are reported only if they are asked for."""
    return {(one.kind, one.path, one.at.line, one.target) for one in lint(folder, only=list(only) or KINDS).findings}


def test_nothing_is_wrong_with_a_sound_collection(make: Make) -> None:
    assert found(make(SOUND)) == set()


FAULTS: list[tuple[Files, set[tuple[str, str, int, str]]]] = [
    (
        {"valves.md": "# Valves\n\nA valve closes clockwise, see [the seals](seals.md) in the shop near the pier.\n"},
        {("page", "valves.md", 3, "seals.md")},
    ),
    (
        {
            "valves.md": "# Valves\n\nA valve closes clockwise, and [[Seals]] keep it tight for years if oiled.\n",
            "tanks.md": "# Tanks\n\nA tank holds water for a day.\n\nIts [[seals]] are those of valves.\n",
        },
        {("wanted", "tanks.md", 5, "seals")},
    ),
    (
        {"alone.md": "# Alone\n\nNobody knows this page, and it knows nobody, although it says a lot of things.\n"},
        {("orphan", "alone.md", 1, ""), ("unlisted", "alone.md", 1, "index.md")},
    ),
    (
        {"vents.md": "# Vents\n\nA vent lets the air out of [the pump](pumps.md) while someone fills it.\n"},
        {("unlisted", "vents.md", 1, "index.md")},
    ),
    (
        {"index.md": SOUND["index.md"] + "\n[And oil](oil.md).\n", "oil.md": "# Oil\n\nTo do.\n"},
        {("stub", "oil.md", 1, "")},
    ),
    (
        {"raw/copy.md": SOUND["pumps.md"].replace("# Pumps", "# Copy of [[pumps]]")},
        {("near-duplicate", "raw/copy.md", 1, "pumps.md")},
    ),
    (
        {"valves.md": SOUND["valves.md"] + "\nAs the maker says.[^2] And more.\n"},
        {("footnote", "valves.md", 5, "[^2]")},
    ),
    (
        {"valves.md": SOUND["valves.md"] + "\n[^old]: A note that nobody needs.\n"},
        {("footnote", "valves.md", 5, "[^old]")},
    ),
    (
        {"raw/table.md": SOUND["raw/table.md"].replace("2026-02", "2026-04")},
        {("outdated", "tides.md", 1, "raw/table.md")},
    ),
    (
        {"tanks.md": SOUND["tanks.md"] + "\nA pump delivers at most 60 litres of water in a minute.\n"},
        {("numbers", "tanks.md", 5, "pumps.md:3")},
    ),
    ({"headnote.toml": SCHEMA}, {("schema", "tanks.md", 1, "updated")}),
    (
        {"headnote.toml": SCHEMA, "tanks.md": "---\nupdated: soon\nstatus: old\n---\n" + SOUND["tanks.md"]},
        {("schema", "tanks.md", 1, "updated"), ("schema", "tanks.md", 1, "status")},
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"),
    FAULTS,
    ids=lambda one: "+".join(sorted({row[0] for row in one})) if isinstance(one, set) else "",
)
def test_each_fault_is_found_and_nothing_else(
    make: Make, files: Files, expected: set[tuple[str, str, int, str]]
) -> None:
    assert found(make(SOUND | files)) == expected


def test_all_faults_at_once(make: Make) -> None:
    together: Files = {}
    expected: set[tuple[str, str, int, str]] = set()
    for files, rows in FAULTS:
        if not files.keys() & together.keys():
            together |= files
            expected |= rows
    assert len({kind for kind, *_ in expected}) >= 6
    assert found(make(SOUND | together)) == expected


def test_every_kind_has_a_fault() -> None:
    assert {kind for _, rows in FAULTS for kind, *_ in rows} >= KINDS.keys() - set(LINK_KINDS)


def test_what_a_program_or_a_day_says_is_not_judged(make: Make) -> None:
    more = {
        "gen/a.md": f"<!-- This file is auto-generated. -->\n# A\n\n{PUMP}\n\n[[pumps]]\n",
        "gen/b.md": "---\nauto_generated: true\n---\n# B [[pumps]]\n",
        "blog/2026-01-02.md": "# Post\n\nA pump delivers at most 20 litres of water in a minute. See [[pumps]].\n",
        "raw/list.md": "# List\n\n- In a minute a pump delivers at most 20 litres, [[pumps]] [^1-9] `[^x]`.\n",
    }
    assert found(make(SOUND | more)) == set()


def test_numbers_that_differ_are_reported_if_asked_for(make: Make) -> None:
    folder = make(
        SOUND | {"tanks.md": SOUND["tanks.md"] + "\nA pump delivers at most 60 litres of water in a minute.\n"}
    )
    assert lint(folder).findings == []
    assert [one.kind for one in lint(folder, only=["numbers"]).findings] == ["numbers"]


def test_versions_of_a_page_say_other_numbers(make: Make) -> None:
    pages = {
        f"up/v{number}.md": f"# To {number}\n\nThe pump {number}.0 delivers most of all water here, see [[pumps]].\n"
        for number in (6, 7)
    }
    assert found(make(SOUND | pages), ["numbers"]) == set()


def test_what_looks_like_pages_of_a_site_may_stand_alone(make: Make) -> None:
    texts = {"a": "[b](b.md)", "b": "[c](c.md)", "c": "[a](a.md)", "alone": "It says a lot of things to nobody at all."}
    plain = {f"{name}.md": f"# {name}\n\n{text}\n" for name, text in texts.items()}
    assert {path for _, path, *_ in found(make(plain), ["orphan"])} == {"alone.md"}
    shown = {f"{name}.md": f"---\ntitle: {name}\n---\n{text}\n" for name, text in texts.items()}
    assert found(make(shown), ["orphan"]) == set()


@pytest.mark.parametrize(
    ("path", "line", "is_found"),
    [
        ("pieces/options.md", "", True),
        ("pieces/options.md", '--8<-- "pieces/options.md"', False),
        ("changes/template.md", "", False),
    ],
)
def test_what_others_include_and_templates_do_not_stand_alone(path: str, line: str, is_found: bool, make: Make) -> None:
    pages = {path: "# Options\n\nOptions of the pump.\n", "pumps.md": f"{SOUND['pumps.md']}\n{line}\n"}
    assert {one[1] for one in found(make(SOUND | pages), ["orphan"])} == ({path} if is_found else set())


def test_what_says_something_in_its_frontmatter_is_no_stub(make: Make) -> None:
    pages = {
        "term.md": "---\nsummary: What people say of a pump\n---\nSee [[pumps]].\n",
        "fixtures/a.md": "[[pumps]]\n",
        "wide.md": "[[pumps]] ポンプは毎分四十リットルの水を送り、弁がそれを止める。\n",
        "short.md": "---\ntitle: A title is not what a page says\n---\n[[pumps]]\n",
    }
    assert {path for _, path, *_ in found(make(SOUND | pages), ["stub"])} == {"short.md"}


def test_what_is_no_stub_and_no_footnote(make: Make) -> None:
    pages = {
        "shown.md": "# Shown\n\n{% include 'more.md' %}\n",
        "code.md": "# `tide.gauge`\n\nGauges.\n",
        "CLAUDE.md": "@AGENTS.md\n",
        "tests/cases/empty.md": "# Empty\n",
        "parts/test/empty.md": "# Empty\n",
        "link.md": "# Link\n\nSee [^1][maker] and [^2](https://maker.example), but [^3][^4].\n\n[maker]: index.md\n",
    }
    assert found(make(SOUND | pages), ["stub", "footnote"]) == {
        ("footnote", "link.md", 3, "[^3]"),
        ("footnote", "link.md", 3, "[^4]"),
    }


def test_pages_that_are_alike_on_purpose(make: Make) -> None:
    project = {"README.md": PUMP, "docs/README.md": PUMP, "docs/other.md": "# Other\n"}
    pattern = {f"shapes/{name}.md": f"# {name}\n\n{PUMP}\n" for name in ("box", "cone", "ring", "tube")}
    plain = {"a.txt": PUMP, "b.txt": PUMP}
    agents = {"AGENTS.md": PUMP, "CLAUDE.md": PUMP}
    versions = {"v2/parts/pump.md": PUMP, "servers/pump.md": PUMP, "v3/use/pump.md": PUMP}
    for files in (project, pattern, plain, agents, versions):
        assert found(make(files), ["near-duplicate"]) == set()


def test_a_folder_that_was_copied_is_one_finding(make: Make) -> None:
    texts = {
        name: f"# {name}\n\n" + PUMP.replace("water", name).replace("the", name) for name in ("one", "two", "three")
    }
    files = {f"{top}/{name}.md": text for top in ("docs", "site/pages") for name, text in texts.items()}
    (finding,) = lint(make(files), only=["near-duplicate"]).findings
    assert (finding.path, finding.target) == ("site/pages/one.md", "docs/one.md")
    assert finding.message.endswith("and so do 2 more pages of this folder with theirs")


def test_a_page_that_was_copied_twice_is_two_findings(make: Make) -> None:
    copies = {f"{name}.md": f"# {name}\n\n{PUMP}\n" for name in ("a", "b", "c")}
    assert found(make(copies), ["near-duplicate"]) == {
        ("near-duplicate", "b.md", 1, "a.md"),
        ("near-duplicate", "c.md", 1, "a.md"),
    }


def test_what_is_known_stays(make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make(SOUND | FAULTS[2][0] | FAULTS[6][0])
    assert main(["lint", str(folder), "--format", "json"]) == 1
    report = capsys.readouterr().out
    baseline = tmp_path / "known.json"
    baseline.write_text(report, encoding="utf-8")
    assert main(["lint", str(folder), "--baseline", str(baseline)]) == 0
    assert "no findings, 3 ignored" in capsys.readouterr().out
    (folder / "valves.md").write_text("# Valves\n\nLonger.\n\n" + (folder / "valves.md").read_text() + "\nAlso.[^3]\n")
    new = lint(folder, baseline=baseline)
    assert [(one.kind, one.target) for one in new.findings] == [("footnote", "[^3]")]
    with pytest.raises(SettingsError, match="is not the report of a check"):
        lint(folder, baseline=folder / "valves.md")
    (folder / "headnote.toml").write_text(
        '[[links.ignore]]\nkind = "orphan"\npath = "alone.md"\nreason = "a draft"\n'
        '[[links.ignore]]\nkind = "stub"\npath = "*"\nreason = "none"\n'
    )
    assert "orphan" not in {one.kind for one in lint(folder).findings}
    assert [one.target for one in lint(folder, only=["unused-ignore"]).findings] == ["*"]
    assert headnote.check_links(folder, only=["unused-ignore"]).findings == [], "it is about pages, not links"


def test_formats_and_totals(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {
        f"n{number}.md": f"# N\n\nSee [gone](/gone.md) for what is said in number {number}.\n" for number in range(3)
    }
    folder = make(wanted | {"mkdocs.yml": "site_name: N\ndocs_dir: .\n"})
    assert main(["lint", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == ["most often:", "     3  page  /gone.md"]
    assert main(["lint", str(folder), "--format", "sarif"]) == 1
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(KINDS)
    assert main(["lint", str(folder), "--only", "orphn"]) == 2


@pytest.mark.parametrize(
    "settings",
    ["[schema]\nrequired = 1\n", '[[schema]]\nrequired = ["a"]\ntypes = { a = "day" }\n', "[[schema]]\nneeded = []\n"],
)
def test_a_wrong_schema_names_its_line(make: Make, settings: str) -> None:
    with pytest.raises(SettingsError) as error:
        lint(make(SOUND | {"headnote.toml": settings}))
    assert error.value.path


@pytest.mark.parametrize("name", ["foam", "vite-docs", "mkdocs-material-docs", "fastapi-en"])
def test_real_folders_have_few_findings_besides_links(name: str, shared: Path) -> None:
    folder = shared / "corpora" / name
    kinds = [kind for kind in KINDS if kind not in LINK_KINDS and kind not in ("orphan", "wanted")]
    report = lint(folder, only=kinds)
    assert len(report.findings) <= 5, report.findings

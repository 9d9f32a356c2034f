"""What a check of links leaves open in copies of texts and in unpacked packages: parts that are not there, and nothing
that nearby pages tell."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from effort import counted_steps

import headnote
from headnote.links.checking.link_report import LinkReport

NPM = '{"name": "pump", "version": "1.0.0"}'


def checked(folder: Path, files: Mapping[str, str]) -> LinkReport:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return headnote.check_links(folder)


def links_to(*targets: str) -> str:
    return " ".join(f"[x]({target})" for target in targets) + "\n"


def lost(report: LinkReport) -> list[str]:
    return [finding.target for finding in report.findings]


# -- unpacked packages


@pytest.mark.parametrize(
    ("mark", "text"), [("package.json", NPM), ("PKG-INFO", "Name: pump"), (".cargo_vcs_info.json", "{}")]
)
def test_a_package_leaves_out_whole_folders_pages_at_its_top_and_files(mark: str, text: str, tmp_path: Path) -> None:
    readme = links_to("docs/use.md", "/docs/api.md", "i18n/README.de.md", "README.fr.md", "UPGRADE.md", "examples/run/")
    report = checked(tmp_path, {mark: text, "README.md": readme + "![logo](logo.svg) ![demo](img/demo.png)\n"})
    assert lost(report) == []
    assert report.unjudged == 8


@pytest.mark.parametrize(
    ("target", "files"),
    [
        pytest.param("guide/start.md", ["guide/begin.md"], id="a page of a folder that is here"),
        pytest.param("start.md", ["guide/start.md"], id="a page that is elsewhere"),
        pytest.param("docs/old/start.md", ["docs/new/start.md"], id="a page that was moved in a folder that is here"),
        pytest.param("instalation.md", ["installation.md"], id="a misspelt page at the top"),
        pytest.param("img/demo.png", ["img/demos.png"], id="a misspelt picture"),
        pytest.param("#gone", [], id="an anchor"),
        pytest.param("@https://forum.example/ana", [], id="an address with something in front"),
        pytest.param("github.com/ana/pump", [], id="an address without its scheme"),
    ],
)
def test_what_is_broken_in_a_package_too(target: str, files: list[str], tmp_path: Path) -> None:
    image = "!" if target.endswith(".png") else ""
    report = checked(
        tmp_path, {"package.json": NPM, "README.md": f"{image}[x]({target})\n", **dict.fromkeys(files, "# Text\n")}
    )
    assert lost(report) == [target]


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": '{"name": "pump", "version": "1.0.0", "private": true}'},
        {"package.json": '{"name": "pump"}'},
        {"package.json": "not json"},
        {"package.json": NPM, "package-lock.json": "{}"},
        {"package.json": NPM, ".gitignore": ""},
        {"pyproject.toml": ""},
        {"yarn.lock": "", "docs/package.json": NPM},
    ],
)
def test_a_project_is_no_package(files: dict[str, str], tmp_path: Path) -> None:
    report = checked(tmp_path, {**files, "docs/a.md": links_to("b.md", "more/c.md")})
    assert lost(report) == ["b.md", "more/c.md"]


def test_a_folder_that_was_left_out_and_another_of_its_name(tmp_path: Path) -> None:
    links = links_to("./docs/", "docs/README.md", "tools/README.md")
    report = checked(tmp_path, {"package.json": NPM, "README.md": links, "engine/docs/README.md": ""})
    assert (lost(report), report.unjudged) == ([], 3)


def test_addresses_in_a_package_where_none_leads_to_a_page(tmp_path: Path) -> None:
    files = {"package.json": NPM, "docs/05-pump.md": links_to("/docs/core", "/docs/core/x.md")}
    report = checked(tmp_path, files)
    assert (lost(report), report.unjudged) == ([], 2)
    assert lost(checked(tmp_path, {"docs/valve.md": links_to("/docs/pump", "/docs/core")})) == ["/docs/core"] * 2


def test_packages_side_by_side(tmp_path: Path) -> None:
    readme = links_to("docs/use.md", "../other/README.md")
    report = checked(tmp_path, {"pump/package.json": NPM, "pump/README.md": readme, "notes/a.md": links_to("b/c.md")})
    assert lost(report) == ["b/c.md"]


def test_a_package_in_a_repository_is_whole(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    report = checked(tmp_path, {"PKG-INFO": "Name: pump", "README.md": links_to("docs/use.md", "UPGRADE.md")})
    assert lost(report) == ["docs/use.md", "UPGRADE.md"]


# -- copies of texts

MANY = {f"docs/page{number}.md": "# Page\n" for number in range(12)}


def test_nothing_but_texts_was_copied(tmp_path: Path) -> None:
    files = {**MANY, "docs/a.md": "![x](img/one.png) [licence](LICENSE.txt)\n"}
    report = checked(tmp_path, files)
    assert (lost(report), report.unjudged) == ([], 2)
    assert lost(checked(tmp_path, {"docs/other.css": ""})) == ["img/one.png", "LICENSE.txt"]


def test_a_hidden_folder_that_is_not_here(tmp_path: Path) -> None:
    report = checked(tmp_path, {"README.md": "![x](.github/logo.png) [c](.github/rules.md)\n", "x.png": ""})
    assert (lost(report), report.unjudged) == ([], 2)
    assert lost(checked(tmp_path, {".github/other.md": ""})) == [".github/logo.png", ".github/rules.md"]


def test_a_file_of_the_project_from_any_folder(tmp_path: Path) -> None:
    report = checked(tmp_path, {"docs/dev/a.md": links_to("../../CONTRIBUTING.md", "CONTRIBUTING.md")})
    assert (lost(report), report.unjudged) == (["CONTRIBUTING.md"], 1)


def test_files_in_a_folder_that_the_build_makes(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        {"a.md": links_to("api/pump/index.md"), "b.md": links_to("api/pump/index.md", "api/valve.md"), "c.md": ""},
    )
    assert (lost(report), report.unjudged) == ([], 3)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"c.md": "", "api/c.md": ""}, id="the folder is here"),
        pytest.param({"pump.md": "", "valve.md": ""}, id="pages of these names are elsewhere"),
        pytest.param({"c.md": "[[pump]]", "pump.md": ""}, id="notes that link by name"),
    ],
)
def test_files_in_a_folder_that_nobody_makes(files: dict[str, str], tmp_path: Path) -> None:
    links = {"a.md": links_to("api/pump.md"), "b.md": links_to("api/pump.md", "api/valve.md")}
    assert lost(checked(tmp_path, {**links, **files})) == ["api/pump.md", "api/pump.md", "api/valve.md"]


def test_lint_still_tells_which_notes_are_wanted(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text("[[people/Ana]] and [Ben](people/ben.md) and [Cat](people/cat.md)\n")
    assert [finding.kind for finding in headnote.lint(tmp_path, only=["wanted"]).findings] == ["wanted"] * 3


@pytest.mark.parametrize(("places", "broken"), [(5, 0), (4, 4)])
def test_a_page_of_many_places_though_another_has_its_name(places: int, broken: int, tmp_path: Path) -> None:
    links = links_to(*(f"reference/cli.md#run-{place}" for place in range(places)))
    report = checked(tmp_path, {"a.md": links, "reference/index.md": "", "auth/cli.md": ""})
    assert len(lost(report)) == broken


@pytest.mark.parametrize(("old", "broken"), [(10, 0), (9, 9)])
def test_addresses_that_only_redirects_know(old: int, broken: int, tmp_path: Path) -> None:
    topics = ["pump", "valve", "gauge", "sieve", "anchor", "bridge", "lantern", "winch", "harbour", "whistle"]
    pages = {f"docs/{number}.md": "" for number in range(12)}
    links = links_to(*(f"/docs/{number}/" for number in range(12)), *(f"/docs/{topic}/" for topic in topics[:old]))
    assert len(lost(checked(tmp_path, {**pages, "docs/a.md": links}))) == broken


def test_a_misspelt_address_among_old_ones(tmp_path: Path) -> None:
    topics = ["pump", "valve", "gauge", "sieve", "anchor", "bridge", "lantern", "winch", "harbour", "whistle"]
    links = links_to(*(f"/docs/{topic}/" for topic in topics), *["/docs/calibration/"] * 2, "/docs/calibratoin/")
    pages = {f"docs/{number}.md": links_to(*(f"/docs/{other}/" for other in range(12))) for number in range(12)}
    report = checked(tmp_path, {**pages, "docs/calibration.md": "", "docs/a.md": links})
    assert lost(report) == ["/docs/calibratoin/"]


@pytest.mark.parametrize(("known", "broken"), [(3, []), (2, ["/playground"])])
def test_addresses_beside_the_only_folder_of_a_site(known: int, broken: list[str], tmp_path: Path) -> None:
    pages = [f"/docs/{name}" for name in ("one", "two", "three")][:known]
    files = {**{f"{page[1:]}.md": "" for page in pages}, "docs/a.md": links_to(*pages, "/playground")}
    assert lost(checked(tmp_path, files)) == broken
    assert lost(checked(tmp_path, {"docs/a.md": links_to(*pages, "/dosc/none")})) == ["/dosc/none"]


@pytest.mark.parametrize("target", ["your-docs-url", "Provider-url", "some-link"])
def test_words_that_stand_for_a_target(target: str, tmp_path: Path) -> None:
    assert checked(tmp_path, {"a.md": links_to(target)}).unjudged == 1
    assert lost(checked(tmp_path, {"a.md": links_to(f"{target}s")})) == [f"{target}s"]


def test_what_a_translation_lacks_may_be_shown_in_the_first_language(tmp_path: Path) -> None:
    links = links_to("api/pump.md", "../img/x.png", "gone.md")
    files = {"docs/en-top.md": "", "docs/help/a.md": "", "docs/help/api/pump.md": "", "docs/img/x.png": ""}
    report = checked(tmp_path, {"mkdocs.yml": "", **files, "docs/ja/help/a.md": links, "docs/ja/help/b.md": links})
    assert [(finding.path, finding.target) for finding in report.findings] == [
        ("docs/ja/help/a.md", "gone.md"),
        *(("docs/ja/help/b.md", target) for target in ("api/pump.md", "../img/x.png", "gone.md")),
    ]


def test_a_copy_without_a_configuration_shows_what_is_not_translated(tmp_path: Path) -> None:
    files = {"guide.md": "", "ref/pump.md": "", "ja/guide.md": links_to("ref/pump.md", "ref/gone.md")}
    assert lost(checked(tmp_path, files)) == ["ref/gone.md"]


def test_a_label_of_another_page_where_no_configuration_is(tmp_path: Path) -> None:
    files = {"a.md": "(far-away)=\n# Far\n", "b.md": "# B\n\n" + links_to("#far-away", "far-away", "#b", "#none")}
    assert lost(checked(tmp_path, files)) == ["#none"]


# -- anchors


def test_a_plain_text_has_no_ids(tmp_path: Path) -> None:
    twice = "<a id='x'></a>\n\n<a id='x'></a>\n"
    assert [finding.path for finding in checked(tmp_path, {"a.txt": twice, "b.md": twice}).findings] == ["b.md"]


@pytest.mark.parametrize(
    ("text", "there", "gone"),
    [
        (
            "## Help [![a](https://x.example/a)](https://x.example/b?q=%22c%22) ![d](e.svg)",
            ["help--", "help"],
            "help-a",
        ),
        ("<p>x</p>\n<h3 align='x'>Who <b>pays</b> &amp; why</h3>", ["who-pays--why"], "pays"),
        ("Words^+^{#\\_fn_1} [text](x)", ["_fn_1"], "fn_1"),
        ("<!-- md:option toc.depth -->", ["+toc.depth", "toc.depth"], "md:option"),
    ],
)
def test_headings_that_are_written_otherwise(text: str, there: list[str], gone: str, tmp_path: Path) -> None:
    report = checked(
        tmp_path, {"a.md": f"{text}\n\n{links_to(*(f'#{one}' for one in [*there, gone]))}", "e.svg": "", "x": ""}
    )
    assert lost(report) == [f"#{gone}"]


def test_checking_a_package_grows_with_its_pages(tmp_path: Path) -> None:
    def check(count: int) -> Callable[[], object]:
        files = {"package.json": NPM, "docs/other.txt": ""}
        for number in range(count):
            files[f"item{number}.md"] = links_to(f"gone{number}.md", f"docs/lost{number}.md")
            files[f"docs/parts/item{number}.md"] = "Text.\n"
        checked(tmp_path / str(count), files)
        return lambda: headnote.check_links(tmp_path / str(count), workers=1)

    check(3)()  # what is loaded once
    assert counted_steps(check(240)) < 2.5 * counted_steps(check(120))

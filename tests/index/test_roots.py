"""An index of several roots: read, updated and linked as one tree, on every store."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

import headnote
from headnote.api import trust_folder
from headnote.errors import SettingsError
from headnote.store.rows import LinkRow

pytest_plugins = ("store_fixtures",)

FILES = {
    "payments/docs/index.md": "# Payments\n\nHow money moves. See [refunds](runbooks/refund.md).\n",
    "payments/docs/runbooks/refund.md": (
        "# Refund\n\nSee [[Ideas]], [ideas](../../../notes/Ideas.md#second), ![p](../../../notes/pic.png), "
        "[top](/index.md), [out](../../secret.md) and [[Only here]].\n"
    ),
    "payments/docs/Only here.md": "# Only here\n\nOne of two.\n",
    "payments/secret.md": "# Secret\n\nIn no root.\n",
    "notes/Ideas.md": (
        "# Ideas\n\nOf [[refund]], [[payments/runbooks/refund]], [[Only here]], [p](/payments/index.md).\n\n"
        "## Second\n\nMore.\n"
    ),
    "notes/deep/Only here.md": "# Only here\n\nTwo of two.\n",
    "notes/pic.png": "picture",
}
ROOTS = '[roots.payments]\npath = "../payments/docs"\n\n[roots.notes]\npath = "../notes"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("HEADNOTE_") and name != "HEADNOTE_STORE":
            monkeypatch.delenv(name)
    for path, text in FILES.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return settings(tmp_path / "home", ROOTS)


def settings(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "headnote.toml").write_text(text, encoding="utf-8")
    trust_folder(home)
    return home


def opened(home: Path, embedder: str = "none") -> headnote.Index:
    return headnote.Index.open(home, embedder=embedder)


def links(index: headnote.Index) -> dict[tuple[str, str], str | None]:
    return {(link.path, link.target): link.resolved for path in index.documents() for link in index.links(path)}


@pytest.mark.usefixtures("everywhere")
def test_documents_links_and_pictures_of_two_roots(home: Path) -> None:
    with opened(home) as index:
        report = index.update()
        assert (
            report.plan.added
            == index.documents()
            == [
                "notes/Ideas.md",
                "notes/deep/Only here.md",
                "payments/Only here.md",
                "payments/index.md",
                "payments/runbooks/refund.md",
            ]
        )
        assert links(index) == {
            ("notes/Ideas.md", "refund"): "payments/runbooks/refund.md",
            ("notes/Ideas.md", "payments/runbooks/refund"): "payments/runbooks/refund.md",
            ("notes/Ideas.md", "Only here"): "notes/deep/Only here.md",
            ("notes/Ideas.md", "/payments/index.md"): "payments/index.md",
            ("payments/index.md", "runbooks/refund.md"): "payments/runbooks/refund.md",
            ("payments/runbooks/refund.md", "Ideas"): "notes/Ideas.md",
            ("payments/runbooks/refund.md", "../../../notes/Ideas.md"): "notes/Ideas.md",
            ("payments/runbooks/refund.md", "../../../notes/pic.png"): "notes/pic.png",
            ("payments/runbooks/refund.md", "/index.md"): "payments/index.md",
            ("payments/runbooks/refund.md", "../../secret.md"): None,
            ("payments/runbooks/refund.md", "Only here"): "payments/Only here.md",
        }
        (section,) = [link.section for link in index.backlinks("notes/Ideas.md") if link.fragment]
        assert section == "second"
        assert index.broken_links() == []  # nobody can tell from here what lies in no root
        checked = headnote.check_links(home)
        assert (checked.findings, checked.unjudged) == ([], 1)
        assert index.attachment("notes/pic.png") == b"picture"
        assert index.file("notes/Ideas.md").read_text(encoding="utf-8") == FILES["notes/Ideas.md"]
        assert index.read(str(home.parent / "notes/Ideas.md"), 1, 1).path == "notes/Ideas.md"
        assert index.update().plan.is_empty
        assert index.drift().is_empty


@pytest.mark.usefixtures("everywhere")
def test_a_search_in_one_root(home: Path) -> None:
    with opened(home) as index:
        index.update()

        def found(**options: object) -> list[tuple[str, str]]:
            hits = index.search("refund ideas only", mode="keyword", min_score=0, **options)  # type: ignore[arg-type]
            return sorted((hit.root, hit.path) for hit in hits)

        everywhere = found()
        assert {root for root, _ in everywhere} == {"notes", "payments"}
        assert all(path.startswith(f"{root}/") for root, path in everywhere)
        assert found(roots="notes") == [one for one in everywhere if one[0] == "notes"]
        assert found(roots=["notes", "payments"]) == everywhere
        inside = [("notes", "notes/deep/Only here.md")]
        for glob in ("deep/**", "notes/deep/**", "deep", "*here.md"):
            assert found(roots="notes", path=glob) == inside
        assert found(roots="payments", path="deep/**") == []
        with pytest.raises(SettingsError, match=r"no root 'note'.*did you mean notes"):
            found(roots="note")
        page = index.search_page("refund ideas only", mode="keyword", min_score=0, roots="notes")
        assert [(hit.root, hit.path) for hit in page.hits if hit.root != "notes"] == []
        assert {
            facet.value for facet in index.search_page("refund", mode="keyword").facets if facet.kind == "folder"
        } == {
            "notes/",
            "payments/",
        }


@pytest.mark.usefixtures("everywhere")
def test_what_a_root_that_is_away_has_stays(home: Path) -> None:
    with opened(home) as index:
        index.update()
        before = (index.documents(), links(index), index.broken_links())
        notes, away = home.parent / "notes", home.parent / "away"
        for is_empty in (False, True):
            notes.rename(away)
            if is_empty:  # the folder of a disk that is not mounted
                notes.mkdir()
            (home.parent / "payments/docs/index.md").write_text(f"# Payments\n\n{is_empty}\n", encoding="utf-8")
            report = index.update(rebuild=is_empty)
            assert [one.path for one in report.absent] == ["notes"]
            assert (report.plan.changed, report.plan.removed) == (
                ["payments/index.md"] if not is_empty else report.plan.changed,
                [],
            )
            assert index.documents() == before[0]
            assert [one.path for one in index.drift().absent] == ["notes"]
            assert not index.drift().gone
            assert index.search("Second", mode="keyword", min_score=0)[0].path == "notes/Ideas.md"
            if is_empty:
                notes.rmdir()
            away.rename(notes)
        (home.parent / "notes/Ideas.md").unlink()
        assert index.update().plan.removed == ["notes/Ideas.md"]


@pytest.mark.usefixtures("everywhere")
def test_roots_come_go_move_and_change_their_settings(home: Path) -> None:
    with opened(home) as index:
        index.update()
        documents = index.documents()
    settings(
        home, ROOTS.replace("\n\n", "\nmax_tokens = 60\nmin_tokens = 1\ntarget_tokens = 50\noverlap_tokens = 0\n\n")
    )
    with opened(home) as index:
        assert index.settings.max_tokens != 60
        report = index.update()
        assert {path.partition("/")[0] for path in report.plan.changed} == {"payments"}
        assert not report.rebuilt
        assert index.update().plan.is_empty
    (home.parent / "notes").rename(home.parent / "moved")
    settings(home, ROOTS.replace("../notes", "../moved"))
    with opened(home) as index:
        report = index.update()
        (line,) = report.moved
        assert line.startswith("notes is read from ")
        assert "moved; it was in " in line
        assert index.documents() == documents
        # The link is a path on this machine, where nothing is any more.
        assert links(index)["payments/runbooks/refund.md", "../../../notes/Ideas.md"] is None
    settings(home, ROOTS.partition("\n\n")[0])
    with opened(home) as index:
        assert index.update().plan.removed == ["notes/Ideas.md", "notes/deep/Only here.md"]
        assert links(index)["payments/runbooks/refund.md", "Ideas"] is None
    settings(home, "")
    (home / "own.md").write_text("# Own\n", encoding="utf-8")
    with opened(home) as index:
        index.update()
        assert index.documents() == ["own.md"]


def test_a_root_with_settings_of_its_own_away_while_they_change(home: Path) -> None:
    """It is read again when it is back, and not before."""
    with opened(home) as index:
        index.update()
    notes, away = home.parent / "notes", home.parent / "away"
    notes.rename(away)
    settings(home, ROOTS + "heading_depth = 2\n")
    with opened(home) as index:
        assert index.update().plan.is_empty
        away.rename(notes)
        assert index.update().plan.changed == ["notes/Ideas.md", "notes/deep/Only here.md"]
        assert index.update().plan.is_empty


def test_a_file_that_moves_between_roots_keeps_its_chunks_only_if_they_are_cut_alike(home: Path) -> None:
    with opened(home) as index:
        index.update()
        shutil.move(home.parent / "notes/Ideas.md", home.parent / "payments/docs/Ideas.md")
        assert index.update().plan.renamed == [("notes/Ideas.md", "payments/Ideas.md")]
    settings(home, ROOTS + "heading_depth = 2\n")
    with opened(home) as index:
        index.update()
        shutil.move(home.parent / "payments/docs/Ideas.md", home.parent / "notes/Ideas.md")
        assert index.update().plan.added == ["notes/Ideas.md"]


def test_a_change_in_any_root_is_seen(home: Path) -> None:
    pytest.importorskip("watchfiles")
    stop, seen = threading.Event(), []
    with opened(home) as index:
        updates = index.watch(stop, debounce_ms=20)
        next(updates)
        for path in ("notes/new.md", "payments/docs/runbooks/new.md"):
            (home.parent / path).write_text("# New\n", encoding="utf-8")
            seen += next(updates).plan.added
        stop.set()
    assert seen == ["notes/new.md", "payments/runbooks/new.md"]


def test_an_index_of_roots_is_the_index_of_one_folder_with_them(home: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(home.parent / "notes", whole / "notes")
    shutil.copytree(home.parent / "payments/docs", whole / "payments")
    with opened(home, "instant") as several, opened(whole, "instant") as one:
        several.update()
        one.update()
        for query in ("how does money move", "refund", "ideas", "only here"):
            hits, same = (index.search(query, mode="semantic", min_score=0) for index in (several, one))
            assert [(hit.key, hit.text, hit.score) for hit in hits] == [(hit.key, hit.text, hit.score) for hit in same]


def single(links: list[LinkRow], prefix: str) -> dict[tuple[str, int, str, str], tuple[str | None, str | None]]:
    return {
        (prefix + link.path, link.line, link.target, link.fragment): (
            prefix + link.resolved if link.resolved is not None else None,
            link.section,
        )
        for link in links
        if not link.external
    }


@pytest.mark.parametrize("corpora", [("vite-docs", "foam"), ("mkdocs-material-docs", "rust-book")])
def test_links_inside_a_root_lead_where_they_lead_alone(shared: Path, tmp_path: Path, corpora: tuple[str, str]) -> None:
    """Whatever generator made the other root. Only what leads nowhere alone may lead into another root."""
    table: list[str] = []
    alone: dict[tuple[str, int, str, str], tuple[str | None, str | None]] = {}
    documents: set[str] = set()
    for name in corpora:
        shutil.copytree(shared / "corpora" / name, tmp_path / name)
        table.append(f'[roots.{name}]\npath = "../{name}"\n')
        with opened(tmp_path / name) as index:
            index.update()
            documents |= {f"{name}/{path}" for path in index.documents()}
            alone |= single([link for path in index.documents() for link in index.links(path)], f"{name}/")
    with opened(settings(tmp_path / "home", "".join(table))) as index:
        index.update()
        together = single([link for path in index.documents() for link in index.links(path)], "")
    assert together.keys() == alone.keys()
    differing = {key for key in alone if alone[key] != together[key]}
    assert {alone[key][0] for key in differing}.isdisjoint(documents)
    assert len(alone) > 500


def test_links_between_real_corpora(shared: Path, tmp_path: Path) -> None:
    for name in ("foam", "vite-docs"):
        shutil.copytree(shared / "corpora" / name, tmp_path / name)
    page = "# Bridge\n\n[why](../../vite-docs/docs/guide/why.md) [[getting-started]] [[vite/docs/guide/features]]\n"
    (tmp_path / "foam/docs/bridge.md").write_text(page, encoding="utf-8")
    home = settings(tmp_path / "home", '[roots.foam]\npath = "../foam"\n[roots.vite]\npath = "../vite-docs"\n')
    with opened(home) as index:
        index.update()
        targets = [link.resolved for link in index.links("foam/docs/bridge.md")]
        assert targets[0] == "vite/docs/guide/why.md"
        assert targets[2] == "vite/docs/guide/features.md"
        assert any(link.path == "foam/docs/bridge.md" for link in index.backlinks("vite/docs/guide/why.md"))
        near = index.neighbourhood("vite/docs/guide/why.md")
        assert "foam/docs/bridge.md" in [node.path for node in near.nodes]


BAD: Mapping[str, str] = {
    "roots = 1": r"headnote.toml:1: roots is a table",
    "[roots]": r"\[roots\] is empty",
    "[roots.a]": r"headnote.toml:1: the root a has no path",
    "[roots]\na = 3": r"headnote.toml:2: 3 is not a root",
    '[roots.a]\npath = ""': r"headnote.toml:2: '' is not a folder",
    "[roots.a]\npath = 3": r"headnote.toml:2: 3 is not a folder",
    '[roots.a]\npath = "x"\nincude = ["*"]': r"headnote.toml:3: unknown setting 'incude' .did you mean include",
    '[roots.a]\npath = "x"\nmax_tokens = -1': r"headnote.toml:3: .*max_tokens",
    '[roots.a]\npath = "x"\npreset = "blcks"': r"blcks.*did you mean blocks",
    '[roots.a]\npath = "x"\nexclude = 3': r"headnote.toml:3: 3 is not a list of globs",
    '[roots."a/b"]\npath = "x"': r"headnote.toml:1: 'a/b' is not the name of a root",
    '[roots.a]\npath = "x"\n[roots.b]\npath = "./x"': r"the roots a and b are the same folder",
    '[roots.a]\npath = "x"\n[roots.A]\npath = "y"': r"the roots A and a have the same name",
    '[roots.a]\npath = "~nobody-here/x"': r"has no such user",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_table_is_one_clear_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=BAD[text]):
        opened(settings(tmp_path / "home", text + "\n"))


def test_a_root_may_contain_the_home_and_the_home_may_be_one(home: Path) -> None:
    (home / "own.md").write_text("# Own\n", encoding="utf-8")
    settings(home, '[roots.all]\npath = ".."\n[roots.own]\npath = "."\n')
    with opened(home) as index:
        index.update()
        assert "own/own.md" in index.documents()
        assert not [path for path in index.documents() if "home/" in path]
        assert "all/notes/Ideas.md" in index.documents()
    with opened(home.parent / "notes") as index:  # a folder without a table of its own is as ever
        index.update()
        assert index.documents() == ["Ideas.md", "deep/Only here.md"]

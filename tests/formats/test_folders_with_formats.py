"""A folder with documents in several formats is one index, on every surface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headnote
from headnote.cli.main import main
from headnote.errors import SettingsError

pytest.importorskip("docutils", reason="docutils is not installed")
pytest.importorskip("apsw", reason="the extra search is not installed")

PAGE = "<html><body><nav>Menu</nav>\n<h1>Buoys</h1>\n<p>The lantern of a buoy is <b>green</b>.</p></body></html>\n"
RST = """\
Moorings
========

Chain
-----

The chain is of galvanised steel. See :doc:`guide` and `buoys <buoys.html>`_.
"""
GUIDE = "# Guide\n\nStart with [moorings](moorings.rst) and [the survey](survey.ipynb).\n"
CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Survey\n", "\n", "Soundings of the outer harbour."]},
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["sound(harbour)\n", "plot(depths)"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "moorings.rst").write_text(RST, encoding="utf-8")
    (tmp_path / "buoys.html").write_text(PAGE, encoding="utf-8")
    notebook = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (tmp_path / "survey.ipynb").write_text(notebook, encoding="utf-8")
    return tmp_path


def opened(folder: Path, *formats: str) -> headnote.Index:
    return headnote.Index.open(folder, formats=formats, embedder="instant")


def test_each_hit_names_the_line_of_its_file(folder: Path) -> None:
    with opened(folder, "rst", "html", "notebook") as index:
        index.update()
        for query, path in (("galvanised chain", "moorings.rst"), ("lantern green", "buoys.html")):
            hit = index.search(query)[0]
            assert hit.path == path
            lines = (folder / path).read_text(encoding="utf-8").split("\n")
            assert query.split()[-1] in "\n".join(lines[hit.start_line - 1 : hit.end_line])
        hit = index.search("plot depths")[0]
        lines = (folder / "survey.ipynb").read_text(encoding="utf-8").split("\n")
        assert hit.path == "survey.ipynb"
        assert "plot(depths)" in "\n".join(lines[hit.start_line - 1 : hit.end_line])
        assert hit.breadcrumb == "Survey"
        assert not index.broken_links()
        assert {row.path for row in index.backlinks("buoys.html")} == {"moorings.rst"}


def test_other_formats_are_read_only_if_one_asks(folder: Path) -> None:
    with opened(folder) as index:
        index.update()
        assert index.documents() == ["guide.md"]
    with opened(folder, "rst") as index:
        index.update()
        assert index.documents() == ["guide.md", "moorings.rst"]
    with headnote.Index.open(folder) as index:
        assert index.index_settings.formats == ("rst",), "the index remembers"


def test_the_file_of_settings_may_ask(folder: Path) -> None:
    (folder / "headnote.toml").write_text('[index]\nformats = ["html", "rst"]\n', encoding="utf-8")
    with headnote.Index.open(folder, embedder="instant") as index:
        index.update()
        assert index.documents() == ["buoys.html", "guide.md", "moorings.rst"]
    with pytest.raises(SettingsError, match="AsciiDoc is not read"):
        headnote.Index.open(folder, formats=["adoc"])


def test_a_damaged_notebook_is_skipped_and_named(folder: Path) -> None:
    (folder / "survey.ipynb").write_text('{"cells": [', encoding="utf-8")
    with opened(folder, "notebook") as index:
        report = index.update()
        assert [(one.path, "JSON is damaged" in one.reason) for one in report.skipped] == [("survey.ipynb", True)]
        assert index.documents() == ["guide.md"]


def test_a_folder_without_markdown_says_how_to_read_what_is_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "guide.md").unlink()
    assert main(["search", "chain", str(folder)]) == 1
    assert "to read them: headnote index --formats html,notebook,rst" in capsys.readouterr().err
    assert main(["index", str(folder), "--formats", "html,notebook,rst", "--no-deep"]) == 0
    assert main(["search", "galvanised", str(folder)]) == 0
    assert "moorings.rst:7" in capsys.readouterr().out

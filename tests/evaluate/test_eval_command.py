"""`headnote eval` on the handbook, with questions about it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headnote.cli.main import main
from headnote.embedding.embedder import HashingEmbedder
from headnote.extra.evaluate.measuring import measure

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

QUESTIONS = 14
WORDS = ["--mode", "keyword"]


@pytest.fixture
def folder(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    handbook = tmp_path / "handbook"
    shutil.copytree(repository / "examples" / "handbook", handbook, ignore=shutil.ignore_patterns(".headnote"))
    shutil.copy(repository / "examples" / "questions.jsonl", tmp_path)
    (tmp_path / "handbook" / "headnote.toml").write_text('[index]\nembedder = "hashing:64"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluated(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, dict[str, float]]:
    """Way → metric → mean."""
    assert main(["eval", "questions.jsonl", "handbook", "--json", *flags]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["questions"] == QUESTIONS
    return {way["name"]: {name: interval["mean"] for name, interval in way["metrics"].items()} for way in data["ways"]}


@pytest.mark.usefixtures("folder")
def test_all_modes_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "questions.jsonl", "handbook", "-k", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["hit@5", "MRR", "nDCG"]
    assert [line.split()[0] for line in lines[1:4]] == ["hybrid", "semantic", "keyword"]
    assert f"{QUESTIONS} questions" in lines[5]


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
def test_questions_that_failed_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["eval", "questions.jsonl", "handbook", "-k", "1", *WORDS]
    assert main([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    [way] = record["ways"]
    failed = record["failures"]
    assert len(failed) == round(QUESTIONS * (1 - way["metrics"]["hit"]["mean"])) > 1
    for failure in failed:
        [outcome] = failure["ways"]
        assert outcome["rank"] is None or outcome["rank"] > 1
        assert outcome["first"] is None or (Path("handbook") / outcome["first"]["path"]).is_file()
    assert main([*arguments, "--failures", "1"]) == 0
    output = capsys.readouterr().out
    assert f"{len(failed)} of {QUESTIONS} questions failed" in output
    assert [failure["question"] in output for failure in failed] == [True] + [False] * (len(failed) - 1)
    assert main([*arguments, "--failures", "all"]) == 0
    output = capsys.readouterr().out
    assert all(failure["question"] in output for failure in failed)


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
        (["questions.jsonl", "handbook", "--failures", "few"], "--failures: 'few' is not a number of questions"),
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


@pytest.mark.usefixtures("folder")
def test_embedders_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    ways = evaluated(capsys, "--embedder", "hashing:64", "--embedder", "hashing:256")
    assert list(ways) == [
        "hashing:64 hybrid",
        "hashing:64 semantic",
        "hashing:256 hybrid",
        "hashing:256 semantic",
        "keyword",
    ]
    assert ways["hashing:64 semantic"] != ways["hashing:256 semantic"]


@pytest.mark.usefixtures("folder")
def test_an_embedder_finds_what_an_index_made_with_it_finds(capsys: pytest.CaptureFixture[str]) -> None:
    own = evaluated(capsys)
    assert list(evaluated(capsys, "--embedder", "hashing:64").values()) == list(own.values())


@pytest.mark.usefixtures("folder")
def test_each_preset_with_each_embedder(capsys: pytest.CaptureFixture[str]) -> None:
    choices = ["--preset", "blocks", "--preset", "default", "--embedder", "none", "--embedder", "hashing:64"]
    assert list(evaluated(capsys, *choices)) == [
        f"{preset} {way}"
        for preset in ("blocks", "default")
        for way in ("hashing:64 hybrid", "hashing:64 semantic", "keyword")
    ]


def test_embedders_leave_the_folder_alone_and_reuse_its_vectors(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(capsys)
    file = folder / "handbook" / ".headnote" / "index.db"
    before = file.read_bytes()

    embedded: list[str] = []
    embed = HashingEmbedder.embed

    def counting(self: HashingEmbedder, texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed", counting)
    evaluated(capsys, "--embedder", "hashing:64")
    assert len(embedded) == QUESTIONS
    assert file.read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_a_comparison_says_what_is_embedded_and_how_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headnote.cli.progress_bar.LONG", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["eval", "questions.jsonl", "handbook", "--embedder", "hashing:64", "--mode", "semantic"]) == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert shown.startswith("14 questions for hashing:64; loading models and vectors\n\rhashing:64: looking for files")
    assert re.search(r"hashing:64: embedding .* of \d+ vectors", shown)
    assert re.search(r"hashing:64 semantic: asking .*14 of 14", shown)


@pytest.mark.usefixtures("folder")
def test_a_script_hears_now_and_then_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_QUIET_WITH_FEW", "_MAX_INTERVAL"):
        monkeypatch.setattr(f"headnote.cli.progress_bar.{name}", 0.0)
    arguments = ["--preset", "default", "--preset", "blocks", "--mode", "keyword"]
    assert main(["eval", "questions.jsonl", "handbook", *arguments]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("1 of 2 default: reading") for line in lines)
    assert any(line.startswith("2 of 2 blocks keyword: asking 7 of 14 questions, ") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--preset", "default", "--preset", "blocks"], "1 of 2 measured; the folder and its index are as they were"),
        ([], "0 of 1 measured; what was made is kept"),
    ],
)
def test_an_interruption_leaves_nothing_behind(
    arguments: list[str],
    words: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(name: str, *others: Any) -> Any:
        if name != "default keyword":
            raise KeyboardInterrupt
        return measure(name, *others)

    monkeypatch.setattr("headnote.api.evaluation.measure", interrupted)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert main(["eval", "questions.jsonl", "handbook", *WORDS, *arguments]) == 130
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"interrupted: {words}\n"
    assert list(folder.glob("headnote-eval-*")) == []


@pytest.mark.usefixtures("folder")
def test_a_plot_of_embedders(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, "--embedder", "hashing:64", "--embedder", "hashing:256", "--plot", "plot.svg")
    assert "hashing:256 hybrid" in Path("plot.svg").read_text(encoding="utf-8")

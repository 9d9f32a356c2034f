"""What is said about folders: it comes with hits, counts a little, and changes nothing where nothing is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import Index
from headnote.config import context_path, read_contexts
from headnote.errors import SettingsError
from headnote.search.ranking import MAX_BONUS, Contexts

PATHS = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(st.one_of(st.just(""), PATHS), st.sampled_from(["one.", "two.", "three."]), max_size=5), PATHS)
def test_all_that_is_said_about_a_path_from_the_outermost_inwards(sentences: dict[str, str], path: str) -> None:
    parts = path.split("/")
    around = ["", *("/".join(parts[:end]) for end in range(1, len(parts) + 1))]
    expected = " ".join(sentences[place] for place in around if place in sentences)
    assert Contexts(sentences).about(path) == expected
    assert set(Contexts(sentences).unused([path])) == sentences.keys() - set(around)


def write(folder: Path, pages: dict[str, str]) -> Path:
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    page = "# Refund\n\nOpen the ledger and press reverse, version {}.\n"
    return write(tmp_path / "docs", {"new/refund.md": page.format("b"), "old/refund.md": page.format("a")})


def said(folder: Path, text: str) -> None:
    (folder / "headnote.toml").write_text(f"[context]\n{text}\n", encoding="utf-8")


def found(index: Index, query: str, mode: str = "hybrid") -> list[tuple[str, float, str]]:
    hits = index.search(query, mode=mode, min_score=0)  # type: ignore[arg-type]
    page = index.search_page(query, mode=mode, min_score=0).hits  # type: ignore[arg-type]
    assert [(hit.key, hit.score, hit.about) for hit in hits] == [(hit.key, hit.score, hit.about) for hit in page]
    return [(hit.path, hit.score, hit.about) for hit in hits]


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_sentence_comes_with_hits_counts_a_little_and_needs_no_update(folder: Path, mode: str) -> None:
    with Index.open(folder, embedder="instant") as index:
        index.update()
        generation = index.generation
        plain = found(index, "current ledger of refunds", mode)
        assert [about for _, _, about in plain] == ["", ""]
        for folder_of, other in (("new", "old"), ("old", "new")):
            said(folder, f'"." = "All of it."\n"{folder_of}" = "The current ones, of the ledger team."')
            now = found(index, "current ledger of refunds", mode)
            assert now[0][0] == f"{folder_of}/refund.md"
            assert now[0][2] == "All of it. The current ones, of the ledger team."
            assert [about for path, _, about in now if path.startswith(other)] == ["All of it."]
            scores = {path: score for path, score, _ in plain}
            for path, score, _ in now:
                assert scores[path] <= score <= scores[path] * (1 + MAX_BONUS)
            why = index.search("current ledger of refunds", mode=mode, min_score=0)[0].why  # type: ignore[arg-type]
            assert 1 < why.about <= 1 + MAX_BONUS
        said(folder, '"." = "current ledger refunds"')
        assert [one[:2] for one in found(index, "current ledger of refunds", mode)] == [one[:2] for one in plain], (
            "what is said about everything sets nothing apart"
        )
        assert index.generation == generation


def test_a_file_above_the_folder_speaks_of_it(folder: Path) -> None:
    text = '[context]\n"docs" = "The docs."\n"docs/new" = "Current."\n"src" = "Code."\n"." = "A project."\n'
    (folder.parent / "headnote.toml").write_text(text, encoding="utf-8")
    assert read_contexts(folder).sentences == {"": "A project. The docs.", "new": "Current."}
    assert set(read_contexts(folder.parent).sentences) == {"", "docs", "docs/new", "src"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a" = 3', r"headnote.toml:2: 3 is not a sentence"),
        ('"a" = " "', r"headnote.toml:2: the sentence is empty"),
        (f'"a" = "{"x" * 501}"', r"headnote.toml:2: the sentence has 501 characters"),
        ('"../a" = "x"', r"headnote.toml:2: '../a' leads out of the folder"),
        ('"a" = "x"\n"a/" = "y"', r"headnote.toml:3: two sentences about 'a'"),
    ],
)
def test_a_bad_sentence_is_one_clear_error(folder: Path, text: str, message: str) -> None:
    said(folder, text)
    with pytest.raises(SettingsError, match=message):
        Index.open(folder, embedder="none")


def test_a_file_that_is_half_written_leaves_what_was_said(folder: Path) -> None:
    said(folder, '"new" = "Current."')
    with Index.open(folder, embedder="none") as index:
        (folder / "headnote.toml").write_text('[context]\n"new" = ', encoding="utf-8")
        assert index.contexts["new"] == "Current."
        said(folder, '"new" = "Other."')
        assert index.contexts["new"] == "Other."


@pytest.mark.parametrize(
    ("written", "path"), [(".", ""), ("", ""), ("/", ""), ("a/", "a"), ("./a//b", "a/b"), ("a\\b", "a/b")]
)
def test_a_path_as_people_write_it(written: str, path: str) -> None:
    assert context_path(written) == path


def test_with_nothing_said_nothing_changes(repository: Path, tmp_path: Path) -> None:
    """A sentence without a word of the query changes no score either."""
    folder = tmp_path / "handbook"
    shutil.copytree(repository / "examples" / "handbook", folder, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(folder, embedder="instant") as index:
        index.update()
        queries = ("how often do I calibrate", "battery", "waves and wind")
        before = [[(hit.key, hit.score, hit.why) for hit in index.search(query)] for query in queries]
        said(folder, '"." = "Xylophones."\n"recipes" = "Zithers."')
        assert [[(hit.key, hit.score, hit.why) for hit in index.search(query)] for query in queries] == before

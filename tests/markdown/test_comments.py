"""Comments: where they stand, and that they are no text of chunks, searches and answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from effort import counted_steps

from headnote import Index, chunk
from headnote.chunking.masking import condensed, masked, unmasked
from headnote.markdown.document import Document

OPENS = "<!--"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a %%b%% c", ["%%b%%"]),
        ("a <!-- b --> c", ["<!-- b -->"]),
        ("%%\nb\n\n## c\n\n- d\n%%\n\ne", ["%%\nb\n\n## c\n\n- d\n%%"]),
        ("<!--\nb\n\nc\n--> d", ["<!--\nb\n\nc\n-->"]),
        ("- a <!-- b -->\n\n  <!-- c -->\n", ["<!-- b -->", "<!-- c -->"]),
        ("> a\n> %%b%%", ["%%b%%"]),
        ("| a |\n|---|\n| b <!-- c --> |", ["<!-- c -->"]),
        ("[^1]: a %%b%%", ["%%b%%"]),
        ("<div>\n<!-- a --> b <!-- c -->\n</div>", ["<!-- a -->", "<!-- c -->"]),
        ("a <!--> b", ["<!-->"]),
        ("这里%%注释%%文字", ["%%注释%%"]),
        # Code shows them.
        ("`%%a%%` and `<!-- b -->`", []),
        ("```\n<!-- a -->\n%% b %%\n```", []),
        ("    <!-- a -->", []),
        ("<script>\n<!-- a -->\n</script>", []),
        # What nothing closes follows the parser.
        ("<!-- a\n\nb", ["<!-- a\n\nb"]),
        ("a <!-- b\n\nc", []),
        ("%% a\n\nb", []),
        ("a %%b\n\nc%% d", []),
        # No comments of Obsidian.
        ("100%% of 50%%", []),
        ("use %%time and %%bash here", []),
        ("\\%%a%%", []),
        ("{/* a */} b", []),
    ],
)
def test_where_comments_stand(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in Document(text).comments] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{/* a */}\n\nb {/* c */} d", ["{/* a */}", "{/* c */}"]),
        ("<A>\n{/* a */}\n```js\n{/* b */}\n```\n</A>", ["{/* a */}"]),
        ("{a}", []),
        ("`{/* a */}`", []),
    ],
)
def test_comments_of_mdx(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in Document(text, mdx=True).comments] == expected


@pytest.mark.parametrize("sign", ["%%a ", " %%a", "<!--", "a <!-- ", "`%%", "- <!-- a\n", "{/*", "<A>{/*\n```\n"])
def test_work_grows_as_the_text_does(sign: str) -> None:
    def steps(times: int) -> int:
        return counted_steps(lambda: Document(sign * times, mdx="{" in sign).comments)

    steps(1)
    assert steps(800) <= 2.1 * steps(400) + 500


def test_lines_of_comments_go_and_others_stay() -> None:
    text = "a\n\n<!-- b\nc -->\n\n\nd %%e%% f\n"
    hidden = masked(text, Document(text).comments)
    assert len(hidden) == len(text)
    assert condensed(hidden) == "a\n\nd  f\n"
    assert unmasked(hidden) == "a\n\n\n\n\n\nd  f\n"


TRANSLATED = """\
---
title: Pod
---

<!--
A Pod is the smallest deployable unit of computing that you can create in Kubernetes.
-->
Pod 是可以在 Kubernetes 中创建和管理的、最小的可部署的计算单元。

<!-- ## What is a Pod? -->
## 什么是 Pod？ {#what-is-a-pod}

<!--
The shared context of a Pod is a set of Linux namespaces.
-->
Pod 的共享上下文包括一组 Linux 名字空间。%%校对%%
"""


def test_a_translation_is_not_embedded_with_its_original() -> None:
    (one,) = chunk(TRANSLATED)
    assert one.text == TRANSLATED[one.start : one.end]
    assert "smallest deployable" in one.text
    assert "smallest" not in one.embed_text
    assert "校对" not in one.embed_text
    assert "\n\n\n" not in one.embed_text
    assert one.tokens < 100
    (kept,) = chunk(TRANSLATED, comments=True)
    assert "smallest deployable" in kept.embed_text
    assert "校对" in kept.embed_text


def test_presets_of_other_systems_keep_comments() -> None:
    for preset in ("mdvdb", "ragdocs", "refdocs", "blocks"):
        assert "hidden" in chunk("# A\n\n<!-- hidden -->\n\ntext", preset=preset)[0].embed_text


def test_an_overlap_is_as_written_and_embedded_without_comments() -> None:
    text = "".join(f"Sentence {number} of a long text. %%note {number}%%\n\n" for number in range(60))
    chunks = chunk(text, max_tokens=64, overlap_tokens=20)
    assert any("%%note" in one.overlap for one in chunks)
    assert not any("note" in one.embed_text for one in chunks)


def test_a_chunk_of_nothing_but_a_comment_embeds_nothing() -> None:
    (only,) = chunk("---\ntitle: A\n---\n\n<!-- hidden -->\n")
    assert (only.text, only.embed_text, only.tokens) == ("<!-- hidden -->", "", 0)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    (tmp_path / "pod.md").write_text(TRANSLATED, "utf-8")
    (tmp_path / "todo.md").write_text("<!-- A kingfisher and nothing else. -->\n", "utf-8")
    (tmp_path / "code.md").write_text("# Page\n\n```html\n<!-- a heron in code -->\n```\n", "utf-8")
    index = Index.open(tmp_path)
    index.update()
    return index


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_comments_are_not_found(index: Index, mode: str) -> None:
    found = index.search("smallest deployable unit", mode=mode, min_score=0.0)  # type: ignore[arg-type]
    assert not any("deployable" in hit.text or "deployabl" in hit.why.terms for hit in found)
    assert "todo.md" not in {hit.path for hit in index.search("kingfisher", mode=mode, min_score=0.0)}  # type: ignore[arg-type]


def test_comments_are_not_shown(index: Index) -> None:
    hit, *_ = index.search("共享上下文", mode="keyword")
    assert hit.path == "pod.md"
    assert "smallest" not in hit.text
    assert hit.text.split("\n")[0] == ""
    assert hit.text.count("\n") == hit.end_line - hit.start_line
    assert "namespaces" not in index.ask("共享上下文").text
    assert "namespaces" in index.read("pod.md").text
    assert "namespaces" not in index.read("pod.md", comments=False).text


def test_code_with_a_comment_is_found(index: Index) -> None:
    assert [hit.path for hit in index.search("heron", mode="keyword")] == ["code.md"]


def test_a_setting_brings_comments_back(tmp_path: Path) -> None:
    (tmp_path / "headnote.toml").write_text("comments = true\n")
    (tmp_path / "todo.md").write_text("<!-- A kingfisher and nothing else. -->\n", "utf-8")
    index = Index.open(tmp_path)
    index.update()
    (hit,) = index.search("kingfisher", mode="keyword")
    assert hit.text == "<!-- A kingfisher and nothing else. -->"

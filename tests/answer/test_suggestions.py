"""Questions from the headings of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from headnote import Index, SettingsError


def suggestions(folder: Path, pages: dict[str, str], limit: int = 6) -> list[str]:
    for name, text in pages.items():
        (folder / name).write_text(text)
    with Index.open(folder, embedder="hashing") as index:
        index.update()
        return index.suggested_questions(limit)


def page(title: str, *headings: str) -> str:
    return f"# {title}\n\n" + "\n".join(f"## {heading}\n\nSome words about it.\n" for heading in headings)


def test_questions_in_headings_come_first(tmp_path: Path) -> None:
    pages = {
        "a.md": page("Tide gauges", "Overview", "The two-point method"),
        "b.md": page("Answers", "Overview", "Why is the gauge silent?", "How to change the battery"),
        "c.md": page("Paint for masts", "Overview", "What it costs"),
    }
    assert suggestions(tmp_path, pages) == [
        "Why is the gauge silent?",
        "What do the documents say about “Tide gauges”?",
        "What do the documents say about “Paint for masts”?",
        "How do I change the battery?",
        "What do the documents say about “The two-point method”?",
        "What do the documents say about “What it costs”?",
    ]


def test_other_scripts_need_no_blanks(tmp_path: Path) -> None:
    assert suggestions(tmp_path, {"a.md": page("潮位計", "電池を交換する方法は？")})[0] == "電池を交換する方法は？"


def test_a_wrong_number_of_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="limit -1 is too small"):
        suggestions(tmp_path, {}, limit=-1)


def test_huge_documents_are_not_parsed_for_a_heading(tmp_path: Path) -> None:
    pages = {"a.md": page("Tide gauges", "The two-point method"), "b.md": page("Paint for masts", "Why so dear?")}
    pages["b.md"] += "word " * 30_000
    assert suggestions(tmp_path, pages)[0] == "What do the documents say about “Tide gauges”?"


def test_what_a_site_generator_replaces_is_in_no_question(tmp_path: Path) -> None:
    headings = ['{{% heading "whatsnext" %}}', '{{< glossary_tooltip text="Masts" >}} and paint']
    questions = suggestions(tmp_path, {"a.md": page("Tide gauges", *headings)})
    assert not [question for question in questions if "{" in question]
    assert any("“Masts and paint”" in question for question in questions)


def test_an_empty_folder_suggests_nothing(tmp_path: Path) -> None:
    assert suggestions(tmp_path, {}) == []


def test_every_question_finds_its_document(repository: Path, tmp_path: Path) -> None:
    for file in (repository / "examples" / "handbook").rglob("*.md"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with Index.open(tmp_path, embedder="hashing") as index:
        index.update()
        questions = index.suggested_questions()
        assert len(questions) == 6
        assert all(index.search(question, 3) for question in questions)

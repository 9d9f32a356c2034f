"""What a query names is the first hit: every title, alias, file name and heading, in every mode and on every store."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Hit, Index
from headnote.formats.kinds import open_document
from headnote.model import file_name
from headnote.search.query import MODES, Mode
from headnote.words.name_keys import name_key, numbers_named, subject_key

pytest_plugins = ("store_fixtures",)

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SITES = ["foam", "rust-book", "fastapi-en", "react.dev", "astro-en", "kubernetes-ja"]
PAGES_OF_A_SITE = 16

# -- the property


class Names:
    """All names of the documents of an index, each as a query that ignores case, accents and punctuation has it."""

    def __init__(self, index: Index) -> None:
        self.written: set[str] = set()
        self._documents: dict[str, dict[str, set[str]]] = {
            kind: defaultdict(set) for kind in ("title", "alias", "file")
        }
        self._sections: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for summary in index.contents():
            if summary.chunks:
                self._read(index, summary.path)

    def _read(self, index: Index, path: str) -> None:
        row = index.document(path).document
        document = open_document(row.text, path)
        for kind, names in (("title", [row.title]), ("alias", row.aliases), ("file", [file_name(path)])):
            for name in names:
                self._add(name)
                self._documents[kind][plain(name)].add(path)
        for heading in document.headings:
            self._add(heading.text)
            self._sections[plain(heading.text)].append((path, document.blocks[heading.block].start))

    def _add(self, name: str) -> None:
        if plain(name):
            self.written.add(name)

    def belongs_to(self, hit: Hit, name: str) -> bool:
        """Whether a hit has the name, in the best way in which anything has it."""
        for documents in self._documents.values():
            if paths := documents.get(plain(name)):
                return hit.path in paths
        return any(path == hit.path and hit.start <= at < hit.end for path, at in self._sections[plain(name)])


def plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).casefold().replace("'", "").replace("’", "")
    words = re.findall(r"[^\W_]+[+#]*", "".join(letter for letter in letters if not unicodedata.combining(letter)))
    return " ".join(words) or "".join(name.split())


def not_first(index: Index, mode: Mode, names: Names, query: str = "{}") -> list[str]:
    """The names that do not have their document or section first."""
    wrong = []
    for name in sorted(names.written):
        hits = index.search(query.format(name), limit=1, mode=mode)
        if not hits or not names.belongs_to(hits[0], name):
            wrong.append(name)
    return wrong


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("handbook") / "handbook"
    shutil.copytree(HANDBOOK, folder, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(folder, embedder="instant") as index:
        index.update()
        yield index


@pytest.mark.parametrize("query", ["{}", " ¿{}? ", "{}…"])
@pytest.mark.parametrize("mode", MODES)
def test_every_name_of_the_handbook_is_first(handbook: Index, mode: Mode, query: str) -> None:
    names = Names(handbook)
    assert len(names.written) > 40
    assert not_first(handbook, mode, names, query) == []


@pytest.mark.parametrize("name", SITES)
def test_every_name_of_a_site_is_first(shared: Path, tmp_path: Path, name: str) -> None:
    """Of some pages, evenly from the whole site."""
    pages = [file for file in sorted((shared / "corpora" / name).rglob("*.md*")) if file.is_file()]
    for page in pages[:: len(pages) // PAGES_OF_A_SITE + 1]:
        (tmp_path / page.parent.name).mkdir(exist_ok=True)
        shutil.copy2(page, tmp_path / page.parent.name)
    with Index.open(tmp_path, embedder="instant") as index:
        index.update()
        names = Names(index)
        for mode in MODES:
            assert not_first(index, mode, names) == [], mode


# -- which of several, and what counts as a name

MENTION = "The tide gauge is read daily. A gauge, a tide gauge, every gauge: see the gauge.\n"
NOTES = {
    "far/gauge-log.md": "---\naliases: [MOC, Übersicht]\n---\n# Log of the harbour\n\nRead at noon.\n",
    "mentions.md": f"# Mentions\n\n{MENTION}\n{MENTION}\nMOC, moc and MOC again. Übersicht, Übersicht.\n",
    "section.md": f"# Section\n\nSomething.\n\n## Tide gauge\n\n{MENTION}",
    "a/tide.md": "---\ntitle: Tide gauge\n---\nA staff in the water.\n",
    "b/tide-two.md": "---\ntitle: Tide gauge\n---\nA float in a well.\n",
    "links.md": "# Links\n\n[One](b/tide-two.md) and [[far/gauge-log]].\n",
    "more.md": "# More\n\n[Again](b/tide-two.md).\n",
    "zh.md": f"# Kubernetes\n\n{MENTION}\n## 什么是 Pod\n\nPod 是可以创建的最小单元。\n\n"
    "## C++\n\nCode.\n\n## C#\n\nMore code.\n",
    "flags.md": "# Flags\n\n## Use -v or tag:x\n\nThey say more.\n\n## In production\n\nNo flags.\n\n"
    "## How to set a flag\n\nBy hand.\n",
    "de.md": "# Ein Handbuch für den Hafen\n\nDas Handbuch ist für alle, die mit dem Pegel arbeiten.\n\n"
    "## Was ist ein Pegel?\n\nEin Pegel ist eine Latte, die man im Wasser sieht, und die den Stand zeigt.\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with Index.open(tmp_path, embedder="hashing:64", min_tokens=0) as opened:
        opened.update()
        yield opened


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "path", "kind"),
    [
        ("MOC", "far/gauge-log.md", "alias"),
        ("what is MOC?", "far/gauge-log.md", "alias"),
        ("ubersicht", "far/gauge-log.md", "alias"),
        ("gauge log", "far/gauge-log.md", "file name"),
        ("tide GAUGE", "b/tide-two.md", "title"),
        ("What is a tide gauge?", "b/tide-two.md", "title"),
        ("什么是 Pod", "zh.md", "heading"),
        ("Pod是什么", "zh.md", "heading"),
        ("c++", "zh.md", "heading"),
        ("how do I set a flag", "flags.md", "heading"),
        ("use -v or tag:x", "flags.md", "heading"),
        ("was ist der Pegel", "de.md", "heading"),
    ],
)
def test_a_name_is_first(index: Index, mode: Mode, query: str, path: str, kind: str) -> None:
    best = index.search(query, mode=mode)[0]
    assert (best.path, best.why.name) == (path, kind)
    page = index.search_page(query, mode=mode)
    assert page.hits[0].path == path
    assert page.total >= 1


@pytest.mark.usefixtures("everywhere")
def test_what_is_called_so_but_for_its_marks_is_another_thing(index: Index) -> None:
    assert [index.search(query, limit=1, mode="keyword")[0].breadcrumb for query in ("C++", "C#")] == [
        "Kubernetes > C++",
        "Kubernetes > C#",
    ]


@pytest.mark.usefixtures("everywhere")
def test_a_filter_holds_for_names(index: Index) -> None:
    assert index.search("tide gauge", path="a/**")[0].path == "a/tide.md"
    assert {hit.why.name for hit in index.search("tide gauge", path="mentions.md", min_score=0.0)} == {""}
    assert index.search_page("tide gauge", mode="semantic", path="a/**").hits[0].path == "a/tide.md"


@pytest.mark.usefixtures("everywhere")
def test_an_operator_is_one_unless_the_whole_query_is_a_name(index: Index) -> None:
    assert all(hit.path != "section.md" for hit in index.search("tide gauge -section", mode="keyword"))
    assert "mentions.md" not in {hit.path for hit in index.search("gauge -moc", mode="keyword")}


@pytest.mark.usefixtures("everywhere")
def test_a_renamed_file_has_its_new_name_only(index: Index) -> None:
    (index.root / "far" / "gauge-log.md").rename(index.root / "far" / "pier-book.md")
    index.update()
    assert index.search("pier book", mode="keyword")[0].why.name == "file name"
    assert all(not hit.why.name for hit in index.search("gauge log", mode="keyword"))
    assert index.check() == []


@pytest.mark.usefixtures("everywhere")
def test_a_single_word_names_only_what_is_called_exactly_so(index: Index) -> None:
    assert all(not hit.why.name for hit in index.search("production", mode="keyword"))
    assert index.search("in production", mode="keyword")[0].why.name == "heading"


def test_words_that_ask_are_left_out_at_the_beginning_only() -> None:
    assert subject_key("How to log in") == "log in"
    assert subject_key("What is it?") == ""
    assert subject_key("Pods") == subject_key("In production") == subject_key("use state") == ""


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What’s a Pod?", ""),
        ("Was ist ein Pod?", "german"),
        ("¿Qué es un Pod?", "spanish"),
        ("Что такое Pod?", ""),
        ("Pod क्या है?", ""),
        ("什么是 Pod", ""),
        ("Podとは何ですか", ""),
    ],
)
def test_a_question_is_about_its_subject(question: str, language: str) -> None:
    assert subject_key(question, language) == "pod"


def test_vowels_of_indian_scripts_are_parts_of_words() -> None:
    assert name_key("पॉड क्या है?") == "पॉड क्या है"
    assert numbers_named("", []) == numbers_named("x" * 2000, []) == []

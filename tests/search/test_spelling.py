"""Words that are not finished, and words that are misspelt, find what was meant."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from headnote import Index
from headnote.embedding.wordpieces import whole_words
from headnote.search import spelling
from headnote.search.snippets import marked_terms, marks
from headnote.search.spelling import (
    TRUST,
    WordReading,
    corrected_query,
    covered_share,
    function_terms,
    read_words,
    shares_of,
    spelt_out,
)
from headnote.store.interface import Reader
from headnote.words.terms import query_terms

pytest_plugins = ("store_fixtures",)

NOTES = {
    "templates.md": "# Templates\n\nA template is a page with holes. Templating fills them in.\n",
    "configuration.md": "# Configuration\n\nEvery configuration has a file. Configure it before you start.\n",
    "nodes.md": "# Nodes\n\nThe kubelet runs on every node and starts the containers.\n",
    "cat.md": "# Pets\n\nThe cat sleeps beside the stove.\n",
    "category.md": "# Order\n\nEvery product is in one category; categories are sorted.\n",
    "running.md": "# Planning\n\nPlanning a run takes longer than running. Happiness follows.\n",
    "zh.md": "# 安装\n\n配置文件说明如何安装服务器。\n",
    "ru.md": "# Кластеры\n\nНастройка кластеров и приём данных.\n",
}


@pytest.fixture(params=["sqlite", "postgres"])
def notes(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    if request.param == "postgres":
        monkeypatch.setenv("HEADNOTE_STORE", request.getfixturevalue("postgres_database"))
    for path, text in NOTES.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        yield index


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("spelling") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(root, embedder="none") as index:
        index.update()
        yield index


def found(index: Index, query: str) -> list[str]:
    return [hit.path for hit in index.search(query, limit=50)]


def words_of(index: Index) -> list[str]:
    """Words of the documents that are in the index and say something."""
    texts = [index.read(path).text.lower() for path in index.documents()]
    words = {word for text in texts for word in re.findall(r"(?<![\w.'’-])[a-z]{3,}(?![\w'’.-])", text)}
    with index._store.reading() as reader:
        counts = reader.term_frequencies([term for word in words for term in query_terms(word)])
    indexed = {term for term, count in counts.items() if count} - function_terms()
    return sorted(word for word in words if set(query_terms(word)) <= indexed)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("templ", "templates.md"),
        ("templati", "templates.md"),
        ("confi", "configuration.md"),
        ("configurati", "configuration.md"),
        ("kube", "nodes.md"),
        ("every kubel", "nodes.md"),
        ("plannin", "running.md"),
        ("happine", "running.md"),
        ("配置文件说", "zh.md"),
        ("服务器安", "zh.md"),
        ("класте", "ru.md"),
        ("confguration", "configuration.md"),
        ("configuratoin file", "configuration.md"),
        ("ocnfiguration", "configuration.md"),
        ("templte", "templates.md"),
        ("kubelt node", "nodes.md"),
        ("catgeory", "category.md"),
        ("кластреов", "ru.md"),
    ],
)
def test_what_was_meant_comes_first(notes: Index, query: str, path: str) -> None:
    assert found(notes, query)[:1] == [path]
    (guess,) = notes.search(query)[0].why.guesses or [None]
    assert guess is None or guess.typed in query


def test_a_word_that_documents_have_is_itself(notes: Index) -> None:
    assert found(notes, "cat") == ["cat.md"], "and not the beginning of a category"
    assert found(notes, "cate") == ["category.md"]


@pytest.mark.parametrize("end", [" ", ".", "?", " ."])
def test_a_blank_or_a_mark_ends_a_word(notes: Index, end: str) -> None:
    assert found(notes, "kub") == ["nodes.md"]
    assert found(notes, f"kub{end}") == []


@pytest.mark.parametrize(
    "query", ["qqqqq", "zxcvbnm asdfgh", "flurbish granzel wompitude", "ca ", "xat", "zzz", "q", "\0", "\ud800x"]
)
def test_nonsense_finds_nothing(notes: Index, query: str) -> None:
    assert found(notes, query) == []


@pytest.mark.parametrize("known", ["template", "category", "kubelet node", "configuration file", "配置文件", "кластер"])
def test_one_unknown_word_empties_nothing(notes: Index, known: str) -> None:
    paths = found(notes, known)
    for query in (f"{known} wompitude", f"wompitude {known}", f"{known} qqqqq "):
        assert found(notes, query)[:1] == paths[:1] != []


@pytest.fixture(name="many")
def made_many_notes(tmp_path: Path) -> Iterator[Index]:
    """Words that are common here, each a letter or two away from another one."""
    for name, text, count in (
        ("load", "Load a file, then load it again.", 20),
        ("land", "The land is flat.", 12),
        ("sea", "The sea is deep.", 40),
    ):
        (tmp_path / name).mkdir()
        for number in range(count):
            (tmp_path / name / f"{number}.md").write_text(f"# Part {number}\n\n{text}\n")
    (tmp_path / "bird.md").write_text("# Birds\n\nThe sparrow flies. Nothing else does.\n")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        yield index


@pytest.mark.parametrize(("query", "name"), [("laod", "load"), ("laod again", "load"), ("laod ", "load")])
def test_two_letters_that_are_swapped_behind_the_first_are_looked_for(many: Index, query: str, name: str) -> None:
    assert found(many, query)[0].startswith(name)


def test_a_last_word_that_hardly_anything_begins_with_may_be_misspelt(many: Index) -> None:
    hits = many.search("again flie")
    assert hits[0].path.startswith("load")
    assert corrected_query("again flie", hits) == "again file"
    assert found(many, "sparrow flie")[0] == "bird.md", "it still may be what it begins"


def test_a_mistake_that_a_page_of_a_large_folder_has_stands_for_the_common_word_too(
    many: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spelling, "TIMES_AS_COMMON", 15)
    (many.root / "typo.md").write_text("# Loadng\n\nHow loadng works. The sparow sings.\n")
    many.update()
    with many._store.reading() as reader:
        small, large = ({one.term: one for one in read_words(reader, "loadng sparow.", size)} for size in (74, 10_000))
        literal = {one.term: one for one in read_words(reader, "loadng sparow.", 10_000, literal=True)}
    assert small["loadng"].shares == literal["loadng"].shares == {"loadng": 1.0}
    assert large["loadng"].shares == {"loadng": 1.0, "load": TRUST}, "it still is itself"
    assert large["sparow"].shares == {"sparow": 1.0}, "a sparrow is as rare"
    assert large["loadng"].kind == "known", "nothing is corrected"


def test_a_word_of_several_parts_is_its_parts_where_no_document_has_it_whole(notes: Index) -> None:
    with notes._store.reading() as reader:
        chunks = reader.chunk_count()
        of_prose, of_code, known = (
            {word.term: word.kind for word in read_words(reader, text, chunks)}
            for text in ("sleeping product-category.", "sleeping product_category.", "categories are cat-sorted.")
        )
    assert of_prose == dict.fromkeys(["sleep", "product", "categori"], "known")
    assert of_code["productcategori"] == "unknown", "a name in code only is itself"
    assert known == dict.fromkeys(["categori", "cat", "sort"], "known")


def test_every_beginning_of_every_word_stands_for_it(handbook: Index) -> None:
    with handbook._store.reading() as reader:
        chunks = reader.chunk_count()
        missed = [
            word[:end]
            for word in words_of(handbook)
            for end in range(3, len(word) + 1)
            if not stands_for(reader, word[:end], word, chunks)
        ]
    assert missed == []


def stands_for(reader: Reader, typed: str, word: str, chunks: int) -> bool:
    """Whether the word counts, unless what was typed is a word of its own."""
    readings = read_words(reader, typed, chunks)
    return readings[0].kind == "known" or not set(query_terms(word)).isdisjoint(shares_of(readings))


def test_typed_letter_by_letter_a_word_always_finds_something(handbook: Index) -> None:
    for word in Random(1).sample(words_of(handbook), 40):
        paths = {hit.path for hit in handbook.search(f"{word} ", limit=50)}
        for end in range(2, len(word) + 1):
            hits = handbook.search(word[:end], limit=50)
            assert hits, word[:end]
            if hits[0].why.guesses and end > 2:
                assert paths & {hit.path for hit in hits}, word[:end]


def misspelt(word: str, random: Random) -> str:
    """One edit, not in the first letter."""
    at = random.randrange(1, len(word) - 1)
    other = random.choice("abcdefghijklmnopqrstuvwxyz")
    return random.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + other + word[at:],
            word[:at] + other + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )


def test_a_wrong_letter_in_a_long_word_is_corrected(handbook: Index) -> None:
    random = Random(2)
    words = [word for word in words_of(handbook) if len(word) >= 6]
    with handbook._store.reading() as reader:
        chunks = reader.chunk_count()
        missed = []
        for word in words:
            typed = misspelt(word, random)
            readings = read_words(reader, f"{typed} ", chunks)
            if readings[0].kind != "known" and set(query_terms(word)).isdisjoint(shares_of(readings)):
                missed.append((typed, word, readings))
    assert len(missed) <= len(words) / 50, missed


def test_words_that_documents_have_cost_no_look_into_the_vocabulary(handbook: Index) -> None:
    class Spy:
        def __init__(self, reader: Reader) -> None:
            self.term_frequencies = reader.term_frequencies

    with handbook._store.reading() as reader:
        readings = read_words(Spy(reader), "how to calibrate the gauge", reader.chunk_count())  # type: ignore[arg-type]
    assert [(reading.term, reading.shares) for reading in readings] == [
        ("calibr", {"calibr": 1.0}),
        ("gaug", {"gaug": 1.0}),
    ]


def test_a_hit_says_what_a_word_was_taken_for(notes: Index) -> None:
    query = "confguration of templ"
    hits = notes.search(query)
    guesses = {guess.typed: guess for hit in hits for guess in hit.why.guesses}
    assert guesses["confguration"].found == "configuration"
    assert guesses["confguration"].is_correction
    assert guesses["templ"].found in {"template", "templates"}
    assert not guesses["templ"].is_correction
    assert corrected_query(query, hits) == "configuration of templ"
    best = next(hit for hit in hits if hit.path == "configuration.md")
    marked = [best.text[start:end] for start, end in marks(best.text, marked_terms(query, best.why.terms))]
    assert "configuration" in marked


def test_a_query_without_errors_is_answered_as_it_is(notes: Index) -> None:
    hits = notes.search("kubelet on a node")
    assert hits
    assert all(not hit.why.guesses for hit in hits)
    assert corrected_query("kubelet on a node", hits) == "kubelet on a node"


@pytest.mark.parametrize(
    "typed",
    """
    many skill seems throughout throwing three talk stop size safety reset probably popular painting lost loop live
    internet history guest folder exit down devices deeper collection chapters calculations browse anywhere along
    reusable undefined loader router broaden headless preloading queued wrappers stopped stopping
    schemas parser throughput async yaml paginations memoized
    """.split(),
)
def test_a_common_word_that_no_document_has_is_itself(handbook: Index, typed: str) -> None:
    with handbook._store.reading() as reader:
        (reading,) = read_words(reader, f"{typed} ", reader.chunk_count())
    assert reading.kind in ("known", "unknown")


@pytest.mark.parametrize("typed", ["2022", "v1.292", "kubelet2"])
def test_what_has_digits_is_itself(notes: Index, typed: str) -> None:
    (notes.root / "numbers.md").write_text("In 2.22 and v1.29, kubelets came.\n", encoding="utf-8")
    notes.update()
    with notes._store.reading() as reader:
        readings = read_words(reader, f"{typed} ", reader.chunk_count())
    assert not [reading for reading in readings if reading.kind == "misspelt"]


def test_how_many_is_not_how_may(tmp_path: Path) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nTen days may move to the next year.\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        query = "how many days move to the next year"
        (hit,) = index.search(query)
        assert corrected_query(query, [hit]) == query


def test_a_correction_is_a_word_of_the_documents_or_a_common_one(handbook: Index) -> None:
    """Stems have endings that nobody writes: `memoriation` is no reason to take memoization for memories."""
    random = Random(3)
    known = set(words_of(handbook))
    meant = known.union(whole_words())
    with handbook._store.reading() as reader:
        chunks = reader.chunk_count()
        for word in random.sample(sorted(word for word in known if len(word) >= 6), 60):
            typed = misspelt(word, random)
            readings = read_words(reader, f"{typed} ", chunks)
            best = [reading for reading in readings if reading.kind == "misspelt"]
            shown = spelt_out(typed, best, [])
            assert shown == typed or shown in meant, (typed, shown)


def test_a_literal_query_is_the_way_back(notes: Index) -> None:
    query = "confguration of kubelet"
    assert corrected_query(query, notes.search(query)) == "configuration of kubelet"
    hits = notes.search(query, literal=True)
    assert [hit.path for hit in hits] == ["nodes.md"]
    assert corrected_query(query, hits) == query


def test_coverage_forgives_one_unknown_word_and_no_more() -> None:
    known = WordReading("gauge", "gauge", {"gauge": 1.0})
    unknown = [WordReading(word, word, {}, "unknown") for word in ("xyzzy", "plugh")]
    counts = {"gauge": 50}
    assert covered_share([known], counts, 1000, {"gauge"}) == 1
    assert covered_share([known, unknown[0]], counts, 1000, {"gauge"}) == pytest.approx(1 / 2)
    assert covered_share([known, *unknown], counts, 1000, {"gauge"}) < 0.3
    assert covered_share(unknown, counts, 1000, {"gauge"}) == 0
    assert covered_share([], counts, 1000, {"gauge"}) == 0

"""Keyword search and filters. Every store passes these."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import fmean

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_samples import entry, put, search_paths

from headnote.search.query import read_filter
from headnote.store.filters import All, DatedAt, FieldIs, Filter, HasTag, InPath
from headnote.store.interface import Reader, Store
from headnote.store.keyword_fields import keyword_fields_of, terms_of
from headnote.store.rows import DEFAULT_WEIGHTS, ChunkPlace, Weights
from headnote.words.terms import operator_terms, query_terms

pytest_plugins = ("store_fixtures",)

PAGES = {
    "en.md": "# Rolling updates\n\nRun `kubectl apply -f pod.yaml` and set user_id, spec.a.b-c or --dry-run.\n",
    "ja.md": "# 設定\n\n東京でサービスを設定する方法。猫\n",
    "zh.md": "# 检索\n\n中文全文检索说明\n",
    "ko.md": "# 설치\n\n쿠버네티스 클러스터를 만든다\n",
    "th.md": "# ระบบ\n\nการตั้งค่าระบบ\n",
    "ru.md": "# Кластеры\n\nНастройка кластеров и приём данных\n",
    "ar.md": "# كتاب\n\nالكتابُ الجديد\n",
    "fr.md": "# Été\n\nUn café crème à l'école\n",
    "tag.md": "# Marked\n\nThis is #urgent and v1.29.3 in C++.\n",
}


@pytest.fixture
def pages(store: Store) -> Store:
    put(store, *(entry(path, text) for path, text in PAGES.items()))
    return store


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("rolled update", "en.md"),
        ("kubectl apply -f", "en.md"),
        ("user_id", "en.md"),
        ("userid", "en.md"),
        ("a.b-c", "en.md"),
        ("--dry-run", "en.md"),
        ("サービス", "ja.md"),
        ("猫", "ja.md"),
        ("全文检索", "zh.md"),
        ("클러스터", "ko.md"),
        ("ค่าระบบ", "th.md"),
        ("кластера", "ru.md"),
        ("прием", "ru.md"),
        ("كتاب", "ar.md"),
        ("cafe ecole", "fr.md"),
        ("#urgent", "tag.md"),
        ("1.29", "tag.md"),
        ("c++", "tag.md"),
    ],
)
def test_a_query_in_any_script_finds_its_page_first(pages: Store, query: str, path: str) -> None:
    assert search_paths(pages, query)[:1] == [path]
    assert search_paths(pages, f"{query} xyzzyqwerty")[:1] == [path], "one unknown word empties nothing"


HOSTILE = [
    '"',
    '""',
    "a AND",
    "NEAR(a b)",
    "text:a",
    "^a",
    "a*",
    "(",
    "a OR OR",
    "-",
    "\0",
    "a\0b",
    "\ud800",
    "{a b}:c",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_terms_mean_nothing_but_themselves(pages: Store, query: str) -> None:
    with pages.reading() as reader:
        assert reader.keyword([query], 10) == reader.keyword([query, query], 10)
        assert [hit.chunk for hit in reader.keyword([query, "kubectl"], 10)] != []
        assert reader.term_frequencies([query]) in ({query: 0}, {query: 1})
    search_paths(pages, query)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF)), max_size=5))
def test_any_terms_are_safe(pages: Store, words: list[str]) -> None:
    with pages.reading() as reader:
        for terms in (words, query_terms(" ".join(words))):
            hits = reader.keyword([*terms, "kubectl"], 10)
            assert all(hit.score >= 0 for hit in hits)
            assert len(hits) >= 1
            assert set(reader.term_frequencies(terms)) == set(terms)


def test_a_pasted_text_is_a_query_too(pages: Store) -> None:
    nonsense = " ".join(f"word{number}x" for number in range(12_000))
    assert len(nonsense) > 100_000
    assert search_paths(pages, f"{nonsense} kubectl")[:1] == ["en.md"]
    assert search_paths(pages, nonsense) == []
    assert search_paths(pages, "") == []


def test_the_limit_is_kept(pages: Store) -> None:
    put(pages, *(entry(f"many/{number}.md", "same words") for number in range(9)))
    with pages.reading() as reader:
        assert len(reader.keyword(["same"], 4)) == 4
        assert reader.keyword(["same"], 0) == []
        assert reader.term_frequencies(["same", "kubectl", "never"]) == {"same": 9, "kubectl": 1, "never": 0}


@pytest.mark.parametrize("is_warm", [False, True])
def test_the_terms_of_a_chunk_are_those_it_was_stored_with(pages: Store, is_warm: bool) -> None:
    with pages.reading() as reader:
        chunks = {chunk.id: chunk for path in PAGES for chunk in reader.chunks_of(path)}
        terms = sorted(set().union(*map(terms_of, chunks.values()), ["", "nowhere"]))
        if is_warm:
            for term in terms:
                reader.keyword([term], 1)
        assert reader.terms_in(list(chunks), terms) == {number: terms_of(chunk) for number, chunk in chunks.items()}
        assert reader.terms_in([], terms) == {}
        assert set(reader.terms_in(list(chunks), HOSTILE)) == set(chunks), "whatever they are"


def test_places_are_those_of_the_chunks(pages: Store) -> None:
    with pages.reading() as reader:
        chunks = [chunk for path in reversed(PAGES) for chunk in reader.chunks_of(path)]
        places = [ChunkPlace(chunk.id, chunk.path, chunk.row.start_line, chunk.dated.time_ns) for chunk in chunks]
        assert reader.places([chunk.id for chunk in chunks]) == places
        assert reader.places([10**6]) == []


FRUIT = ["melon", "pear", "plum", "fig", "the"]
(ARROW,) = operator_terms("=>")
OF_CHUNKS = (ARROW, "水果", "水", "果")
"""Terms that say nothing about the rest of a document."""


@pytest.fixture
def orchard(store: Store) -> Store:
    """Documents of one to four chunks that have the words, an operator and a Chinese word more or less often, in text
    or heading; some were replaced, some removed."""
    pages = []
    for number in range(24):
        words = [word for at, word in enumerate(FRUIT) for _ in range(number % (at + 2))]
        words += ["=>"] * (number % 3) + ["水果"] * (number % 4)
        sections = [
            f"# {FRUIT[(number + at) % 4]} {number}\n\n{' '.join(words[: -at or None])} the\n"
            for at in range(number % 4 + 1)
        ]
        own = entry(f"{number}.md", "\n".join(sections), merge=False, min_tokens=0, target_tokens=1)
        assert len(own.chunks) == len(sections)
        pages.append(own)
    put(store, *pages)
    put(store, *pages[::3])
    with store.writing() as writer:
        writer.remove([f"{number}.md" for number in range(10, 15)])
    return store


def scores_by_definition(reader: Reader, terms: list[str], weights: Weights) -> dict[int, float]:
    """Chunk → BM25 of the chunk, with BM25 of its document, where operators and pieces of Chinese words do not count:
    each of them counted word by word."""
    documents = [reader.chunks_of(path) for path in reader.document_paths()]
    counts, lengths = {}, {}
    for chunks in documents:
        for chunk, fields in zip(chunks, keyword_fields_of(chunks), strict=True):
            words = [Counter(field.split()) for field in fields]
            counts[chunk.id] = {
                term: sum(weight * own[term] for weight, own in zip(weights, words, strict=True)) for term in terms
            }
            lengths[chunk.id] = sum(map(Counter.total, words))
            for term in terms:
                if not any(own[term] for own in words):
                    del counts[chunk.id][term]
    average, chunks_of_document = fmean(lengths.values()), len(lengths) / len(documents)
    scores: dict[int, float] = defaultdict(float)
    for term in terms:
        having = sum(term in own for own in counts.values())
        rarity = max(math.log((len(lengths) - having + 0.5) / (having + 0.5)), 1e-6)
        for chunks in documents:
            often = {
                chunk.id: counts[chunk.id].get(term, 0.0) / (0.25 + 0.75 * lengths[chunk.id] / average)
                for chunk in chunks
            }
            together = (term not in OF_CHUNKS) * sum(often.values()) / (0.5 + 0.5 * len(chunks) / chunks_of_document)
            for number, own in often.items():
                scores[number] += rarity * (2.2 * own / (own + 1.2) + 0.2 * 17 * together / (together + 16))
    return {chunk: score for chunk, score in scores.items() if counts[chunk]}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(
    terms=st.lists(st.sampled_from([*FRUIT, *OF_CHUNKS, "never"]), min_size=1, max_size=6, unique=True),
    limit=st.integers(1, 70),
    weights=st.sampled_from([DEFAULT_WEIGHTS, Weights(0, 1, 0, 0, 0), Weights(0, 0, 1, 0, 0)]),
    folder=st.sampled_from(["", "2*", "nothing"]),
)
def test_a_chunk_counts_by_its_words_and_by_those_of_its_document(
    orchard: Store, terms: list[str], limit: int, weights: Weights, folder: str
) -> None:
    only = Filter(InPath((folder,))) if folder else Filter()
    with orchard.reading() as reader:
        hits = reader.keyword(terms, limit, weights, only)
        passing = set(reader.passing(only).tolist())
        scores = scores_by_definition(reader, terms, weights)
        owners = reader.owners([hit.chunk for hit in hits])
        chunks = reader.chunks([hit.chunk for hit in hits])
        assert owners.counts.tolist() == [len(reader.chunks_of(chunk.path)) for chunk in chunks]
        pairs = set(zip(owners.documents.tolist(), (chunk.path for chunk in chunks), strict=True))
        assert len(pairs) == len({chunk.path for chunk in chunks}), "each document has a number of its own"
    expected = {chunk: score for chunk, score in scores.items() if chunk in passing}
    assert all(hit.score == pytest.approx(expected[hit.chunk], abs=1e-8) for hit in hits)
    assert [hit.score for hit in hits] == pytest.approx(sorted(expected.values(), reverse=True)[:limit], abs=1e-8)


def test_fields_have_weights(store: Store) -> None:
    filler = [entry(f"filler{number}.md", f"# Filler\n\nnothing of note {number}\n") for number in range(8)]
    titled = entry("titled.md", "---\ntitle: Zebra\naliases: [Quagga]\ntags: [savanna]\n---\n\nan animal\n")
    described = entry("described.md", "# Animals\n\nthe zebra, the quagga, the savanna\n")
    put(store, *filler, titled, described)
    only_text, only_title = Weights(0, 0, 1, 0, 0), Weights(1, 0, 0, 0, 0)
    with store.reading() as reader:

        def best(term: str, weights: Weights) -> str:
            (chunk,) = reader.chunks([reader.keyword(query_terms(term), 1, weights)[0].chunk])
            return chunk.path

        assert best("zebra", only_text) == "described.md"
        assert best("zebra", only_title) == "titled.md"
        assert best("quagga", Weights(0, 0, 0, 1, 0)) == "titled.md"
        assert best("savanna", Weights(0, 0, 0, 0, 1)) == "titled.md"
        assert best("animal", Weights(0, 1, 0, 0, 0)) == "described.md"


def test_scores_do_not_depend_on_history(store: Store) -> None:
    """What was deleted and written again leaves no trace."""
    pages = [entry(f"{number}.md", f"# Page {number}\n\n{'word ' * number}common\n") for number in range(1, 30)]
    put(store, *pages)
    with store.reading() as reader:
        before = [round(hit.score, 9) for hit in reader.keyword(["word", "page"], 50)]
    for _ in range(3):
        put(store, *(page._replace(document=page.document._replace(title="other")) for page in pages[::2]))
        with store.writing() as writer:
            writer.remove([page.document.path for page in pages[5:20]])
        put(store, *pages)
    with store.reading() as reader:
        assert [round(hit.score, 9) for hit in reader.keyword(["word", "page"], 50)] == before
        assert reader.term_frequencies(["word", "other"]) == {"word": 29, "other": 0}


@pytest.fixture
def tagged(store: Store) -> Store:
    put(
        store,
        entry("docs/a.md", "---\ntags: [Area/Network]\nstatus: draft\nn: [1, two]\n---\n\nword\n", mtime_ns=100),
        entry("docs/deep/b.md", "---\nstatus: Final\nmeta: {owner: Ann}\n---\n\nword #area\n", mtime_ns=200),
        entry("c.mdx", "---\ntags: areal\n---\n\nword\n", mtime_ns=300),
    )
    return store


FILTERS = [
    (Filter(), ["c.mdx", "docs/a.md", "docs/deep/b.md"]),
    (Filter(InPath(("docs",))), ["docs/a.md", "docs/deep/b.md"]),
    (Filter(InPath(("docs/*.md",))), ["docs/a.md"]),
    (Filter(InPath(("*.mdx", "docs/deep/**"))), ["c.mdx", "docs/deep/b.md"]),
    (Filter(InPath(("no/such",))), []),
    (Filter(HasTag("area")), ["docs/a.md", "docs/deep/b.md"]),
    (Filter(HasTag("#AREA/network")), ["docs/a.md"]),
    (Filter(All((HasTag("area"), HasTag("areal")))), []),
    (Filter(FieldIs("status", "=", ("final",), is_text=True)), ["docs/deep/b.md"]),
    (
        Filter(All((FieldIs("Status", "=", ("draft",), is_text=True), FieldIs("n", "=", ("two",), is_text=True)))),
        ["docs/a.md"],
    ),
    (Filter(FieldIs("meta.owner", "=", ("ann",), is_text=True)), ["docs/deep/b.md"]),
    (Filter(All((FieldIs("n", "=", ("1",), is_text=True), FieldIs("status", "=", ("final",), is_text=True)))), []),
    (Filter(DatedAt(">=", 200)), ["c.mdx", "docs/deep/b.md"]),
    (Filter(All((InPath(("docs",)), HasTag("area"), DatedAt(">=", 200)))), ["docs/deep/b.md"]),
    (
        Filter(
            All(
                (
                    InPath(("'; DROP TABLE documents; --", "\x00", "\ud800")),
                    HasTag("'"),
                    FieldIs('"', "=", ("\x00",), is_text=True),
                )
            )
        ),
        [],
    ),
]


@pytest.mark.parametrize(("only", "expected"), FILTERS)
def test_a_filter_restricts_both_kinds_of_search(tagged: Store, only: Filter, expected: list[str]) -> None:
    numpy = pytest.importorskip("numpy")
    with tagged.writing() as writer:
        pending = writer.pending("m", 10)
        writer.add_vectors("m", [text.hash for text in pending], numpy.eye(len(pending), 4))
    with tagged.reading() as reader:
        hits = reader.keyword(["word"], 10, only=only)
        assert sorted(chunk.path for chunk in reader.chunks([hit.chunk for hit in hits])) == expected
        nearest = reader.nearest("m", numpy.ones(4, "float32"), 10, only)
        assert sorted(chunk.path for chunk in reader.chunks([chunk for chunk, _ in nearest])) == expected


def test_a_tag_in_the_text_is_one_of_the_document_and_of_its_own_chunk(store: Store) -> None:
    two = "# One\n\nword #Area/here\n\n# Two\n\nword\n"
    put(store, entry("a.md", two, merge=False, min_tokens=0, target_tokens=1), entry("b.md", "# B\n\nword\n"))
    with store.reading() as reader:
        for only in (Filter(HasTag("area")), read_filter(None, None, "tag = area/here", None)):
            hits = reader.keyword(["word"], 10, only=only)
            chunks = reader.chunks(sorted(hit.chunk for hit in hits))
            assert [(chunk.path, chunk.row.tags) for chunk in chunks] == [("a.md", ("Area/here",)), ("a.md", ())]
        found = reader.passing(Filter())
        counts = reader.labels().counts(found)
        assert list(reader.labels().tags.counted(counts)) == [(2, ("", "area")), (2, ("", "area/here"))]
        assert reader.tags() == {"area/here": 1}
        (other,) = reader.keyword(["word"], 10, only=read_filter(None, None, "tags not in (area)", None))
        assert reader.chunks([other.chunk])[0].path == "b.md"


def test_terms_are_counted_by_folder(store: Store) -> None:
    paths = ("top.md", "a/one.md", "a/b/two.md", "a/b/three.md", "ä\nö/x y/four.md", "a/empty.md")
    texts = ("gauge", "gauge gauge", "pump", "gauge and pump", "pump", "")
    put(store, *(entry(path, text and f"# Page\n\n{text}\n") for path, text in zip(paths, texts, strict=True)))
    with store.reading() as reader:
        folders = reader.folders()
        spread = reader.spread(["gaug", "pump", "nowhere", "=="])
    assert folders.names[0] == ""
    assert dict(zip(folders.names, folders.sizes.tolist(), strict=True)) == {
        "": 5,
        "a/": 3,
        "a/b/": 2,
        "ä\nö/": 1,
        "ä\nö/x y/": 1,
    }
    counts = {term: dict(zip(folders.names, own.tolist(), strict=True)) for term, own in spread.items()}
    assert counts["gaug"] == {"": 3, "a/": 2, "a/b/": 1, "ä\nö/": 0, "ä\nö/x y/": 0}
    assert counts["pump"] == {"": 3, "a/": 2, "a/b/": 2, "ä\nö/": 1, "ä\nö/x y/": 1}
    assert not any(counts["nowhere"].values())
    assert not any(counts["=="].values())


def test_an_empty_index_has_a_root_alone(store: Store) -> None:
    with store.reading() as reader:
        assert (reader.folders().names, reader.folders().sizes.tolist()) == ([""], [0])
        assert reader.spread(["gaug"])["gaug"].tolist() == [0]

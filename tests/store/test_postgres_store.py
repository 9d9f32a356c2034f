"""PostgreSQL alone: URLs, versions, failures, and several writers at once."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_states import state, write
from postgres_server import natural_language, start_again, start_server
from store_samples import entry, link, paths, put, search_paths

import headnote
from headnote.errors import (
    CorruptIndex,
    LockedIndex,
    MissingIndex,
    NewerIndex,
    SettingsError,
    UnreachableIndex,
    UnwritableIndex,
)
from headnote.model.results import Progress
from headnote.store.filters import Filter, InPath
from headnote.store.opening import check_target, open_store, shown_store
from headnote.store.postgres.schema import VERSION
from headnote.store.postgres.store import PostgresStore
from headnote.store.postgres.target import default_schema, target_of, without_secrets

pytest_plugins = ("store_fixtures",)
psycopg = pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")

PAGES = {f"page{number}.md": f"# Page {number}\n\nword{number} [[page{number + 1}]]\n" for number in range(30)}


@pytest.fixture
def store(postgres_url: str, tmp_path: Path) -> Iterator[PostgresStore]:
    store = PostgresStore.open(tmp_path, postgres_url)
    yield store
    store.close()


def ask(url: str, query: str) -> list[tuple[Any, ...]]:
    """What somebody else with a connection sees or does."""
    schema = url.partition("schema=")[2]
    with psycopg.connect(url.partition("&schema=")[0], autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema or 'public'}, public")
        cursor = connection.execute(query)
        rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return rows


# -- where it is


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@host:5/db", "postgresql://me@host:5/db"),
        ("postgres://me:se/cr:et@host/db?schema=x", "postgres://me@host/db?schema=x"),
        ("postgresql://me:secret@pre@host/db", "postgresql://me@host/db"),
        ("postgresql://:secret@host/db", "postgresql://@host/db"),
        ("postgresql:///db?user=me&password=secret&host=/tmp", "postgresql:///db?user=me&host=/tmp"),
        ("postgresql://host/db?password=secret", "postgresql://host/db"),
        ("postgresql://host/db?sslpassword=secret&password=secret", "postgresql://host/db"),
        ("postgresql://host/db?PASSWORD=secret&sslmode=require", "postgresql://host/db?sslmode=require"),
        ("postgresql://host/db?p%61ssword=secret", "postgresql://host/db"),
        ("postgresql://host/db?passfile=/home/secret&sslkey=secret&options=-csecret", "postgresql://host/db"),
        ("postgresql://host/db?sslmode=require;password=secret", "postgresql://host/db"),
        ("postgresql://host/db?sslmode=require%26password=secret", "postgresql://host/db"),
        ("postgresql://host/db?host=%2Frun%2Fpg&password=secret", "postgresql://host/db?host=%2Frun%2Fpg"),
        ("postgresql://me:secret@a:1,b:2,[::1]:3/db", "postgresql://me@a:1,b:2,[::1]:3/db"),
        ("postgresql://me:x@a,me:secret@b/db", "postgresql://me@b/db"),
        ("postgresql://host/db?password=x@secret", "postgresql://…"),
        ("postgresql://me:x?secret@host/db", "postgresql://…"),
        ("postgresql://me:secret", "postgresql://…"),
        ("postgresql://me:secret/db", "postgresql://…"),
        ("postgresql://host/db#secret", "postgresql://…"),
        ("postgresql://host/db/secret", "postgresql://…"),
        ("host=here password=secret", "postgresql://…"),
        (" password = secret://x", "postgresql://…"),
        ("", "sqlite"),
        ("sqlite", "sqlite"),
    ],
)
def test_a_password_is_not_shown(url: str, shown: str) -> None:
    assert shown_store(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret/word@host/db",
        "postgresql://me:secret@word@host/db",
        "postgresql://me:secret#@host/db",
        "postgresql://me:%zzsecret@host/db",
        "postgresql://me:secret@[host/db",
        "postgresql://me:secret@host/db?no_such_parameter=1",
        "postgresql://me:secret@host/db?schema=Large",
        "postgresql://me:secret@host/db?schema=pg_temp",
        "postgresql://me:x@host/db?schema=a;password=secret",
        "postgresql://me:x@host/db?schema=a&PASSWORD=secret",
        "postgresql://me:x?secret@host/db",
        "postgresql://me:secret",
        "POSTGRESQL://me:secret@host/db",
        "mysql://me:secret@host/db",
        "host=here password=secret",
        "host=here password=secret://x",
    ],
)
def test_a_url_that_makes_no_sense_is_refused_without_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        open_store(tmp_path, url)
    assert "secret" not in str(refused.value)
    assert refused.value.remedy


def test_what_a_driver_says_is_told_without_secrets() -> None:
    connection = "postgresql://me:pass%20word@host/db?sslpassword=hidden&passfile=/home/me/file&options=-c%20x"
    words = 'cannot open "/home/me/file" for "me" at host: hidden, pass word'
    assert without_secrets(words, connection) == 'cannot open "…" for "me" at host: …, …'
    assert without_secrets("a bad idea: a", "postgresql://me:a@host/db") == "… bad idea: …"


def test_a_plus_in_a_parameter_is_a_plus(tmp_path: Path) -> None:
    connection = target_of(tmp_path, "postgresql://host/db?password=a+b%20c").connection
    assert psycopg.conninfo.conninfo_to_dict(connection)["password"] == "a+b c"


def test_a_folder_has_a_schema_of_its_name(tmp_path: Path) -> None:
    assert default_schema(tmp_path / "My Docs") == "headnote_my_docs"
    assert default_schema(tmp_path / ("x" * 200)) == "headnote_" + "x" * 40
    assert default_schema(tmp_path / "文書") != default_schema(tmp_path / "文章")
    assert target_of(tmp_path / "docs", "postgresql://h/d").schema == "headnote_docs"
    assert target_of(tmp_path / "docs", "postgresql://h/d?schema=team").schema == "team"
    assert "schema" not in target_of(tmp_path / "docs", "postgresql://h/d?schema=team").connection
    check_target("sqlite")


def test_several_indexes_live_in_one_database(postgres_database: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {f"{name}.md": f"# {name}"})
        with headnote.Index.open(tmp_path / name, embedder="none", store=postgres_database) as index:
            index.update(workers=1)
            assert index.documents() == [f"{name}.md"]
            assert not (tmp_path / name / ".headnote").exists()


def test_looking_makes_nothing(postgres_database: str, tmp_path: Path) -> None:
    with pytest.raises(MissingIndex, match="no index here"):
        headnote.Index.open(tmp_path, create=False, embedder="none", store=postgres_database)
    schemas = ask(postgres_database, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'headnote%'")
    assert schemas == []


# -- versions


@pytest.mark.parametrize(
    ("version", "error", "message"),
    [
        (VERSION - 1, UnwritableIndex, r"written by an older headnote \(run DROP SCHEMA test_[0-9]+ CASCADE and index"),
        (VERSION + 1, NewerIndex, rf"written by a newer headnote \(format {VERSION + 1}, this one knows {VERSION}\)"),
    ],
)
def test_other_tables_are_left_alone(
    store: PostgresStore, postgres_url: str, tmp_path: Path, version: int, error: type[Exception], message: str
) -> None:
    """Others may use the index, so nobody makes it anew unasked."""
    put(store, entry("a.md", "alpha"))
    ask(postgres_url, f"UPDATE state SET version = {version}")
    for read_only in (False, True):
        with pytest.raises(error, match=message):
            PostgresStore.open(tmp_path, postgres_url, read_only=read_only)
    assert ask(postgres_url, "SELECT path FROM documents") == [("a.md",)]


OTHERWISE_COMPARED = """
SELECT a.attrelid::regclass::text, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'i') AND a.attnum > 0
AND a.attcollation NOT IN (0, '"C"'::regcollation)
"""


def test_no_text_is_compared_by_the_language_of_the_database(store: PostgresStore, postgres_url: str) -> None:
    put(store, entry("a.md", "a"))
    assert ask(postgres_url, OTHERWISE_COMPARED) == []


def test_the_database_of_these_tests_sorts_as_people_do(postgres_server: str) -> None:
    if not natural_language():
        pytest.skip("this machine has no locale of a language, and none can be made")
    assert ask(postgres_server, "SELECT 'a' < 'B', '/b' < '0'") == [(True, False)]


def test_many_who_open_it_first_make_it_once(postgres_url: str, tmp_path: Path) -> None:
    stores: list[PostgresStore] = []
    threads = [
        threading.Thread(target=lambda: stores.append(PostgresStore.open(tmp_path, postgres_url))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.generation() for store in stores] == [0] * 6
    for store in stores:
        store.close()


def test_what_belongs_to_somebody_else_is_left_alone(postgres_url: str, tmp_path: Path) -> None:
    schema = postgres_url.partition("schema=")[2]
    ask(postgres_url.partition("&schema")[0], f"CREATE SCHEMA {schema}")
    ask(postgres_url, "CREATE TABLE documents (mine integer)")
    with pytest.raises(CorruptIndex, match="something other than an index"):
        PostgresStore.open(tmp_path, postgres_url)
    assert ask(postgres_url, "SELECT mine FROM documents") == []


# -- failures


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(UnreachableIndex, match=r"^postgresql://me@127.0.0.1:1/db.* cannot connect") as refused:
        open_store(tmp_path, "postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(refused.value)
    assert "that the server runs" in refused.value.remedy


def test_a_database_that_is_not_there(postgres_server: str, tmp_path: Path) -> None:
    with pytest.raises(UnreachableIndex, match=r"does not exist.*create the database"):
        open_store(tmp_path, postgres_server.replace("/postgres?", "/nowhere?"))


def test_a_wrong_password(postgres_server: str, tmp_path: Path) -> None:
    ask(postgres_server, "DROP ROLE IF EXISTS locked_out; CREATE ROLE locked_out LOGIN PASSWORD 'right'")
    with pytest.raises(UnreachableIndex, match=r"password authentication failed.*PGPASSWORD") as refused:
        open_store(tmp_path, postgres_server.replace("//postgres:@", "//locked_out:secret@"))
    assert "secret" not in str(refused.value)


def test_without_pgvector_and_the_right_to_install_it(postgres_database: str, tmp_path: Path) -> None:
    ask(postgres_database, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    with pytest.raises(UnwritableIndex, match=r"no permission to install pgvector.*CREATE EXTENSION vector"):
        open_store(tmp_path, postgres_database.replace("//postgres:@", "//guest:@"))


def test_without_the_right_to_make_a_schema(postgres_database: str, tmp_path: Path) -> None:
    ask(postgres_database, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN; CREATE EXTENSION vector")
    with pytest.raises(UnwritableIndex, match=r"the server refuses: permission denied.*ask for the right"):
        open_store(tmp_path, postgres_database.replace("//postgres:@", "//guest:@"))


def test_without_the_right_to_write(postgres_database: str, tmp_path: Path) -> None:
    url = f"{postgres_database}&schema=shelf"
    with headnote.Index.open(tmp_path, embedder="none", store=url):
        pass
    ask(
        postgres_database,
        """DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA shelf TO guest;
        GRANT SELECT ON ALL TABLES IN SCHEMA shelf TO guest""",
    )
    write(tmp_path, {"a.md": "# A"})
    with headnote.Index.open(tmp_path, embedder="none", store=url.replace("//postgres:@", "//guest:@")) as index:
        assert index.documents() == []
        with pytest.raises(UnwritableIndex, match="the role guest may read this index, not write it"):
            index.update(workers=1)
    ask(postgres_database, "DROP OWNED BY guest; DROP ROLE guest")


def test_a_connection_that_is_lost_in_the_middle(store: PostgresStore, postgres_url: str) -> None:
    put(store, entry("a.md", "alpha"))

    def lose() -> None:
        with store.writing() as writer:
            writer.put([entry("b.md", "beta")])
            (backend,) = writer.db.execute("SELECT pg_backend_pid()").fetchone()
            ask(postgres_url, f"SELECT pg_terminate_backend({backend}, 5000)")
            writer.put([entry("c.md", "gamma")])

    with pytest.raises(UnreachableIndex, match=r"the connection was lost.*committed work is safe"):
        lose()
    assert paths(store) == ["a.md"]
    put(store, entry("b.md", "beta"))
    assert paths(store) == ["a.md", "b.md"]
    assert store.check() == []


def test_a_server_that_stops_during_an_update(tmp_path: Path) -> None:
    """The error says so, and the next run completes what was begun."""
    folder = Path(tempfile.mkdtemp(prefix="headnote-pg-"))
    try:
        server = start_server(folder)
        write(tmp_path / "root", PAGES)

        def stop_at(stage: str, done: int) -> Any:
            def watch(progress: Progress) -> None:
                if (progress.stage, progress.done) == (stage, done):
                    server.stop()

            return watch

        with headnote.Index.open(tmp_path / "root", embedder="hashing:16", store=server.get_uri()) as index:
            for moment in (("read", 10), ("embed", 30)):
                with pytest.raises(UnreachableIndex, match=r"lost|cannot connect"):
                    index.update(workers=1, on_progress=stop_at(*moment))
                start_again(server)
                assert index.check() == []
            index.update(workers=1)
            assert index.documents() == sorted(PAGES)
            assert index.status().pending == 0
            assert index.check() == []
            assert [hit.path for hit in index.search("word7", mode="keyword")][:1] == ["page7.md"]
        server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# -- several writers


def test_writers_on_different_documents_do_not_wait(store: PostgresStore, postgres_url: str, tmp_path: Path) -> None:
    other = PostgresStore.open(tmp_path, postgres_url)
    with store.writing(concurrent=True) as one, other.writing(concurrent=True) as two:
        one.put([entry("a.md", "alpha")])
        two.put([entry("b.md", "beta")])
        for writer in (one, two):
            pending = writer.pending("m", 9)
            writer.add_vectors("m", [text.hash for text in pending][:0], np.ones((0, 4)))
        with pytest.raises(LockedIndex, match="being updated by process"), store.writing(0.1):
            pass
    assert paths(store) == ["a.md", "b.md"]
    assert store.generation() == 2
    assert store.check() == []
    other.close()


def test_writers_on_the_same_document_wait_for_each_other(store: PostgresStore) -> None:
    """Four who put the same and their own, again and again: nothing is lost, nothing is there twice."""

    def work(number: int) -> None:
        for turn in range(6):
            with store.writing(concurrent=True) as writer:
                writer.put(
                    [entry("all.md", f"turn {turn} of {number}"), entry(f"own{number}-{turn}.md", f"own {turn}")]
                )
                pending = writer.pending("m", 5)
                writer.add_vectors("m", [text.hash for text in pending], np.ones((len(pending), 4)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths(store)) == 25
    assert store.generation() == 24
    assert store.check() == []
    with store.reading() as reader:
        assert reader.db.execute("SELECT changed FROM models").fetchall() == [(24,)]


def test_writers_with_folders_of_their_own_leave_each_other_alone(postgres_url: str, tmp_path: Path) -> None:
    """Two machines, each with a part of the files, at the same time and again: each cares for its own part."""
    write(tmp_path / "left", {f"left/{name}": text for name, text in PAGES.items()})
    write(tmp_path / "right", {f"right/{name}": text for name, text in PAGES.items()})
    failures: list[BaseException] = []

    def work(side: str) -> None:
        try:
            root = tmp_path / side
            part: dict[str, Any] = {"include": [f"{side}/**"], "store": postgres_url, "adopt": True}
            with headnote.Index.open(root, embedder="hashing:16", **part) as index:
                index.update(workers=1, wait=60)
                assert index.drift().is_empty
                (root / side / "page3.md").unlink()
                index.update(workers=1, wait=60)
        except BaseException as error:  # noqa: BLE001  raised below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(side,)) for side in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    expected = sorted(f"{side}/{name}" for side in ("left", "right") for name in PAGES if name != "page3.md")
    with headnote.Index.open(tmp_path, embedder="hashing:16", store=postgres_url, read_only=True) as index:
        assert index.documents() == expected
        assert index.status().pending == 0
        assert index.check() == []
        assert {link.resolved for link in index.links("left/page5.md")} == {"left/page6.md"}


def test_two_checkouts_of_one_folder_agree(postgres_url: str, tmp_path: Path) -> None:
    """The same files with other times: the second writer finds that nothing has changed, and embeds nothing again."""
    write(tmp_path / "a", PAGES)
    shutil.copytree(tmp_path / "a", tmp_path / "b", copy_function=shutil.copyfile)
    for name in ("a", "b"):
        with headnote.Index.open(tmp_path / name, embedder="hashing:16", store=postgres_url, adopt=True) as index:
            report = index.update(workers=1)
            assert index.documents() == sorted(PAGES)
    assert (report.plan.added, report.plan.changed, report.plan.removed, report.embedded) == ([], [], [], 0)
    assert len(report.plan.touched) == len(PAGES)


# -- vectors


def random_vectors(count: int, dims: int = 32) -> Any:
    matrix = np.random.default_rng(3).normal(size=(count, dims)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_many_vectors_are_found_through_an_index(postgres_url: str, tmp_path: Path) -> None:
    small, large = (PostgresStore.open(tmp_path, postgres_url, exact=exact) for exact in (1_000_000, 100 * 32))
    put(small, *(entry(f"{number % 10}/{number}.md", f"text {number}") for number in range(600)))
    matrix = random_vectors(600)
    with large.writing() as writer:
        pending = writer.pending("m", 5000)
        writer.add_vectors("m", [text.hash for text in pending], matrix)
    assert ask(postgres_url, "SELECT indexed FROM models") == [(True,)]
    few, many = Filter(InPath(("3",))), Filter(InPath(("1", "2", "3", "4")))
    queries = random_vectors(610)[600:]
    shared = 0
    with large.reading() as reader:
        for query in queries:
            best = np.argsort(-(matrix.astype(np.float16).astype(np.float32) @ query))[:50]
            found_ids = [chunk for chunk, _ in reader.nearest("m", query, 50)]
            expected = {f"text {number}" for number in best}
            shared += len({chunk.text for chunk in reader.chunks(found_ids)} & expected)
            for only in (few, many):
                hits = reader.nearest("m", query, 20, only)
                assert [similarity for _, similarity in hits] == sorted((s for _, s in hits), reverse=True)
                places = {chunk.path.partition("/")[0] for chunk in reader.chunks([chunk for chunk, _ in hits])}
                assert places <= ({"3"} if only == few else {"1", "2", "3", "4"})
                assert len(hits) == 20
        reader.db.execute("SELECT pg_stat_force_next_flush()")
    scans = ask(postgres_url, "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'vectors_of_model_1'")
    assert scans == [(2 * len(queries),)], "one without a filter and one with a wide one for each query"
    assert shared / (50 * len(queries)) > 0.95
    assert large.check() == []
    assert any("index of vectors" in line for line in large.repair())
    assert large.check() == []
    with large.writing() as writer:
        assert writer.sweep([]) == 600
    assert ask(postgres_url, "SELECT count(*) FROM pg_class WHERE relname LIKE 'vectors_of_model%'") == [(0,)]
    for store in (small, large):
        store.close()


# -- the doctor


DAMAGE = {
    "DELETE FROM lengths WHERE chunk = 1": "1 chunks that the keyword index does not have",
    "INSERT INTO postings VALUES (99, 1, 0, 0, 1, 0, 0, 'x')": "1 words of the keyword index without a chunk",
    "UPDATE postings SET text = 3 WHERE chunk = 2": "b.md: the keyword index",
    "DELETE FROM postings WHERE chunk = 2": "b.md: the keyword index",
    "DELETE FROM document_tags": "a.md: what filters ask for",
    "DELETE FROM document_tags WHERE tag = 'own'": "a.md: what filters ask for",
    "UPDATE names SET number = 7 WHERE document = 2 AND kind = 2": "b.md: it is found by other names",
    "UPDATE fields SET value = 'final'": "a.md: what filters ask for",
    "UPDATE documents SET text = 'other text' WHERE id = 2": "b.md: chunk 0",
    'UPDATE chunks SET "end" = 9999 WHERE id = 2': "b.md: chunk 0 lies outside of the text",
    "UPDATE chunks SET number = 5 WHERE id = 2": "b.md: a chunk is missing",
    "UPDATE chunks SET carried = '{' WHERE id = 2": "b.md: unreadable",
    "UPDATE links SET chunk = 7": "a.md: a link belongs to a chunk that does not exist",
    "UPDATE links SET resolved_chunk = 7": "1 links to a chunk that does not exist",
    "UPDATE models SET dims = 5": "2 vectors of the wrong length",
    "UPDATE name_vectors SET data = 'x'": "vectors of names of the wrong size",
    "UPDATE documents SET name = 'x' WHERE id = 2": "b.md: names that its title and headings do not say",
    "UPDATE models SET changed = 99": "1 models from a generation to come",
    "UPDATE models SET indexed = true": "1 indexes of vectors that are broken or missing",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_seen_and_repaired(store: PostgresStore, postgres_url: str, damage: str) -> None:
    tagged = entry("a.md", "---\ntags: [x]\nstatus: draft\n---\n\nalpha #own\n")
    put(store, tagged._replace(links=[link("a.md", "b.md", "b.md", resolved_chunk=0)]), entry("b.md", "# B\n\nbeta\n"))
    with store.writing() as writer:
        pending = writer.pending("m", 9)
        writer.add_vectors("m", [text.hash for text in pending], np.ones((len(pending), 4)))
        names = writer.pending_names("m")
        writer.add_names("m", names, np.ones((len(names), 4)))
    assert store.check() == []
    ask(postgres_url, damage)
    complaints = store.check()
    assert any(DAMAGE[damage] in complaint for complaint in complaints), complaints
    assert store.repair()
    assert store.check() == []
    put(store, entry("a.md", "alpha again"), entry("c.md", "gamma"))
    assert search_paths(store, "alpha") == ["a.md"]
    assert store.check() == []


@pytest.mark.parametrize(
    "damage", ["UPDATE chunks SET heading_path = '{'", "UPDATE documents SET tags = '7'", "UPDATE models SET dims = 5"]
)
def test_what_cannot_be_decoded_is_damage(tmp_path: Path, postgres_url: str, damage: str) -> None:
    write(tmp_path, PAGES)
    with headnote.Index.open(tmp_path, embedder="hashing:16", store=postgres_url) as index:
        index.update(workers=1)
    ask(postgres_url, damage)
    # Another one, which remembers nothing.
    with (
        headnote.Index.open(tmp_path, embedder="hashing:16", store=postgres_url) as index,
        pytest.raises(CorruptIndex, match="headnote doctor --repair"),
    ):
        index.search("word7")


def test_both_stores_say_the_same(postgres_url: str, tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    states = []
    for target in ("sqlite", postgres_url):
        with headnote.Index.open(tmp_path, embedder="hashing:16", store=target) as index:
            index.update(workers=1)
        states.append(state(tmp_path, "hashing:16", open_store(tmp_path, target)))
    assert states[0] == states[1]

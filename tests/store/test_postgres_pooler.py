"""Through pgbouncer in transaction mode: reading works as it is, writing by a direct address, and never by accident."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from index_states import write
from pooler import pooler
from store_samples import entry, paths, put

import headnote
from headnote.errors import LockedIndex, SettingsError, UnwritableIndex
from headnote.store.postgres.store import PostgresStore
from headnote.store.postgres.target import target_of

pytest_plugins = ("store_fixtures",)
psycopg = pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")

PAGES = {f"page{number}.md": f"# Page {number}\n\nword{number} [[page{number + 1}]]\n" for number in range(30)}


@pytest.fixture(scope="session")
def socket_folder(postgres_server: str) -> str:
    return parse_qs(urlsplit(postgres_server).query)["host"][0]


@pytest.fixture(scope="session")
def pool(socket_folder: str) -> Iterator[str]:
    """The address of a pooler with two connections, for any number of clients."""
    with pooler(socket_folder) as address:
        yield address


@pytest.fixture
def pooled_url(postgres_url: str, pool: str) -> str:
    """The same index through the pooler."""
    return f"postgresql://postgres@{pool}/postgres?schema={postgres_url.partition('schema=')[2]}"


@pytest.fixture
def url_with_both(pooled_url: str, socket_folder: str) -> str:
    return f"{pooled_url}&direct={socket_folder}:5432"


def test_an_index_lives_behind_a_pooler(url_with_both: str, tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    with headnote.Index.open(tmp_path, embedder="hashing:16", store=url_with_both) as index:
        index.update(workers=1)
        assert [hit.path for hit in index.search("word7", mode="keyword")][:1] == ["page7.md"]
        assert index.search("Page 3", mode="hybrid")
        write(tmp_path, {"new.md": "# New\n\nsomething else\n"})
        index.update(workers=1)
        assert "new.md" in index.documents()
        assert index.check() == []


def test_more_readers_than_connections(url_with_both: str, tmp_path: Path) -> None:
    """Each search is one transaction, which leaves nothing behind on the connection it was lent."""
    store = PostgresStore.open(tmp_path, url_with_both)
    put(store, entry("a.md", "alpha"))
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(paths(store))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert found == [["a.md"]] * 12


def test_nothing_of_ours_stays_on_a_connection_of_the_pooler(url_with_both: str, pool: str, tmp_path: Path) -> None:
    store = PostgresStore.open(tmp_path, url_with_both)
    put(store, entry("a.md", "alpha"))
    assert paths(store) == ["a.md"]
    store.close()
    with psycopg.connect(f"postgresql://postgres@{pool}/postgres", autocommit=True, prepare_threshold=None) as other:
        settings = other.execute("SELECT current_setting('search_path'), current_setting('jit')").fetchone()
        (locks,) = other.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
    assert settings == ('"$user", public', "on")
    assert locks == 0


def test_without_a_direct_address_an_update_says_what_is_missing(
    pooled_url: str, url_with_both: str, tmp_path: Path
) -> None:
    write(tmp_path, PAGES)
    with headnote.Index.open(tmp_path, embedder="none", store=url_with_both) as index:
        index.update(workers=1)
    with headnote.Index.open(tmp_path, embedder="none", store=pooled_url) as index:
        assert index.search("word7", mode="keyword")
        write(tmp_path, {"new.md": "# New\n"})
        with pytest.raises(UnwritableIndex, match=r"a connection pooler.*direct=HOST:PORT"):
            index.update(workers=1)
        assert index.search("word7", mode="keyword")


def test_the_lock_names_its_holder_through_the_pooler(url_with_both: str, tmp_path: Path) -> None:
    one, two = (PostgresStore.open(tmp_path, url_with_both) for _ in range(2))
    with (
        one.writing(),
        pytest.raises(LockedIndex, match=r"being updated by process \d+ on \S+ since 20\d\d-"),
        two.writing(0.1),
    ):
        pass
    put(two, entry("a.md", "alpha"))
    assert paths(one) == ["a.md"]
    one.close()
    two.close()


@pytest.mark.parametrize(
    ("direct", "host", "port"),
    [
        ("db.example.com:5433", "db.example.com", "5433"),
        ("db.example.com", "db.example.com", "5432"),
        ("[::1]:5433", "::1", "5433"),
        ("/run/postgresql", "/run/postgresql", "5432"),
        ("%2Frun%2Fpostgresql:5433", "/run/postgresql", "5433"),
    ],
)
def test_the_direct_address_changes_only_the_place(direct: str, host: str, port: str, tmp_path: Path) -> None:
    target = target_of(tmp_path, f"postgresql://me:secret@pool:6432/db?sslmode=require&direct={direct}")
    assert psycopg.conninfo.conninfo_to_dict(target.direct) == {
        "user": "me",
        "password": "secret",
        "dbname": "db",
        "sslmode": "require",
        "host": host,
        "port": port,
    }
    assert "direct" not in psycopg.conninfo.conninfo_to_dict(target.connection)
    assert "secret" not in target.shown


def test_a_direct_address_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="direct=HOST:PORT"):
        target_of(tmp_path, "postgresql://me@pool:6432/db?direct=postgresql%3A//me:secret%40db/x")

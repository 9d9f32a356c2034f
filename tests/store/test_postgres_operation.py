"""What an administrator does with an index in PostgreSQL: roles, backups, upgrades."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from index_states import write
from postgres_server import run_program

import headnote
from headnote.api.keeper import keep_fresh
from headnote.cli.access import open_for_server
from headnote.errors import UnwritableIndex

pytest_plugins = ("store_fixtures",)
psycopg = pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")

PAGES = {f"page{number}.md": f"# Page {number}\n\nword{number} [[page{number + 1}]]\n" for number in range(30)}
READER = """
CREATE ROLE headnote_reader LOGIN;
GRANT USAGE ON SCHEMA shelf TO headnote_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA shelf TO headnote_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA shelf GRANT SELECT ON TABLES TO headnote_reader;
"""
"""As docs/postgres.md has it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "docs", PAGES)
    return tmp_path / "docs"


@pytest.fixture
def shelf(postgres_database: str, folder: Path) -> str:
    """An index of the folder, in the schema `shelf` of a database of its own."""
    url = f"{postgres_database}&schema=shelf"
    with headnote.Index.open(folder, embedder="hashing:16", store=url) as index:
        index.update(workers=1)
    return url


@pytest.fixture
def reading_role(shelf: str) -> Iterator[str]:
    """The same index, for a role that may only read."""
    with psycopg.connect(shelf.partition("&schema")[0], autocommit=True) as administrator:
        administrator.execute(READER)
        yield shelf.replace("//postgres:@", "//headnote_reader:@")
        administrator.execute("DROP OWNED BY headnote_reader; DROP ROLE headnote_reader")


# -- a role that may only read


def test_a_reading_role_searches(reading_role: str, folder: Path) -> None:
    with headnote.Index.open(folder, embedder="hashing:16", store=reading_role) as index:
        assert index.read_only
        assert [hit.path for hit in index.search("word7")][:1] == ["page7.md"]
        assert index.ask("where is word7").citations
        assert index.check() == []


def test_a_reading_role_may_not_index(reading_role: str, folder: Path) -> None:
    write(folder, {"new.md": "# New\n"})
    with headnote.Index.open(folder, embedder="hashing:16", store=reading_role) as index:
        with pytest.raises(UnwritableIndex, match="the role headnote_reader may read this index, not write it"):
            index.update(workers=1)
        assert "new.md" not in index.documents()
        assert index.search("word7")


def test_a_server_of_a_reading_role_answers_and_does_not_try_to_write(
    reading_role: str, folder: Path, tmp_path: Path
) -> None:
    """`serve` and `mcp`, from the folder of the index and from any other."""
    (tmp_path / "elsewhere").mkdir()
    for root in (folder, tmp_path / "elsewhere"):
        with keep_fresh(partial(open_for_server, root, "hashing:16", False, {"store": reading_role})) as keeper:
            served = keeper.served()
            assert [hit.path for hit in served.index.search("word7")][:1] == ["page7.md"]
            assert keeper.updated.wait(60)
            assert served.state().problem == ""


# -- backup


def test_a_backup_is_restored_into_another_database(
    shelf: str, folder: Path, postgres_server: str, tmp_path: Path
) -> None:
    socket = parse_qs(urlsplit(postgres_server).query)["host"][0]
    file = tmp_path / "shelf.dump"
    with psycopg.connect(postgres_server, autocommit=True) as administrator:
        administrator.execute("CREATE DATABASE restored")
        try:
            address = ["-h", socket, "-U", "postgres"]
            run_program("pg_dump", *address, "-Fc", "-n", "shelf", "-f", str(file), urlsplit(shelf).path[1:])
            run_program("psql", *address, "-c", "CREATE EXTENSION vector", "restored")
            run_program("pg_restore", *address, "--no-owner", "-d", "restored", str(file))
            _goes_on(postgres_server.replace("/postgres?", "/restored?") + "&schema=shelf", shelf, folder)
        finally:
            administrator.execute("DROP DATABASE restored WITH (FORCE)")


def _goes_on(restored: str, original: str, folder: Path) -> None:
    """The restored index answers as the original does, and is updated as if nothing had happened."""
    queries = ("word7", "Page 3", "page word")
    found = []
    for url in (original, restored):
        with headnote.Index.open(folder, embedder="hashing:16", store=url, read_only=True) as index:
            found.append([[(hit.path, hit.score) for hit in index.search(query)] for query in queries])
    assert found[0] == found[1]
    write(folder, {"new.md": "# New\n\nanother word\n"})
    with headnote.Index.open(folder, embedder="hashing:16", store=restored) as index:
        report = index.update(workers=1)
        assert (report.plan.added, report.plan.changed, report.rebuilt) == (["new.md"], [], "")
        assert index.check() == []

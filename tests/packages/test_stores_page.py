"""The page on vector stores, run with the stores themselves.

They bring a hundred packages, some of which change how others run, so they have an environment of their own."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

from artefacts import Environment, needs_pypi, run

STORES = ("qdrant-client", "chromadb", "lancedb")
RUN = """
import sys
from pathlib import Path
from running_pages import NO_DATABASE, Page

sys.stdout.write(Page(Path(sys.argv[2]), NO_DATABASE).run(Path(sys.argv[1]).read_text(encoding="utf-8")))
"""


@needs_pypi
def test_the_page_prints_what_it_shows(repository: Path, tmp_path: Path) -> None:
    own = Environment(tmp_path / "environment")
    venv.create(own.folder, with_pip=False)
    run(sys.executable, "-m", "uv", "pip", "install", "-q", "--python", own.python, repository, *STORES)
    page, folder = repository / "docs" / "recipes" / "stores.md", tmp_path / "run"
    folder.mkdir()
    variables = {"PYTHONPATH": str(repository / "tests"), "PYTHONUTF8": "1"}
    assert run(own.python, "-c", RUN, page, folder, cwd=folder, variables=variables) == page.read_text(encoding="utf-8")

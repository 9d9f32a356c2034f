"""The pages in docs/ are true: their examples are run, and their tables are compared with the settings.

Each example is a file in a fenced block, ```` ```markdown name.md ````, and a session in another, ```` ```console ````,
that begins with the command. `handbook` is our example. To update the outputs after an intended change:

    python tests/test_strategy_docs.py
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from unittest import mock

import pytest

import headnote
from headnote.chunking.aliases import FIELD_OF_ALIAS
from headnote.chunking.budgets import OVERLAPS, SIZES
from headnote.chunking.presets import make_settings, presets
from headnote.chunking.settings import Packing, Settings, Strategy
from headnote.cli.main import main
from headnote.model import Block, Chunk

REPOSITORY = Path(__file__).resolve().parents[1]
STRATEGY_PAGES = sorted((REPOSITORY / "docs" / "strategies").glob("*.md"))
PAGES = [
    *STRATEGY_PAGES,
    *(REPOSITORY / "docs" / f"{name}.md" for name in ("index", "indexing", "chunks", "settings", "commands")),
]
HANDBOOK = REPOSITORY / "examples" / "handbook"

AUTHENTICATION = [
    "Authentication",
    "Authentication > Basic Auth",
    "Authentication > OAuth",
    "Authentication > OAuth > Authorization Code",
]


def fences(text: str) -> list[Block]:
    return [block for block in headnote.parse(text) if block.kind == "code"]


def content(text: str, block: Block) -> str:
    return "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1])


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """Change to an empty folder, without settings in it, above it or in the environment."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HEADNOTE_")} | {"NO_COLOR": "1"}
    environment = mock.patch.dict(os.environ, plain, clear=True)
    with tempfile.TemporaryDirectory() as folder, environment, contextlib.chdir(folder):
        yield Path(folder)


def output_of(command: str) -> str:
    prompt, name, *arguments = shlex.split(command)
    assert (prompt, name) == ("$", "headnote")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        main(arguments)
    return printed.getvalue()


def run_again(text: str) -> str:
    """The page with the current output of every command in it."""
    pieces, done = [], 0
    with empty_folder() as folder:
        if " handbook" in text:
            shutil.copytree(HANDBOOK, folder / "handbook", ignore=shutil.ignore_patterns(".headnote"))
        for block in fences(text):
            language, _, name = block.info.partition(" ")
            if language == "markdown" and name:
                (folder / name).write_text(content(text, block), encoding="utf-8")
            elif language == "console":
                fence, command, *_ = text[block.start : block.end].splitlines()
                mark = fence.removesuffix("console")
                pieces.append(f"{text[done : block.start]}{fence}\n{command}\n{output_of(command)}{mark}")
                done = block.end
    return "".join([*pieces, text[done:]])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_the_page_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert run_again(text) == text


@pytest.mark.parametrize("page", STRATEGY_PAGES, ids=lambda page: page.stem)
def test_every_strategy_page_has_an_example(page: Path) -> None:
    infos = [block.info for block in fences(page.read_text(encoding="utf-8"))]
    assert "console" in infos
    assert any(info.startswith("markdown ") for info in infos)


def test_every_strategy_has_a_page() -> None:
    assert {page.stem for page in STRATEGY_PAGES} == {*get_args(Strategy), "default"}


def test_the_four_chunks_of_the_authentication_document() -> None:
    page = (REPOSITORY / "docs" / "strategies" / "section.md").read_text(encoding="utf-8")
    document = next(content(page, block) for block in fences(page) if block.info.startswith("markdown "))
    chunks = headnote.chunk(document, path="authentication.md", preset="refdocs", merge=False)
    assert [chunk.breadcrumb for chunk in chunks] == AUTHENTICATION
    assert [chunk.id for chunk in chunks] == [f"authentication.md:{number}" for number in range(4)]
    assert [chunk.title for chunk in chunks] == ["Authentication", "Basic Auth", "OAuth", "Authorization Code"]
    assert not any(chunk.text.startswith("#") for chunk in chunks)


def test_boundaries_stay_where_the_default_page_says_so() -> None:
    page = (REPOSITORY / "docs" / "strategies" / "default.md").read_text(encoding="utf-8")
    documents = {block.info.partition(" ")[2]: content(page, block) for block in fences(page)}

    def unchanged(packing: Packing) -> int:
        before, after = (
            {chunk.key for chunk in headnote.chunk(documents[name], max_tokens=64, packing=packing)}
            for name in ("before.md", "after.md")
        )
        return len(before & after)

    assert unchanged("stable") == 2
    assert unchanged("greedy") == 0


def rows_of(page: str, first_cell: str) -> list[list[str]]:
    """The cells of all rows with this first cell."""
    rows = re.findall(rf"^\| {re.escape(first_cell)} \|(.*)\|$", page, re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]


@pytest.fixture(scope="module")
def settings_page() -> str:
    return (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("alias", FIELD_OF_ALIAS)
def test_every_name_of_another_system_is_listed(alias: str, settings_page: str) -> None:
    spellings = {alias, alias.upper(), re.sub(r"_(\w)", lambda match: match[1].upper(), alias)}
    [row] = [row for spelling in spellings for row in rows_of(settings_page, f"`{spelling}`")]
    assert row[0] == f"`{FIELD_OF_ALIAS[alias]}`"


FIELDS_OF_SYSTEM = {
    "mdvdb": "id source_path heading_hierarchy content start_line end_line chunk_index is_sub_split",
    "ragdocs": "chunk_id doc_id content metadata chunk_index header_path start_pos end_pos file_path modified_time",
    "refdocs": "id file title headings body startLine endLine tokenEstimate",
    "blocks": "chunk_text est_tokens breadcrumb section_title doc_id path block_start block_end Index StartRune",
}


@pytest.mark.parametrize("system", FIELDS_OF_SYSTEM)
def test_every_field_of_another_system_has_its_place(system: str, settings_page: str) -> None:
    rows = [row for row in rows_of(settings_page, f"`{system}`") if len(row) == 3]
    there, here = (set(re.findall(r"`(\w+)`", " ".join(row[at] for row in rows))) for at in (0, 1))
    assert set(FIELDS_OF_SYSTEM[system].split()) <= there
    assert here <= set(Chunk.FIELDS)


def target_max_min_overlap(settings: Settings) -> str:
    sizes = (settings.target_tokens, settings.max_tokens, settings.min_tokens, settings.overlap_tokens)
    return " / ".join(map(str, sizes))


@pytest.mark.parametrize("word", SIZES)
def test_the_table_of_sizes_is_true(word: str, settings_page: str) -> None:
    [cells] = [row for row in rows_of(settings_page, f"`{word}`") if len(row) == len(presets())]
    for preset, cell in zip(presets(), cells, strict=True):
        assert cell == target_max_min_overlap(make_settings(preset, size=word)), preset


@pytest.mark.parametrize("given", [{"max_tokens": 1024}, {"max_tokens": 128}, {"max_tokens": 64}, {"min_tokens": 400}])
def test_the_table_of_a_single_size_is_true(given: dict[str, Any], settings_page: str) -> None:
    [(name, size)] = given.items()
    [cells] = rows_of(settings_page, f"`{name} = {size}`")
    for preset, cell in zip(("default", "mdvdb", "blocks"), cells, strict=True):
        assert cell == target_max_min_overlap(make_settings(preset, **given)), preset


def test_the_page_says_in_which_presets_target_rises_with_max(settings_page: str) -> None:
    rising = [name for name in presets() if make_settings(name, max_tokens=5000).target_tokens == 5000]
    listed = ", ".join(f"`{name}`" for name in rising)
    assert f"the presets whose target is their max ({listed})" in settings_page


@pytest.mark.parametrize("preset", ["refdocs", "blocks"])
def test_an_estimate_includes_the_breadcrumb(preset: str) -> None:
    text = f"# Tide gauges\n\n## Radio\n\n{'A gauge sends every minute. ' * 30}\n"
    for breadcrumb in (True, False):
        [chunk] = headnote.chunk(text, preset=preset, breadcrumb=breadcrumb)
        assert chunk.embed_text.startswith("Tide gauges > Radio\n") is breadcrumb
        assert chunk.tokens == math.ceil(len(chunk.embed_text) / 4)


@pytest.mark.parametrize("word", OVERLAPS)
def test_the_table_of_overlaps_is_true(word: str, settings_page: str) -> None:
    [[_, *cells]] = [row for row in rows_of(settings_page, f"`{word}`") if len(row) == 3]
    assert cells == [
        str(make_settings("default", max_tokens=size, overlap=word).overlap_tokens) for size in (512, 1000)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = "\n".join(text[block.start : block.end] for block in headnote.parse(text) if block.kind != "code")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


if __name__ == "__main__":
    for example in PAGES:
        example.write_text(run_again(example.read_text(encoding="utf-8")), encoding="utf-8")

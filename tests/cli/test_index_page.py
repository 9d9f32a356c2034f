"""The page about the index shows what happens, and every option it has."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from headnote.cli.main import app
from headnote.config import INDEX_NAMES
from test_strategy_docs import fences, run_again


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "indexing.md").read_text(encoding="utf-8")


def test_examples_print_what_the_page_says(page: str) -> None:
    assert sum(block.info == "console" for block in fences(page)) >= 3
    assert run_again(page) == page


@pytest.mark.parametrize("command", ["index", "search", "links", "doctor"])
def test_every_option_is_on_the_page(command: str, page: str) -> None:
    loaded = app.get_command(click.Context(app), command)
    assert loaded is not None
    shown = [parameter for parameter in loaded.params if not getattr(parameter, "hidden", False)]
    options = {option for parameter in shown for option in parameter.opts if "--" in option}
    # Those of chunks have a page of their own.
    others = {"--size", "--overlap"}
    assert {option for option in options - others if f"`{option}" not in page} == set()


def test_every_setting_of_the_index_is_on_the_page(page: str) -> None:
    for name in INDEX_NAMES:
        assert f"HEADNOTE_{name.upper()}`" in page


def test_links_lead_somewhere(page: str, repository: Path) -> None:
    outside_of_code = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", outside_of_code):
        assert (repository / "docs" / target).exists(), target

"""The parts of docs/configuration.md and docs/commands.md that are made from the program are as it makes them now."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest

import generated
from headnote.chunking.settings import FIELD_NAMES, Settings
from headnote.cli.formatting import setting_text
from headnote.cli.main import app
from headnote.config.folder_settings import INDEX, SEARCH
from headnote.config.server_settings import LLM, SERVER
from headnote.config.tables import Table

REPOSITORY = Path(__file__).resolve().parents[1]
OF_BUILDS_AND_TESTS = {
    f"HEADNOTE_{name}"
    for name in ("BUNDLE", "FUZZ", "PACKAGING", "SHARED", "ARTEFACTS", "CHROMIUM", "COMPILE", "COMPILED")
}


@pytest.fixture(scope="module")
def configuration() -> str:
    return (REPOSITORY / "docs" / "configuration.md").read_text(encoding="utf-8")


def rows_of(page: str, key: str) -> list[list[str]]:
    rows = re.findall(rf"^\| (`{re.escape(key)}`<br>.*) \|$", page, re.MULTILINE)
    return [row.split(" | ") for row in rows]


@pytest.mark.parametrize("page", generated.PAGES, ids=lambda page: page.stem)
def test_the_page_is_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "<!-- made: " in text
    assert generated.fill(text) == text, "run python website/generated.py"


# Settings


@pytest.mark.parametrize("name", FIELD_NAMES)
def test_every_setting_of_chunks_is_described(name: str, configuration: str) -> None:
    [[names, default, allowed, meaning]] = rows_of(configuration, name)
    assert names.startswith(f"`{name}`<br>`HEADNOTE_{name.upper()}`<br>`--")
    assert default == f"`{setting_text(getattr(Settings(), name))}`"
    assert allowed.strip()
    assert meaning.endswith(".")


@pytest.mark.parametrize("table", [INDEX, SEARCH, LLM, SERVER], ids=lambda table: table.name)
def test_every_key_of_every_table_is_described(table: Table[Any], configuration: str) -> None:
    section = configuration.partition(f"## [{table.name}]\n")[2].partition("\n## ")[0]
    for name, check in table.checks.items():
        [[names, _, allowed, meaning]] = rows_of(section, name)
        assert f"`{table.variable_of(name)}`" in names
        assert allowed == check.allowed
        assert meaning.endswith(".")


def test_every_variable_is_described(configuration: str) -> None:
    mentioned = {
        name
        for file in (REPOSITORY / "src").rglob("*.py")
        for name in re.findall(r"\bHEADNOTE_[A-Z_]*[A-Z]\b", file.read_text(encoding="utf-8"))
    }
    wanted = mentioned - OF_BUILDS_AND_TESTS
    assert "HEADNOTE_EMBEDDING_DEADLINE" in wanted
    assert {name for name in wanted if f"`{name}`" not in configuration} == set()


# Commands


def test_every_command_and_option_is_described() -> None:
    page = (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8")
    context = click.Context(app)
    names = app.list_commands(context)
    assert "outline" in names
    for name in names:
        command = app.get_command(context, name)
        assert command is not None
        section = page.partition(f"## headnote {name}\n")[2].partition("\n## ")[0]
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
        options = [option for parameter in shown for option in parameter.opts if "--" in option]
        assert [option for option in options if option not in section] == []

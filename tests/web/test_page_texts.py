"""The texts of the page: what it says stands in one table, and each language has all of it.

A literal that is one word in lower case and gets into the page by a variable is seen by no test here; the page in
German (`tests/browser/test_page_languages.py`) is there for a reader to look at.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from headnote.web.page_files import page

pytest_plugins = ("web_fixtures",)

STATIC = Path(str(files("headnote.web") / "static"))
TABLE = STATIC / "js/core/texts.js"
LANGUAGES = sorted(STATIC.glob("texts/*.json"))
Text = str | dict[str, str]

NO_READER = ["code-worker.js"]
"""Modules that nobody reads: lists of languages and of classes."""
NO_TEXTS = {
    "{} – headnote": "the name of the program",
    "status=draft, version >= 2": "an example of conditions",
    "crumbs folded": "a class",
    "crumbs foldable": "a class",
    'a[href], button, input, select, textarea, summary, [tabindex="0"]': "a selector",
    "the key {} is registered twice for {}": "for whoever writes a view",
    ".math, .katex, .embed, button, svg, [data-added]": "a selector",
    "secure securityLevel startOnLoad maxTextSize maxEdges suppressErrorRendering": "settings of mermaid",
    "theme themeVariables themeCSS fontFamily altFontFamily htmlLabels": "settings of mermaid",
    "dompurifyConfig darkMode layout look elk": "settings of mermaid",
    "Cursor": "the name of a program",
    "Windsurf": "the name of a program",
    "Zed": "the name of a program",
    "Obsidian": "the name of a program",
    "Python": "the name of a language",
    "LangChain {}/{}": "the name of a program",
    "True": "code",
    "False": "code",
    "import headnote\n\n{}\n": "code",
    "headnote chunk": "code",
    "headnote chunk {}\n": "code",
    "the text of the address is too large": "caught, and told in other words",
}
"""Literals that look like words, and why they are none that a reader needs in another language."""
KEYS = re.compile(
    r"([a-z]|Mod\+.*|\{\} [A-Z]|Shift|Control|Alt|Meta|Esc|Escape|Enter|Home|End|Delete|Backspace|Tab|Arrow\w+)"
)
"""As `KeyboardEvent.key` names them."""


@pytest.fixture(scope="module")
def scan(compiler: Path, repository: Path) -> Any:
    """The table, the keys that modules use, and the literals that they show."""
    script = repository / "tests/web/page_literals.mjs"
    modules = [str(file) for file in sorted(STATIC.glob("js/**/*.js")) if file != TABLE]
    command = ["node", str(script), str(compiler.parents[1] / "lib/typescript.js"), str(TABLE), *modules]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.fixture(scope="module")
def english(scan: Any) -> dict[str, Text]:
    table: dict[str, Text] = scan["table"]
    assert table
    return table


def placeholders(text: Text) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text if isinstance(text, str) else " ".join(text.values())))


def marked_in_index() -> Iterator[tuple[str, str]]:
    """Each text of `index.html` that has a key, with it."""
    found: list[tuple[str, str]] = []

    class Reader(HTMLParser):
        key: str | None = None

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            self.key = given.get("data-t")
            for name, key in (("aria-label", "data-t-label"), ("title", "data-t-title")):
                if name in given and tag != "meta" and "{" not in str(given[name]):
                    found.append((given.get(key) or "", given[name] or ""))

        def handle_data(self, data: str) -> None:
            if re.search(r"[^\W\d_]{2}", data) and "{" not in data and data.strip() != "headnote":
                found.append((self.key or "", data.strip()))

    Reader().feed((STATIC / "index.html").read_text(encoding="utf-8"))
    yield from found


def test_a_language_has_every_text_and_puts_the_same_into_it(english: dict[str, Text]) -> None:
    assert LANGUAGES
    for file in LANGUAGES:
        table: dict[str, Text] = json.loads(file.read_text(encoding="utf-8"))
        assert sorted(table) == sorted(english), file.name
        for key, text in english.items():
            assert placeholders(table[key]) == placeholders(text), f"{file.name}: {key}"
            assert isinstance(table[key], str) == isinstance(text, str), f"{file.name}: {key}"
            assert isinstance(text, str) or "other" in table[key], f"{file.name}: {key}"


def test_every_text_is_used(scan: Any, english: dict[str, Text]) -> None:
    """By a literal, or by a template that begins as the key does. A literal may be of another kind: keys have a dot."""
    used = {*scan["literals"], *(key for key, _ in marked_in_index())}
    beginnings = tuple(scan["beginnings"])
    assert [key for key in (*english, *beginnings) if "." not in key] == []
    assert [key for key in english if key not in used and not key.startswith(beginnings)] == []


def test_no_module_has_a_text_of_its_own(scan: Any) -> None:
    own = {
        said["text"]: f"{Path(said['file']).name}:{said['line']}"
        for said in scan["said"]
        if Path(said["file"]).name not in NO_READER and not KEYS.fullmatch(said["text"])
    }
    assert {text: place for text, place in own.items() if text not in NO_TEXTS} == {}
    assert NO_TEXTS.keys() - own.keys() == set(), "exceptions that are none any more"


def test_the_page_itself_says_what_the_table_says(english: dict[str, Text]) -> None:
    without_scripts = "This page needs JavaScript"
    marked = [(key, text) for key, text in marked_in_index() if not text.startswith(without_scripts)]
    assert len(marked) > 10
    assert [(key, text) for key, text in marked if english.get(key) != text and (key, text) != ("", "Ctrl K")] == []


def test_problems_are_told_by_codes_that_the_server_gives(english: dict[str, Text]) -> None:
    server = "".join(file.read_text(encoding="utf-8") for file in STATIC.parent.glob("*.py"))
    codes = {key.split(".")[1] for key in english if key.startswith("problem.")} - {"unreachable", "status"}
    assert codes
    assert {code for code in codes if f'"{code}"' not in server} == set()


def test_the_page_names_its_languages() -> None:
    assert page().languages == ["en", *(file.stem for file in LANGUAGES)]
    assert b'data-languages="en de"' in page().index("notes").body

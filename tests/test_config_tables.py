"""The tables `[search]`, `[llm]` and `[server]`, and those of ragdocs: who wins, what is refused, and where keys go."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from headnote import Index, SettingsError, presets
from headnote.api import trust_folder
from headnote.config import (
    SearchSettings,
    chat_environment,
    load_chat_settings,
    load_index_settings,
    load_search_settings,
    load_server_settings,
    load_settings,
)

CHUNKING_OF_RAGDOCS = """\
[chunking]
strategy = "header_based"
min_chunk_chars = 200
max_chunk_chars = 1500
overlap_chars = 50
include_parent_headers = true
"""


def write(folder: Path, text: str) -> None:
    (folder / "headnote.toml").write_text(text, encoding="utf-8")


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    write(tmp_path, '[search]\nlimit = 3\nmode = "keyword"\nmin_score = 0.2\nrecency = 30\n')
    variables = {"HEADNOTE_SEARCH_LIMIT": "4", "HEADNOTE_SEARCH_FUSION": "rrf"}
    loaded = load_search_settings({"mode": "semantic"}, tmp_path, variables)
    assert loaded.settings == SearchSettings(limit=4, mode="semantic", fusion="rrf", min_score=0.2, recency="30")
    origins = {name: Path(origin).name for name, origin in loaded.origins.items()}
    assert origins["limit"] == "HEADNOTE_SEARCH_LIMIT"
    assert origins["mode"] == "--mode"
    assert origins["min_score"] == "headnote.toml:4"
    assert origins["budget"] == "default"


def test_tables_of_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.headnote.server]\nport = 9000\nallow_host = ["docs.local"]\n')
    trust_folder(tmp_path)
    settings = load_server_settings({"host": "::1"}, tmp_path, {"HEADNOTE_TOKEN": "t" * 20}).settings
    assert (settings.host, settings.port, settings.token) == ("::1", 9000, "t" * 20)
    assert settings.allow_host == ("docs.local",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[search]\nlimits = 3\n", "headnote.toml:2: unknown setting limits (did you mean limit?)"),
        ("[search]\nlimit = 0\n", "headnote.toml:2: 0 is out of range (give a number, 1 or more)"),
        ("[search]\nlimit = true\n", "headnote.toml:2: True is not a whole number"),
        ("[search]\nfusion = 'rff'\n", "headnote.toml:2: 'rff' is not known (did you mean rrf?)"),
        ("[search]\nrecency = 'soon'\n", "headnote.toml:2: 'soon' is not a number of days"),
        ("[search]\nmin_score = nan\n", "headnote.toml:2: nan is not a score"),
        ("search = 3\n", "headnote.toml:1: search is a table"),
        ("[indexs]\nx = 1\n", "headnote.toml:1: unknown setting 'indexs' (did you mean index?)"),
        ("indexing = 3\n", "headnote.toml:1: indexing is a table"),
        ("[indexing]\nx = 1\n", "headnote.toml:2: unknown setting x (known: documents_path, recursive, include, "),
        ("[indexing]\nrecursve = true\n", "headnote.toml:2: unknown setting recursve (did you mean recursive?)"),
        ("[indexing]\nrecursive = 1\n", "headnote.toml:2: 1 is neither true nor false"),
        ("[indexing]\nexclude = 1\n", "headnote.toml:2: 1 is not a list of globs"),
        ("[indexing]\ndocuments_path = 1\n", "headnote.toml:2: 1 is not a folder"),
        ("[indexing]\nexclude_hidden_dirs = false\n", "headnote.toml:2: hidden folders are not read (name those"),
        ("[indexing]\nembedder = 'none'\n", "headnote.toml:2: embedder is not a setting of [indexing] here (write"),
        ("[indexing]\nrecursive = true\n[index]\n", "headnote.toml:2: [indexing] and [index] are the same table"),
        (
            "[indexing]\nindex_path = '.index_data/'\n",
            "headnote.toml:2: index_path is not a setting of [indexing] here (leave it out: the index is in .headnote",
        ),
        (
            "[indexing]\ndocuments_path = '~/nowhere'\n",
            "headnote.toml:2: documents_path '~/nowhere' is not the folder that is read (give the command that folder",
        ),
        ("[parsers]\n'*.md' = 1\n", "headnote.toml:2: parser 1 is not known (known: MarkdownParser, PlainTextParser)"),
        (
            "[parsers]\n'*.md' = 'MarkdwonParser'\n",
            "headnote.toml:2: parser 'MarkdwonParser' is not known (did you mean MarkdownParser?)",
        ),
        (
            "[parsers]\n'**/*.html' = 'MarkdownParser'\n",
            "headnote.toml:2: MarkdownParser does not read '**/*.html' (write formats = [\"html\"] in [index])",
        ),
        (
            "[parsers]\n'**/*.md' = 'PlainTextParser'\n",
            "headnote.toml:2: PlainTextParser does not read '**/*.md'",
        ),
        (
            "[parsers]\n'**/*.txt' = 'MarkdownParser'\n",
            "headnote.toml:2: MarkdownParser does not read '**/*.txt'",
        ),
        ("[parsers]\n'**/*' = 'MarkdownParser'\n", "headnote.toml:2: MarkdownParser does not read '**/*' (end the"),
        ("[llm]\nkey = 3\n", "headnote.toml:2: expected a string, not a int"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        Index.open(tmp_path, embedder="none")
    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)
    assert not (tmp_path / ".headnote").exists(), "a mistake leaves nothing behind"


def test_an_unknown_variable_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean HEADNOTE_SEARCH_LIMIT"):
        load_settings(None, {}, tmp_path, {"HEADNOTE_SEARCH_LIMTI": "3"})


def test_the_chunking_table_of_ragdocs_means_ragdocs(tmp_path: Path) -> None:
    write(tmp_path, CHUNKING_OF_RAGDOCS)
    loaded = load_settings(None, {}, tmp_path, {})
    assert loaded.preset == "ragdocs"
    assert loaded.settings == presets()["ragdocs"]
    write(tmp_path, f'preset = "default"\n{CHUNKING_OF_RAGDOCS}')
    assert load_settings(None, {}, tmp_path, {}).preset == "default"
    assert load_settings("refdocs", {}, tmp_path, {}).preset == "refdocs"


FILES = ("a.md", "b.markdown", "c.txt", "d.mdx", "drafts/e.md", "notes/f.md", "notes/deep/g.txt", ".hidden/h.md")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", "a.md b.markdown c.txt d.mdx drafts/e.md notes/deep/g.txt notes/f.md"),
        (
            "[indexing]\ndocuments_path = '.'\nrecursive = true\nexclude_hidden_dirs = true\ninclude = ['**/*']\n",
            "a.md b.markdown c.txt d.mdx drafts/e.md notes/deep/g.txt notes/f.md",
        ),
        ("[indexing]\nrecursive = false\n", "a.md b.markdown c.txt d.mdx"),
        ("[indexing]\nrecursive = false\nexclude = ['*.txt']\n", "a.md b.markdown d.mdx"),
        ("[indexing]\ninclude = ['**/*.md']\nexclude = ['**/drafts/**']\n", "a.md notes/f.md"),
        ("[parsers]\n'**/*.md' = 'MarkdownParser'\n", "a.md drafts/e.md notes/f.md"),
        (
            "[parsers]\n'**/*.md' = 'MarkdownParser'\n'**/*.txt' = 'PlainTextParser'\n",
            "a.md c.txt drafts/e.md notes/deep/g.txt notes/f.md",
        ),
        (
            "[indexing]\ninclude = ['notes/**']\nexclude = ['deep/']\n[parsers]\n'./notes/*.md' = 'MarkdownParser'\n",
            "notes/f.md",
        ),
        ("[index]\nexclude = ['drafts/']\n[parsers]\n'*.md' = 'MarkdownParser'\n", "a.md notes/f.md"),
        ("[parsers]\n", "a.md b.markdown c.txt d.mdx drafts/e.md notes/deep/g.txt notes/f.md"),
    ],
)
def test_the_tables_of_ragdocs_say_which_files_are_read(tmp_path: Path, text: str, read: str) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("The tide turns.\n")
    write(tmp_path, text)
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        assert " ".join(index.documents()) == read


def test_other_parsers_are_another_index(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt"):
        (tmp_path / name).write_text("The tide turns.\n")
    documents = []
    for parsers in ("'*.md' = 'MarkdownParser'\n", "'*.txt' = 'PlainTextParser'\n"):
        write(tmp_path, f"[parsers]\n{parsers}")
        with Index.open(tmp_path, embedder="none", configure="apply") as index:
            index.update()
            documents.append(index.documents())
    assert documents == [["a.md"], ["b.txt"]]


def test_the_folder_of_the_documents_may_lie_below_the_file(tmp_path: Path) -> None:
    (tmp_path / "docs" / "inner").mkdir(parents=True)
    write(tmp_path, "[indexing]\ndocuments_path = 'docs'\nexclude = ['drafts/']\n")
    for folder in ("docs", "docs/inner"):
        assert load_index_settings({}, tmp_path / folder).settings.exclude == ("drafts/",)
    with pytest.raises(SettingsError, match="as in headnote index 'docs'"):
        load_index_settings({}, tmp_path)


def test_flags_replace_what_the_tables_of_ragdocs_say(tmp_path: Path) -> None:
    write(tmp_path, "[indexing]\nexclude = ['a']\n[parsers]\n'*.md' = 'MarkdownParser'\n")
    loaded = load_index_settings({}, tmp_path, {})
    assert loaded.settings.exclude == ("*", "!*/", "!*.md", "a")
    assert loaded.origins["exclude"].endswith("headnote.toml:2")
    assert load_index_settings({"exclude": ["b"]}, tmp_path, {}).settings.exclude == ("b",)


FILE = {"url": "http://file/v1", "key": "file-key"}
VARIABLES = {"HEADNOTE_CHAT_URL": "http://here/v1", "HEADNOTE_CHAT_KEY": "own-key"}


@pytest.mark.parametrize(
    ("in_file", "in_environment", "url", "key"),
    [
        (["url"], ["KEY"], "http://file/v1", ""),
        (["url", "key"], ["KEY"], "http://file/v1", "file-key"),
        (["url", "key"], ["URL"], "http://here/v1", ""),
        (["key"], ["URL"], "http://here/v1", ""),
        (["url", "key"], ["URL", "KEY"], "http://here/v1", "own-key"),
        ([], ["URL", "KEY"], "http://here/v1", "own-key"),
        ([], ["KEY"], "", "own-key"),
    ],
)
def test_a_key_goes_only_to_the_address_beside_it(
    tmp_path: Path, in_file: list[str], in_environment: list[str], url: str, key: str
) -> None:
    write(tmp_path, "[llm]\nmodel = 'm'\n" + "".join(f"{name} = '{FILE[name]}'\n" for name in in_file))
    trust_folder(tmp_path)
    environment = {f"HEADNOTE_CHAT_{name}": VARIABLES[f"HEADNOTE_CHAT_{name}"] for name in in_environment}
    settings = load_chat_settings(tmp_path, environment).settings
    assert (settings.model, settings.url, settings.key) == ("m", url, key)
    assert "key" not in repr(settings)
    variables = chat_environment(settings, {"OPENAI_API_KEY": "x", **environment})
    assert (variables["HEADNOTE_CHAT_URL"], variables["HEADNOTE_CHAT_KEY"]) == (url, key)


def test_the_index_searches_as_the_file_says(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.md").write_text(f"# Tide {number}\n\nThe tide turns {number} times.\n")

    def hits(**given: Any) -> int:
        with Index.open(tmp_path, embedder="none") as index:
            index.update()
            return len(index.search("tide turns", **given))

    assert hits() == 5
    write(tmp_path, "[search]\nlimit = 2\n")
    assert hits() == 2
    assert hits(limit=4) == 4


def test_the_tables_of_ragdocs_in_the_documentation_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```toml\n(\[indexing\]\n.*?)```", page, re.DOTALL)
    write(tmp_path, example)
    settings = load_index_settings({}, tmp_path, {}).settings
    assert settings.include == ("**/*",)
    assert settings.exclude == ("*", "!*/", "!**/*.md", "!**/*.txt", "**/drafts/**")

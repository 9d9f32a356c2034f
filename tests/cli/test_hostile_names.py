"""Nothing that documents, file names or models say steers a terminal or the runner of a job, in any command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fake_service import DONE, delta, serve, streamed
from terminals import read_all, without_colour

from headnote.cli import terminal
from headnote.cli.main import COMMANDS, main

CONTROLS = {*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029} - {ord("\n")}
DIRECTIONS = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
FORBIDDEN = {chr(code) for code in CONTROLS | DIRECTIONS}

COLUMNS = 300
"""Of the terminal."""
UPDATE_BARS = re.compile(rf"(?:\r[^\r\n]{{{COLUMNS - 1}}})+\r")
"""A busy machine takes so long for an update that a bar is drawn, again and again, and removed."""

TITLE = "\x1b]0;owned\x07"
CSI = "\x1b[31m\x9b2J"
BIDI = "\u202eexe\u2066\u200f\u061c\u2069"
MASK = "##[add-mask]e"
EVIL = f"{TITLE}{CSI}{BIDI}\x85\x7f{MASK}"
OBEYED = re.compile(r"##\w*\[|(?m:^\s*::.*::)")
"""What the runner of a job looks for: the old form of its commands anywhere, the new one where a line begins."""
OURS = re.compile(r"(?m)^::(?:error|warning) (?=file=)")
"""The commands that `links --check --format github` writes itself."""
NAME = f"tides{EVIL}.md"
DOCUMENT = f"""\
---
title: "Title \\x1b]0;owned\\x07 \\u202E \\x9b2J"
tags: ["tag\\x1b[31m\\u202E"]
"field\\x1b[2J": "value\\u2066"
---

# Tides {EVIL}

The tide {EVIL} rises. See [gone {EVIL}](gone{BIDI}.md) and [here](b.md "{BIDI}") #t{BIDI}ag.

```{CSI}
code {EVIL}
::stop-commands::tide
 \u3000::add-mask::tide ##vso[task.setvariable variable=PATH]x
```

[::error::tide](::error::gone.md) is
::set-output name=tide::of a line, {MASK} and [more](##[error]gone.md).
"""
FIRST = "::error::##[group]tide.md"
"""A name with which a line begins, where the folder is the current one."""
QUESTIONS = {
    "questions.jsonl": {"question": f"tide {EVIL}", "gold": {"path": NAME, "lines": [9, 9]}},
    "unknown.jsonl": {"question": f"tide {EVIL}", "gold": {"path": NAME, "heading": EVIL}},
}

COMMAND_LINES: dict[str, list[list[str]]] = {
    "chunk": [["chunk", "DOCS"], ["chunk", "DOCS", "--json"], ["chunk", "DOCS", "--stats"], ["chunk", f"DOCS/{EVIL}"]],
    "outline": [["outline", "DOCS"], ["outline", "DOCS", "--json"], ["outline", f"DOCS/no{EVIL}.md"]],
    "search": [
        *(
            ["search", "tide", "DOCS", *more]
            for more in (
                *([], ["--json"], ["--explain"], ["--full"], ["--context", "3"]),
                *(["--format", form] for form in ("jsonl", "md")),
            )
        ),
        *(["search", f"x{EVIL}", "DOCS", "--path", f"{EVIL}*"], ["search", "tide", f"DOCS/{EVIL}"]),
    ],
    "grep": [
        *(["grep", "[Tt]ide", "DOCS", *more] for more in ([], ["--json"], ["-c"], ["--format", "md"])),
        *(["grep", "-F", EVIL, "DOCS"], ["grep", f"({EVIL}", "DOCS"], ["grep", "tide", f"DOCS/{EVIL}"]),
    ],
    "install": [["install", "DOCS", "--dry-run"], ["install", "DOCS", "--agent", f"no{EVIL}"]],
    "uninstall": [["uninstall", "DOCS", "--dry-run"], ["uninstall", f"DOCS/{EVIL}"]],
    "ask": [["ask", f"tide {EVIL}", "DOCS", *more] for more in ([], ["--json"], ["--no-model"])],
    "index": [["index", "DOCS", "--rebuild"], ["index", "DOCS", "--dry-run"], ["index", "DOCS", "--json"]],
    "status": [["status", "DOCS"], ["status", "DOCS", "--json"], ["status", f"DOCS/{EVIL}"]],
    "doctor": [["doctor", "DOCS"], ["doctor", "DOCS", "--json"]],
    "links": [
        *(["links", "--root", "DOCS", *more] for more in (["--broken"], ["--orphans"], ["--broken", "--json"])),
        *(["links", NAME, "--root", "DOCS", *more] for more in ([], ["--json"])),
        *(["links", "b.md", "--root", "DOCS"], ["links", f"no{EVIL}.md", "--root", "DOCS"]),
        *(["links", "--check", "DOCS", "--format", form] for form in ("text", "github", "json", "sarif")),
        *(["links", "--check", f"DOCS/no{EVIL}"], ["links", "--check", "DOCS", "--only", MASK]),
    ],
    "lint": [
        *(["lint", "DOCS", "--format", form] for form in ("text", "github", "json", "sarif")),
        *(["lint", f"DOCS/no{EVIL}"], ["lint", "DOCS", "--only", MASK], ["lint", "DOCS", "--baseline", f"no{EVIL}"]),
    ],
    "mv": [
        *(
            ["mv", f"DOCS/{NAME}", f"DOCS/new{EVIL}.md", "--root", "DOCS", "--dry-run", *more]
            for more in ([], ["--json"])
        ),
        ["mv", f"no{EVIL}.md", "c.md", "--root", "DOCS"],
    ],
    "read": [
        *(["read", NAME, "--root", "DOCS", *more] for more in ([], ["--json"], ["--format", "md"])),
        ["read", f"no{EVIL}.md", "--root", "DOCS"],
    ],
    "related": [
        *(["related", NAME, "--root", "DOCS", *more] for more in ([], ["--json"], ["--unlinked"])),
        ["related", f"no{EVIL}.md", "--root", "DOCS"],
    ],
    "context": [
        ["context", "--root", "DOCS"],
        ["context", f"no{EVIL}", f"what it is {EVIL}", "--root", "DOCS"],
    ],
    "pack": [["pack", "DOCS", "-o", "OUT"], ["pack", "--info", f"DOCS/{EVIL}"]],
    "export": [["export", "DOCS", "-o", "OUT"], ["export", f"DOCS/{EVIL}", "-o", "OUT"]],
    "config": [["config", "DOCS"], ["config", "DOCS", "--json"]],
    "trust": [["trust", "DOCS"], ["trust", "DOCS", "--json"], ["trust", "--list"], ["trust", f"DOCS/{EVIL}"]],
    "presets": [["presets"], ["presets", "--json"]],
    "eval": [
        *(["eval", "QUESTIONS", "DOCS", "--mode", "keyword", *more] for more in ([], ["--json"])),
        *(["eval", "UNKNOWN", "DOCS", "--mode", "keyword"], ["eval", f"DOCS/{EVIL}.jsonl", "DOCS"]),
    ],
    # Over stdio the server starts, and tells the agent.
    "mcp": [["mcp", f"DOCS/{EVIL}", "--http"]],
    "completion": [["completion", "bash"], ["completion", f"bash{EVIL}"]],
    "serve": [["serve", f"DOCS/{EVIL}"]],
    "open": [["open", f"DOCS/{EVIL}"]],
    "bulk": [
        ["bulk", "DOCS", "--out", "OUT"],
        ["bulk", "DOCS", "--out", "OUT", "--json"],
        ["bulk", f"DOCS/{EVIL}", "--out", "OUT"],
    ],
    "": [[f"com{EVIL}mand"], ["search", f"--opt{EVIL}"], ["search", "a", "--limit", EVIL]],
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile") / f"docs{EVIL}"
    root.mkdir()
    (root / NAME).write_text(DOCUMENT, encoding="utf-8")
    (root / "b.md").write_text(f"# B\n\n[back {EVIL}](<{NAME}>) to the tide.\n", encoding="utf-8")
    (root / FIRST).write_text(f"# {MASK}\n\nOne tide more, and [gone](gone.md).\n", encoding="utf-8")
    (root / f"binary{EVIL}.md").write_bytes(b"\x00\x01\x02" * 100)
    return root


@pytest.fixture
def hostile_docs(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(docs)
    for name, question in QUESTIONS.items():
        (tmp_path / name).write_text(json.dumps(question) + "\n", encoding="utf-8")
    return docs


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A service whose model says what nobody should print."""
    pieces = ("The tide ", EVIL, f" rises [{NAME}:8-10] [no{EVIL}.md:1-2].\r\nEnd")
    with serve(streamed([*map(delta, pieces), DONE])) as service:
        monkeypatch.setenv("HEADNOTE_CHAT_URL", service.url)
        monkeypatch.setenv("HEADNOTE_CHAT_KEY", "key")
        monkeypatch.setenv("HEADNOTE_CHAT_MODEL", "hostile")
        yield


def filled(words: list[str], docs: Path, scratch: Path) -> list[str]:
    files = {"OUT": "out", "QUESTIONS": "questions.jsonl", "UNKNOWN": "unknown.jsonl"}
    places = {"DOCS": str(docs), **{name: str(scratch / file) for name, file in files.items()}}
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    return words


def check_harmless(text: str, words: list[str]) -> None:
    assert text, words
    assert not set(text) & FORBIDDEN, (words, sorted(set(text) & FORBIDDEN), text)
    assert not (found := OBEYED.findall(OURS.sub("", text))), (words, found, text)


def test_every_command_is_tried() -> None:
    assert {name for name in COMMAND_LINES if name} == set(COMMANDS)


@pytest.mark.skipif("os.name == 'nt'", reason="such names are not allowed there")
@pytest.mark.parametrize(
    "words",
    [words for name, rows in COMMAND_LINES.items() if name != "grep" for words in rows],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("model")
def test_nothing_reaches_a_pipe_that_a_terminal_would_obey(
    words: list[str],
    hostile_docs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(filled(words, hostile_docs, tmp_path))
    written = capsys.readouterr()
    check_harmless(written.out + written.err, words)


@pytest.mark.skipif("os.name == 'nt'", reason="such names are not allowed there")
@pytest.mark.parametrize("words", COMMAND_LINES["grep"], ids=" ".join)
@pytest.mark.usefixtures("processes")
def test_nor_do_the_lines_that_a_pattern_matches(
    words: list[str], hostile_docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(filled(words, hostile_docs, tmp_path))
    written = capsys.readouterr()
    check_harmless(written.out + written.err, words)


@pytest.mark.skipif("os.name == 'nt'", reason="such names are not allowed there")
@pytest.mark.parametrize(
    "words",
    [
        *(["search", "tide", ".", "--format", form] for form in ("csv", "xml", "lines", "files")),
        *(["links", "--check", ".", "--format", form] for form in ("text", "github", "json", "sarif")),
        ["read", FIRST, NAME, "--root", "."],
    ],
    ids=lambda words: f"{words[0]}-{words[-1]}",
)
@pytest.mark.usefixtures("hostile_docs")
def test_a_line_that_begins_with_a_name_is_no_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(words)
    written = capsys.readouterr()
    assert "tide" in written.out
    assert not OBEYED.findall(OURS.sub("", written.out + written.err))


@pytest.mark.skipif("os.name == 'nt'", reason="such names are not allowed there")
@pytest.mark.usefixtures("hostile_docs")
def test_xml_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "more", ".", "--format", "xml"])
    found = ElementTree.fromstring(capsys.readouterr().out)
    assert FIRST in {hit.get("path") for hit in found}
    assert any(MASK in (hit.text or "") for hit in found)


@pytest.mark.parametrize(
    "text",
    [
        "##[group]x",
        "###[group]x",
        "a ##vso[task.x]b",
        "::error::x",
        " \N{IDEOGRAPHIC SPACE}::error::x",
        "#\N{ZERO WIDTH SPACE}#\N{SOFT HYPHEN}[group]x",
        "\N{ZERO WIDTH NO-BREAK SPACE}:\N{WORD JOINER}:error:\N{ZERO WIDTH JOINER}:x",
        "a\n::error::x",
        "a\r::error::x",
    ],
)
def test_no_command_is_left(text: str) -> None:
    """A runner compares as people of a language do, who see no difference where nothing is to be seen."""
    seen = re.sub("[\u00ad\u200b-\u200d\u2060\ufeff]", "", terminal.without_commands(text)).replace("\r", "\n")
    assert not OBEYED.search(seen)
    assert len(terminal.without_commands(text)) == len(text)


@pytest.mark.parametrize("text", ["## [link](x)", "::: tip", "std::vector", "a ::b:: c", "#[derive]", "::", ""])
def test_what_no_runner_obeys_is_left_alone(text: str) -> None:
    assert terminal.without_commands(text) == text


def test_a_command_in_pieces_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.write_lines(
        [[terminal.StyledText("##", "bold"), terminal.StyledText("[gr"), terminal.StyledText("oup]x")]]
    )
    assert capsys.readouterr().out == "#\N{REPLACEMENT CHARACTER}[group]x\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo terminals")
@pytest.mark.parametrize("name", ["chunk", "outline", "search", "ask", "links", "status"])
@pytest.mark.usefixtures("model")
def test_nothing_reaches_a_terminal_that_it_would_obey(name: str, hostile_docs: Path, tmp_path: Path) -> None:
    """With colours, bars, and answers as they come."""
    words = filled(COMMAND_LINES[name][0], hostile_docs, tmp_path)
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    with subprocess.Popen(
        [sys.executable, "-m", "headnote", *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        text = read_all(ours)
        process.wait(120)
    os.close(ours)
    # What we write ourselves: colours, the ends of lines, and bars, which are drawn over each other.
    plain = re.sub(r"\r(?=\n)|\r?\x1b\[(?:\?25[lh]|[0-9]?[AK])", "", without_colour(text))
    check_harmless(UPDATE_BARS.sub(lambda bars: bars[0].replace("\r", ""), plain), words)
    assert "]0;owned" in text, "hostile words are shown, and have lost what makes them commands"


def test_json_means_the_same_when_it_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    record = {"text": "".join(map(chr, range(0x3000))) + EVIL + "###[a] \\##\u200b[b] ##vso[c]"}
    plain = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert json.loads(terminal.escape_json(plain)) == record
    assert not set(terminal.escape_json(plain).decode()) & FORBIDDEN
    assert "##[" not in terminal.escape_json(b'{"a": "##[b]"}').decode()
    assert not OBEYED.search(terminal.escape_json(plain).decode())
    written = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", written)
    terminal.write_json(record)
    assert written.buffer.getvalue() == terminal.escape_json(plain) + b"\n"

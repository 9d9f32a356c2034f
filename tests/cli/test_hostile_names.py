"""Nothing that documents, file names or models say steers a terminal, in any command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from fake_service import DONE, delta, serve, streamed
from terminals import read_all, without_colour

from headnote.cli import terminal
from headnote.cli.main import COMMANDS, main

pytestmark = pytest.mark.slow

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
EVIL = f"{TITLE}{CSI}{BIDI}\x85\x7f"
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
```
"""
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
            for more in ([], ["--json"], ["--explain"], ["--full"], ["--context", "3"])
        ),
        *(["search", f"x{EVIL}", "DOCS", "--path", f"{EVIL}*"], ["search", "tide", f"DOCS/{EVIL}"]),
    ],
    "ask": [["ask", f"tide {EVIL}", "DOCS", *more] for more in ([], ["--json"], ["--no-model"])],
    "index": [["index", "DOCS", "--rebuild"], ["index", "DOCS", "--dry-run"], ["index", "DOCS", "--json"]],
    "status": [["status", "DOCS"], ["status", "DOCS", "--json"], ["status", f"DOCS/{EVIL}"]],
    "doctor": [["doctor", "DOCS"], ["doctor", "DOCS", "--json"]],
    "links": [
        *(["links", "--root", "DOCS", *more] for more in (["--broken"], ["--orphans"], ["--broken", "--json"])),
        *(["links", NAME, "--root", "DOCS", *more] for more in ([], ["--json"])),
        *(["links", "b.md", "--root", "DOCS"], ["links", f"no{EVIL}.md", "--root", "DOCS"]),
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
    "export": [["export", "DOCS", "OUT"], ["export", f"DOCS/{EVIL}", "OUT"]],
    "config": [["config", "DOCS"], ["config", "DOCS", "--json"]],
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
    (root / f"binary{EVIL}.md").write_bytes(b"\x00\x01\x02" * 100)
    return root


@pytest.fixture
def hostile_docs(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
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


def test_every_command_is_tried() -> None:
    assert {name for name in COMMAND_LINES if name} == set(COMMANDS)


@pytest.mark.skipif("os.name == 'nt'", reason="such names are not allowed there")
@pytest.mark.parametrize(
    "words", [words for rows in COMMAND_LINES.values() for words in rows], ids=lambda words: words[0]
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
    record = {"text": "".join(map(chr, range(0x3000))) + EVIL}
    plain = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert json.loads(terminal.escape_json(plain)) == record
    assert not set(terminal.escape_json(plain).decode()) & FORBIDDEN
    written = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", written)
    terminal.write_json(record)
    assert written.buffer.getvalue() == terminal.escape_json(plain) + b"\n"

"""Law: an untrusted folder opens no socket, starts no program and reads no other folder, whatever it says."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from headnote import HeadnoteError, Index
from headnote.api.keeper import Served
from headnote.cli.main import main
from headnote.config.chunk_settings import TABLE
from headnote.config.stored import GATED, _text
from headnote.config.tables import SettingValue
from headnote.store.integrity import STORED_SETTINGS

pytestmark = pytest.mark.filterwarnings("ignore::headnote.UntrustedSettings")

ELSEWHERE = "http://127.0.0.1:9/v1"
SECRET = "The password of the safe is heron."

# -- what nobody may do

_forbidden: list[str] = []
_watched: list[str] = []
"""The folders that nobody may look into, while a command runs; empty at other times."""
_CALLS = frozenset(
    (
        *("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
        *("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "webbrowser.open"),
    )
)
_READS = frozenset(("open", "os.listdir", "os.scandir"))


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watched:
        return
    if event in _CALLS:
        _forbidden.append(f"{event} {arguments[:2]!r}")
    elif event in _READS and isinstance(arguments[0], str | bytes | os.PathLike):
        place = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100  of a folder that may not exist
        if any(f"{place}/".startswith(f"{folder}/") for folder in _watched):
            _forbidden.append(f"{event} {place}")


sys.addaudithook(_watch)


@contextmanager
def nothing_leaves(outside: Path) -> Iterator[None]:
    """Fail if anything inside calls, runs or reads what is not in the folder."""
    _forbidden.clear()
    _watched.append(str(outside))
    try:
        yield
    finally:
        _watched.clear()
    assert not _forbidden, "\n".join(_forbidden)


# -- what a stranger may write

EMBEDDERS = ("openai:m", " openai:m", "OpenAI:m", "sentence-transformers:m", "instant", "none", "hashing:8", "nonsense")
PLACES = ("{outside}", "../outside", "link", "inside", ".", "~", "/", "", "file:{outside}", "\\\\host\\share")
ADDRESSES = (ELSEWHERE, "postgresql://127.0.0.1:9/d", "sqlite", "", "0.0.0.0", "vscode", "x:{{path}}", "key", "none")
FREE = st.sampled_from((*EMBEDDERS, *PLACES, *ADDRESSES))
ANYTHING = FREE | st.integers(0, 900) | st.booleans() | st.lists(FREE, max_size=2)
VALID: dict[str, tuple[Any, ...]] = {
    "embedder": EMBEDDERS[:-1],
    "store": ("postgresql://localhost:9/d", "sqlite"),
    "schema": ("s",),
    "include": (["**"], ["../outside/**"], "{outside}/**"),
    "exclude": (["**/x"],),
    "formats": (["html", "rst"],),
    "max_file_bytes": (9000,),
    "dates": (["frontmatter", "git", "name", "mtime"],),
    "limit": (3,),
    "mode": ("semantic", "hybrid"),
    "fusion": ("rrf",),
    "recency": ("steps",),
    "min_score": (0,),
    "per_document": (1,),
    "expand": ("linked", "section"),
    "budget": (500,),
    "model": ("m",),
    "url": (ELSEWHERE,),
    "key": ("key",),
    "host": ("0.0.0.0",),
    "port": (0,),
    "token": ("a-token-of-many-letters",),
    "allow_host": (["example.org"],),
    "workers": (2,),
    "editor": ("vscode", "x:{{path}}", "none"),
    "counter": ("{outside}/tokenizer.json", "../outside", "link/tokenizer.json", "chars", "cl100k"),
    "path": ("{outside}", "../outside", "link", "inside", "~", "/"),
    "preset": ("blocks", "ragdocs"),
    "max_tokens": (300,),
}
CHUNKING = ("counter", "max_tokens", "preset")
ROOT = ("path", "include", "counter")


def entries(names: Iterable[str], *, valid: bool) -> st.SearchStrategy[dict[str, Any]]:
    fields = {name: st.sampled_from(VALID[name]) if valid else ANYTHING for name in names}
    return st.fixed_dictionaries({}, optional=fields)


def files(*, valid: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Settings files, by tables. Most are valid, so that they are followed as far as they may be."""
    root = entries(ROOT, valid=valid) if not valid else st.fixed_dictionaries({"path": st.sampled_from(VALID["path"])})
    tables = {table.name: entries(table.checks, valid=valid) for table in GATED}
    tables |= {TABLE: entries(CHUNKING, valid=valid)}
    tables |= {"roots": st.dictionaries(st.sampled_from("ab"), root if valid else root | FREE, min_size=1, max_size=2)}
    tables |= {} if valid else {"context": st.dictionaries(st.sampled_from(PLACES), FREE, max_size=2)}
    return st.fixed_dictionaries({}, optional=tables)


FILES = st.one_of(files(valid=True), files(valid=True), files(valid=False))
KEPT = entries(("embedder", "counter", "max_tokens"), valid=True)


def toml(tables: dict[str, Any], outside: Path) -> str:
    lines: list[str] = []
    for table, values in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{json.dumps(name)} = {_inline(value)}" for name, value in values.items()]
    return "\n".join(lines).replace("{outside}", str(outside))


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_inline(one)}" for name, one in value.items()) + "}"
    return json.dumps(value)


@contextmanager
def strange_folder(tables: dict[str, Any], kept: tuple[dict[str, Any], dict[str, Any]]) -> Iterator[tuple[Path, Path]]:
    """A folder with this file and this index, and the folder beside it that is none of its business."""
    with TemporaryDirectory() as place:
        docs, outside = Path(place, "docs"), Path(place, "outside")
        for folder in (docs / "inside", outside):
            folder.mkdir(parents=True)
        (outside / "secret.md").write_text(f"# Safe\n\n{SECRET}\n", encoding="utf-8")
        (outside / "tokenizer.json").write_text("{}", encoding="utf-8")
        (docs / "link").symlink_to(outside)
        for file in (docs / "guide.md", docs / "inside/a.md"):
            file.write_text("# Guide\n\nHow to mount the gauge.\n", encoding="utf-8")
        if any(kept):
            _ship(docs, kept, outside)
        (docs / "headnote.toml").write_text(toml(tables, outside), encoding="utf-8")
        yield docs, outside


def _ship(docs: Path, kept: tuple[dict[str, Any], dict[str, Any]], outside: Path) -> None:
    def values(layer: dict[str, Any]) -> dict[str, SettingValue]:
        texts = {name: one.format(outside=outside) if isinstance(one, str) else one for name, one in layer.items()}
        return {name: SettingValue(one, "--flag") for name, one in texts.items()}

    with Index.open(docs, embedder="none") as index:
        index.update()
        with index._store.writing(0.0) as writer:
            writer.set_manifest({**writer.manifest(), STORED_SETTINGS: _text(*map(values, kept))})


@pytest.fixture(autouse=True, scope="module")
def user() -> Iterator[None]:
    """Somebody with keys in the environment, who trusts nobody."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("HEADNOTE_")]:
            patch.delenv(name)
        patch.setenv("HEADNOTE_CONFIG_FOLDER", folder)
        for name in ("OPENAI_API_KEY", "HEADNOTE_CHAT_KEY", "HEADNOTE_EMBEDDING_KEY"):
            patch.setenv(name, "sk-of-the-user")
        yield


# -- the law


@given(FILES, KEPT, KEPT)
@settings(max_examples=40)
def test_a_program_sends_nothing(tables: dict[str, Any], ambient: dict[str, Any], flags: dict[str, Any]) -> None:
    with (
        strange_folder(tables, (ambient, flags)) as (docs, outside),
        nothing_leaves(outside),
        suppress(HeadnoteError),
        Index.open(docs) as index,
    ):
        event("opened")
        index.update()
        assert all(SECRET not in hit.text for hit in index.search("password of the safe", min_score=0))
        index.ask("how do I mount it?")
        index.status()
        index.pack(docs / "a.headnote")


COMMANDS = (
    *("search gauge {}", "ask gauge {}", "status {}", "config {}", "doctor {}", "index {}", "index --dry-run {}"),
    *("links --check {}", "chunk {}", "related guide.md --root {}", "read guide.md --root {}", "context --root {}"),
    *("pack {} -o {}/a.headnote", "trust --list"),
)


@given(FILES, KEPT, KEPT)
@settings(max_examples=15)
def test_a_command_sends_nothing(tables: dict[str, Any], ambient: dict[str, Any], flags: dict[str, Any]) -> None:
    with strange_folder(tables, (ambient, flags)) as (docs, outside), nothing_leaves(outside):
        for command in COMMANDS:
            written = StringIO()
            with redirect_stdout(written), redirect_stderr(StringIO()):
                main(command.replace("{}", str(docs)).split())
            assert SECRET not in written.getvalue()


@given(FILES, KEPT)
@settings(max_examples=15)
def test_a_browser_and_an_agent_make_it_send_nothing(tables: dict[str, Any], flags: dict[str, Any]) -> None:
    mcp = pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote-md[mcp]"')
    from starlette.testclient import TestClient

    from headnote.mcp_server.server import make_server
    from headnote.web.app import make_app
    from headnote.web.security import Guard

    async def ask_as_agent(served: Served) -> None:
        async with mcp.Client(make_server(lambda: served)) as client:
            await client.call_tool("search", {"query": "gauge"})
            await client.call_tool("ask", {"question": "how do I mount it?"})
            await client.call_tool("status", {})

    with (
        strange_folder(tables, ({}, flags)) as (docs, outside),
        suppress(HeadnoteError),
        Index.open(docs) as index,
    ):
        index.update()
        with TestClient(make_app(Served(index), Guard()), "http://127.0.0.1:8377") as browser, nothing_leaves(outside):
            assert browser.get("/api/search", params={"q": "gauge"}).status_code == 200
            assert browser.post("/api/ask", json={"question": "how do I mount it?"}).status_code == 200
            assert "withheld" in browser.get("/api/status").json()
        with nothing_leaves(outside):
            asyncio.run(ask_as_agent(Served(index)))


def test_the_law_can_fail() -> None:
    """With trust, the same folder calls the service that it names, and reads the folder that it lists."""

    def ask(docs: Path, outside: Path) -> None:
        with nothing_leaves(outside):
            main(["ask", "gauge", str(docs)])

    tables = {"llm": {"url": ELSEWHERE, "model": "m"}, "roots": {"a": "../outside", "b": "inside"}}
    with strange_folder(tables, ({}, {})) as (docs, outside):
        ask(docs, outside)
        main(["trust", str(docs)])
        with pytest.raises(AssertionError, match=r"(?s)open .*secret\.md.*socket\.connect"):
            ask(docs, outside)

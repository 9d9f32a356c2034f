"""The public surface changes on purpose or not at all."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import pytest

import headnote
from headnote import errors
from headnote.chunking.aliases import BASIC_NAMES
from headnote.chunking.budgets import OVERLAPS, SIZES
from headnote.chunking.presets import docstrings

PUBLIC_NAMES = {
    "Answer",
    "AnswerError",
    "Block",
    "BulkError",
    "Chat",
    "ChatSettings",
    "Chunk",
    "ChunkOptions",
    "ChunkRow",
    "Citation",
    "CorruptIndex",
    "Counter",
    "Dated",
    "Dates",
    "DocumentRow",
    "DocumentSummary",
    "DocumentView",
    "Drift",
    "Dropped",
    "Embedder",
    "EmbeddingError",
    "Exported",
    "Facet",
    "FilesRead",
    "FilterError",
    "Finding",
    "ForeignIndex",
    "FoundWord",
    "Frontmatter",
    "Graph",
    "Guess",
    "Heading",
    "HeadingStack",
    "HeadnoteError",
    "Hit",
    "IgnoredFinding",
    "Index",
    "IndexFailure",
    "IndexSettings",
    "LeftOut",
    "Link",
    "LinkReport",
    "LinkRow",
    "LockedIndex",
    "MatchedDocument",
    "Matches",
    "Message",
    "MissingExtra",
    "MissingIndex",
    "MissingKey",
    "MissingSource",
    "ModelStatus",
    "Models",
    "Neighbour",
    "Neighbourhood",
    "NewerIndex",
    "Node",
    "NonText",
    "NotAFile",
    "NotText",
    "OutwardSetting",
    "Occurrence",
    "OutlineEntry",
    "PackInfo",
    "Parent",
    "Passage",
    "Passages",
    "Piece",
    "Plan",
    "Position",
    "Progress",
    "RateLimited",
    "ReadQuery",
    "Report",
    "RequestRefused",
    "Related",
    "RootStatus",
    "SearchOptions",
    "SearchPage",
    "Section",
    "ServiceError",
    "ServiceUnavailable",
    "Settings",
    "SettingsError",
    "SkippedFile",
    "SkippedSource",
    "SourceError",
    "Status",
    "StoredChunk",
    "Tag",
    "Turn",
    "UnreachableIndex",
    "UnreadIndex",
    "UnreadableSource",
    "UntrustedSettings",
    "UnwritableIndex",
    "Why",
    "WrongAnswer",
    "__version__",
    "check_links",
    "chunk",
    "chunk_file",
    "chunk_files",
    "count_tokens",
    "estimate_tokens",
    "lint",
    "open_pack",
    "parse",
    "presets",
}


def test_public_names_are_locked() -> None:
    assert set(headnote.__all__) == PUBLIC_NAMES
    assert set(dir(headnote)) == PUBLIC_NAMES


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES))
def test_every_public_name_exists(name: str) -> None:
    assert getattr(headnote, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = headnote.no_such_name


def test_parse_gives_blocks_with_positions() -> None:
    assert headnote.parse("# A\n\ntext\n") == [
        headnote.Block("heading", 0, 3, 1, 1, 1),
        headnote.Block("paragraph", 5, 9, 3, 3),
    ]


def test_every_error_is_one_of_ours() -> None:
    for name in PUBLIC_NAMES:
        value = getattr(headnote, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, headnote.HeadnoteError)


# Types


def types_in(hint: Any) -> Iterator[type]:
    """Every type of headnote in a type hint."""
    if isinstance(hint, type) and hint.__module__.startswith("headnote."):
        yield hint
    for argument in hint if isinstance(hint, list) else get_args(hint):
        yield from types_in(argument)


def signatures(value: Any) -> Iterator[Any]:
    """A function; or the fields, methods and properties of a class."""
    if inspect.isfunction(value):
        yield value
    elif isinstance(value, type):
        yield value
        for name, member in vars(value).items():
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(function) and not name.startswith("_"):
                yield function


def hints(signature: Any) -> dict[str, Any]:
    """Its type hints, also those whose modules are imported for type checkers only."""
    names = {name: getattr(headnote, name) for name in PUBLIC_NAMES if name[0].isupper()}
    module = vars(importlib.import_module(signature.__module__))
    # A method named as a module must not hide the module: only names from outside the class count.
    return get_type_hints(signature, globalns={**names, **module, "Vectors": Any}, localns={})


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES - {"__version__"}))
def test_every_type_in_a_public_signature_is_public(name: str) -> None:
    types = {
        kind for one in signatures(getattr(headnote, name)) for hint in hints(one).values() for kind in types_in(hint)
    }
    assert {kind.__qualname__ for kind in types} <= PUBLIC_NAMES


def test_every_error_is_public() -> None:
    assert {name for name, value in vars(errors).items() if isinstance(value, type)} <= PUBLIC_NAMES


def test_every_public_type_is_described(repository: Path) -> None:
    page = (repository / "docs" / "python.md").read_text(encoding="utf-8")
    for name in PUBLIC_NAMES - {"__version__"}:
        assert getattr(headnote, name).__doc__, name
        assert f"`{name}`" in page, name


SAID_ELSEWHERE = {"ChunkOptions", "SearchOptions"}
"""Their fields are those of `Settings`, and the arguments of `Index.search`."""


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES - SAID_ELSEWHERE))
def test_every_field_and_method_is_described(name: str) -> None:
    value = getattr(headnote, name)
    if not isinstance(value, type) or not value.__module__.startswith("headnote."):
        return
    fields = [field for field in inspect.get_annotations(value) if not field.startswith("_")]
    assert [field for field in fields if not docstrings(value).get(field)] == []
    assert [one.__qualname__ for one in signatures(value) if not one.__doc__] == []


@pytest.mark.parametrize("name", sorted(PUBLIC_NAMES))
def test_every_argument_among_several_is_described(name: str) -> None:
    for one in filter(inspect.isfunction, signatures(getattr(headnote, name))):
        arguments = [argument for argument in inspect.signature(one).parameters if argument not in ("self", "cls")]
        if len(arguments) > 3:
            said = set(re.findall(r"`(\w+)\b|^ *\**(\w+): ", one.__doc__ or "", re.MULTILINE))
            assert {*arguments} <= {word for words in said for word in words}, one.__qualname__


def test_the_examples_print_what_the_page_says(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (repository / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:python|text)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for code, output in zip(blocks[::2], blocks[1::2], strict=True):
        exec(compile(code, "docs/python.md", "exec"), names)
        assert capsys.readouterr().out == output


# Options of `chunk`

OTHER_FORMS = {"strategy", "counter", "oversized", "keep_whole"}
"""Settings that `chunk` takes in more forms than `Settings` stores."""


def test_the_options_of_chunk_are_the_fields_of_settings() -> None:
    options, fields = get_type_hints(headnote.ChunkOptions), get_type_hints(headnote.Settings)
    assert options.keys() == {*fields, *BASIC_NAMES}
    assert not headnote.ChunkOptions.__required_keys__
    assert {name for name in fields if options[name] != fields[name]} == OTHER_FORMS
    assert get_args(options["size"]) == (Literal["small", "medium", "large"], int)
    assert set(get_args(get_args(options["size"])[0])) == set(SIZES)
    assert set(get_args(get_args(options["overlap"])[0])) == set(OVERLAPS)


GOOD = """
import headnote
from pathlib import Path

settings = headnote.Settings(max_tokens=300)
chunks: list[headnote.Chunk] = headnote.chunk("# A", max_tokens=300, size="small", keep_whole=["code"])
headnote.chunk("# A", settings=settings)
headnote.chunk_file(Path("a.md"), preset="blocks", counter="chars")
list(headnote.chunk_files(["a.md"], workers=2, overlap="low"))
with headnote.Index.open("docs", max_tokens=300) as index:
    links: list[headnote.LinkRow] = index.links("a.md")
    report: headnote.Report = index.update()
"""

BAD = {
    'headnote.chunk("# A", max_token=3)': 'Unexpected keyword argument "max_token" for "chunk"',
    'headnote.chunk("# A", max_tokens="3")': 'Argument "max_tokens" to "chunk" has incompatible type "str"',
    'headnote.chunk_file("a.md", strategy="blocks")': 'Argument "strategy" to "chunk_file" has incompatible type',
    'headnote.chunk_files(["a.md"], sise="small")': 'Unexpected keyword argument "sise" for "chunk_files"',
    'headnote.Index.open("docs", max_token=3)': 'Unexpected keyword argument "max_token" for "open" of "Index"',
    'headnote.Index.open("docs").why_empty("a", tag="b")': 'Unexpected keyword argument "tag" for "why_empty"',
}


def test_a_type_checker_refuses_wrong_options(tmp_path: Path) -> None:
    bad = ["import headnote", *BAD]
    (tmp_path / "good.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.py").write_text("\n".join(bad), encoding="utf-8")
    # From the folder of the program: without the settings and the sources of this project, as for any user.
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "good.py", "bad.py"]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()
    messages = dict(line.partition(": error: ")[::2] for line in lines if ": error: " in line)
    assert list(messages) == [f"bad.py:{number}" for number in range(2, len(bad) + 1)], lines
    for message, expected in zip(messages.values(), BAD.values(), strict=True):
        assert message.startswith(expected)


def test_chunk_takes_ready_settings() -> None:
    settings = headnote.Settings(strategy="none")
    assert headnote.chunk("# A\n\n# B\n", settings=settings) == headnote.chunk("# A\n\n# B\n", strategy="none")
    several: list[dict[str, Any]] = [{"preset": "blocks"}, {"max_tokens": 300}]
    for others in several:
        with pytest.raises(headnote.SettingsError, match="settings cannot be combined with a preset"):
            headnote.chunk("# A", settings=settings, **others)
    with pytest.raises(headnote.SettingsError, match="settings is of type dict"):
        headnote.chunk("# A", settings={"max_tokens": 3})  # type: ignore[arg-type]


def test_the_version_is_in_the_changelog_or_ahead_of_it(repository: Path) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", headnote.__version__)
    assert "## [Unreleased]" in (repository / "CHANGELOG.md").read_text(encoding="utf-8")

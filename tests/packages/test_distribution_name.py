"""The distribution is `headnote-md`; what one imports and types is `headnote`.

On PyPI, `headnote` belongs to another project: a command with that name installs a stranger's code. So no file of the
repository may spell it, and every remedy is made in one place.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import extras
from headnote.cli.doctor import PACKAGES
from headnote.extras import DISTRIBUTION, _installed_by, install

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
MODELS = ("deep", "minilm", "quality")

OURS = r"headnote(?:[-_](?:deep|minilm|quality))?(?![\w-])"
"""A name that is not ours on PyPI, whole."""
END = r"(?=&&|\|\||[;|`)]|\s#|$)"
"""Where a command ends: at the next one, at the end of its code span, at a comment."""
INSTALLING = re.compile(
    r"\b(?:(?:pip3?|pipx|uv pip|uv tool|poetry|conda|mamba) (?:install|add|inject|upgrade|uninstall|download)|uv add)\b"
    rf"(?P<words>.*?){END}",
    re.MULTILINE,
)
RUNNING = re.compile(rf"(?<![\"\w])(?:uvx|uv tool run|pipx run)\b(?P<words>.*?){END}", re.MULTILINE)
AGENT = re.compile(r"command\"?\s*[:=]\s*\"uvx\"\s*,?\s*\"?args\"?\s*[:=]\s*\[(?P<words>(?:\s*\"[^\"\n]*\",?)*)")
"""The same in the settings of an agent, as JSON or TOML."""
WORD = re.compile(r"\\?\"[^\"\n]*\"|'[^'\n]*'|[^\s,]+")
ELSEWHERE = [
    # With extras, it is a distribution wherever it is written.
    r"(?<![\w/-])headnote\\?\[",
    r"(?<![\w./-])headnote ?(?:[=~!]=|>=)",
    r"pypi\.org/(?:project|p|simple)/headnote(?!-md\b)",
    r"\b(?:version|metadata|distribution|requires)\([\"']headnote(?:-(?!md\b)\w+)?[\"']\)",
    r"headnote-(?:deep|minilm|quality)\b",
    # A shell may take the brackets for a pattern, and cmd.exe knows no single quotes.
    r"(?<![\"`])headnote-md\\?\[",
]


def wrong_spellings(text: str) -> Iterator[str]:
    """Commands and names that would install another project, or fail in some shell."""
    for command in INSTALLING.finditer(text):
        if any(is_wrong(word) for word in WORD.findall(command["words"])):
            yield command[0]
    for command in [*RUNNING.finditer(text), *AGENT.finditer(text)]:
        if is_wrong(what_runs(WORD.findall(command["words"]))):
            yield command[0]
    for pattern in ELSEWHERE:
        yield from (match[0] for match in re.finditer(pattern, text))


def is_wrong(word: str) -> bool:
    is_bare = "[" in word and not word.startswith(('"', '\\"'))
    return re.match(OURS, word.strip("\"'\\")) is not None or (is_bare and word.strip("'").startswith(DISTRIBUTION))


def what_runs(words: list[str]) -> str:
    """What is installed to run a command: the package that is named, or else the command itself."""
    for option, value in pairwise(words):
        if option.strip('"') in ("--from", "--spec"):
            return value
    return next((word for word in words if not word.strip('"').startswith("-")), "")


@pytest.mark.parametrize(
    "text",
    [
        "pip install headnote",
        "run `pip install headnote` first",
        "pip install -U headnote && headnote search x",
        "pip install 'headnote[search]'",
        'pip install "headnote[search]"',
        "pip install 'headnote-md[search]'",
        "pip install headnote-md[search]",
        'pip install "headnote-md[deep]" headnote-deep',
        "pip install headnote==1.0",
        "uv tool install headnote",
        "uv add headnote",
        "uv pip install headnote",
        "pipx install headnote",
        "pipx run headnote search x",
        "uvx headnote search x",
        "uvx --from headnote headnote search x",
        "uvx --from 'headnote-md[search]' headnote search x",
        "claude mcp add docs -- uvx headnote mcp docs",
        '{"command": "uvx", "args": ["headnote", "mcp", "docs"]}',
        '{"command": "uvx", "args": ["--from", "headnote[mcp]", "headnote", "mcp", "docs"]}',
        'command = "uvx"\nargs = ["headnote", "mcp"]',
        "needs the extra `headnote[langchain]`",
        "https://pypi.org/project/headnote/",
        'importlib.metadata.version("headnote")',
        'match=r"headnote\\[deep\\]"',
        "headnote>=1.0",
        "the package headnote-minilm",
    ],
)
def test_a_wrong_spelling_is_seen(text: str) -> None:
    assert [*wrong_spellings(text)] != []


@pytest.mark.parametrize(
    "text",
    [
        "pip install headnote-md",
        'pip install "headnote-md[search]"',
        'pip install "headnote-md[search,deep]" headnote-md-deep',
        'pip install -e ".[search]" && headnote search "x" docs',
        "`pip install .`, then headnote search",
        "pip install ./models/minilm",
        'uv tool install "headnote-md[search]"',
        "uvx headnote-md chunk README.md",
        'uvx "headnote-md[search,mcp]" mcp docs',
        'uvx --from "headnote-md[search]" headnote search x',
        'pipx run --spec "headnote-md[search]" headnote search x',
        'claude mcp add docs -- uvx "headnote-md[search,mcp]" mcp docs',
        '{"command": "uvx", "args": ["headnote-md[search,mcp]", "mcp", "docs"]}',
        '{"command": "uvx", "args": ["--from", "headnote-md[mcp]", "headnote", "mcp", "docs"]}',
        'command = "uvx"\nargs = ["headnote-md[search,mcp]", "mcp"]',
        "`headnote-md[langchain]`",
        "import headnote_minilm",
        "search a headnote [index](index.md)",
    ],
)
def test_a_right_spelling_passes(text: str) -> None:
    assert [*wrong_spellings(text)] == []


def kept_files() -> list[Path]:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("no repository to read")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout.decode().split("\0")
    # The name of a model inside its graph stays: another one would change the weights' fingerprint.
    graphs = {"models/minilm/build.py", "models/quality/build.py", "models/workshop/quantise.py"}
    own = Path(__file__).relative_to(REPOSITORY).as_posix()
    return [REPOSITORY / name for name in names if name and name not in {*graphs, own}]


def test_no_file_spells_the_name_in_another_way() -> None:
    wrong = []
    for file in kept_files():
        try:
            text = file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        wrong += [f"{file.relative_to(REPOSITORY)}: {spelling}" for spelling in wrong_spellings(text)]
    assert wrong == []


def test_pages_for_users_install_nothing_from_a_clone_without_saying_so() -> None:
    pages = [*(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "README.md"]
    commands = [
        (page.name, line)
        for page in pages
        for before, paragraph in pairwise(["", *page.read_text(encoding="utf-8").split("\n\n")])
        for line in paragraph.splitlines()
        if re.search(r"install (?:-e|\.)", line) and "clone" not in before + paragraph
    ]
    # After the words "from a clone", and for those who run the tests.
    assert [
        command for command in commands if "examples/handbook" not in command[1] and "[test]" not in command[1]
    ] == []


# -- remedies


@given(st.lists(st.sampled_from(sorted(EXTRAS)), min_size=1, unique=True))
def test_every_remedy_is_a_command_for_every_shell(names: list[str]) -> None:
    command = install(*names)
    assert command == f'pip install "headnote-md[{",".join(names)}]"'
    assert [*wrong_spellings(command)] == []


UV_RECEIPT = """
[tool]
requirements = [{ name = "headnote-md", extras = ["search", "mcp"] }, { name = "headnote-md-minilm" }]
entrypoints = [{ name = "headnote", install-path = "/home/me/headnote-md-tools/headnote", from = "headnote-md" }]
"""
PIPX_RECEIPT = '{"main_package": {"package": "headnote-md", "package_or_url": "headnote-md[search]"}}'


@pytest.mark.parametrize(
    ("receipt", "text", "expected"),
    [
        ("uv-receipt.toml", UV_RECEIPT, 'uv tool install "headnote-md[search,mcp,deep]" --with headnote-md-minilm'),
        ("uv-receipt.toml", 'requirements = [{ name = "headnote-md" }]', 'uv tool install "headnote-md[deep]"'),
        ("pipx_metadata.json", PIPX_RECEIPT, 'pipx install --force "headnote-md[search,deep]"'),
        ("other.txt", "", 'pip install "headnote-md[deep]"'),
    ],
)
def test_a_remedy_is_for_the_tool_that_installed_headnote(
    receipt: str, text: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool with an environment for each program forgets what it is not told again."""
    (tmp_path / receipt).write_text(text, encoding="utf-8")
    monkeypatch.setattr(extras, "_installed_by", lambda: _installed_by(str(tmp_path)))
    assert install("deep") == expected
    assert [*wrong_spellings(install("deep", package="headnote-md-deep"))] == []
    assert install("deep", package="headnote-md-deep").startswith(expected)
    assert install("deep", package="headnote-md-deep").endswith(" headnote-md-deep")


def test_remedies_are_made_in_one_place() -> None:
    # The name alone is also that of the command.
    remedy = re.compile(r"headnote-md\[|DISTRIBUTION\}\[|install\b.*headnote-md")
    files = sorted((REPOSITORY / "src").rglob("*.py"))
    assert [file.name for file in files if remedy.search(file.read_text(encoding="utf-8"))] == ["extras.py"]


def test_the_doctor_names_the_extra_that_brings_a_package() -> None:
    brought = {extra: {re.split(r"[<>=\[]", one)[0] for one in packages} for extra, packages in EXTRAS.items()}
    assert [package for package in PACKAGES if package.name not in brought[package.extra]] == []


# -- the projects


def test_the_project_has_the_name_and_two_commands() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    # `uvx headnote-md` runs the command that is called like the distribution.
    assert PROJECT["scripts"] == dict.fromkeys(["headnote", DISTRIBUTION], "headnote.cli.handover:run")


@pytest.mark.parametrize("model", MODELS)
def test_the_package_of_a_model_has_the_name(model: str) -> None:
    text = (REPOSITORY / "models" / model / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["name"] == f"{DISTRIBUTION}-{model}"
    assert (
        (REPOSITORY / "models" / model / "README.md").read_text(encoding="utf-8").startswith(f"# headnote-md-{model}\n")
    )

"""When files were last committed, as git knows: what a clone has in common with its original.

Git runs in folders of strangers, whose configuration may name programs. None of those is started, nothing is fetched,
and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from headnote.errors import reason_of
from headnote.sources.repository import git_folder, repository_top

_HARMLESS = (
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never"),
    *("-c", "core.quotePath=false", "-c", "log.showSignature=false"),
)
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_NAMES_ALONE = ("--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv")
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_COMMIT = b"\x01"
"""In front of the time of a commit: no path begins with it."""
_HEAD_BYTES = 4096
_MAX_SECONDS = 9_000_000_000
"""Before and after 1970 that a store can hold in nanoseconds."""


def head_of(folder: str | os.PathLike[str]) -> str:
    """The commit that is checked out in a folder; empty if there is none. Read without git: every search asks."""
    top = repository_top(os.path.realpath(folder))
    if top is None:
        return ""
    own, shared = git_folder(Path(top))
    try:
        head = _first_line(own / "HEAD")
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        loose = shared / name
        return _first_line(loose) if loose.is_file() else _packed(shared / "packed-refs", name)
    except (OSError, ValueError):
        return ""


def _first_line(file: Path) -> str:
    with file.open("rb") as opened:
        return os.fsdecode(opened.readline(_HEAD_BYTES)).strip()


def _packed(file: Path, name: str) -> str:
    if not file.is_file():
        return ""
    wanted = f" {name}\n".encode()
    with file.open("rb") as lines:
        return next((line.split(b" ")[0].decode() for line in lines if line.endswith(wanted)), "")


class NoHistory(Exception):
    """Git is missing, or does not read this folder; the message is git's own."""


class KnownFiles(NamedTuple):
    """What git knows of the files below a folder."""

    tracked: frozenset[str]
    """Files that are in the commit, or will be in the next."""
    changed: frozenset[str]
    """Those of them that have changed since."""


def files_in(folder: Path) -> KnownFiles:
    options = _without_filters(folder)
    changed = _output(folder, *options, "diff", *_NAMES_ALONE, "--ignore-submodules=all", "HEAD", "--", ".")
    tracked = _output(folder, "ls-files", "-z", "--", ".")
    return KnownFiles(_paths(tracked), _paths(changed))


def commit_times(folder: Path, since: str = "") -> dict[str, int]:
    """File → when it was last committed, in nanoseconds since 1970, from all commits that `since` does not have. A
    commit that was moved keeps the time at which it was made."""
    commits = f"{since}..HEAD" if since else "HEAD"
    log = ("log", commits, "--format=%x01%at", "--no-show-signature", *_NAMES_ALONE, "--", ".")
    times: dict[str, int] = {}
    import tempfile  # late: as in `_run`

    # The log of a large project does not fit into memory.
    with tempfile.TemporaryFile() as output:
        _run(folder, *log, output=output)
        output.seek(0)
        for path, seconds in _logged(output):
            times[path] = max(times.get(path, seconds), seconds)
    return {path: seconds * 1_000_000_000 for path, seconds in times.items()}


def is_before(folder: Path, commit: str) -> bool:
    """Whether what is checked out came after this commit."""
    try:
        _output(folder, "merge-base", "--is-ancestor", commit, "HEAD")
    except NoHistory:
        return False
    return True


def _logged(output: IO[bytes]) -> Iterator[tuple[str, int]]:
    seconds = 0
    for entry in _split(output):
        if entry.startswith(_COMMIT):
            seconds = min(max(int(entry[1:]), -_MAX_SECONDS), _MAX_SECONDS)
        elif entry:
            yield os.fsdecode(entry), seconds


def _split(output: IO[bytes]) -> Iterator[bytes]:
    """What NUL and line ends around paths separate."""
    rest = b""
    while block := output.read(1 << 20):
        *whole, rest = (rest + block).split(b"\0")
        yield from (entry.strip(b"\n") for entry in whole)
    yield rest.strip(b"\n")


def _without_filters(folder: Path) -> list[str]:
    """Options that turn off the programs through which the configuration sends files before they are compared."""
    try:
        named = _output(folder, "config", "-z", "--name-only", "--get-regexp", _FILTERS)
    except NoHistory:  # there are none
        return []
    return [word for name in sorted(_paths(named)) for word in ("-c", f"{name}=")]


def _paths(output: bytes) -> frozenset[str]:
    return frozenset(os.fsdecode(entry) for entry in output.split(b"\0") if entry)


def _output(folder: Path, *arguments: str) -> bytes:
    import tempfile

    with tempfile.TemporaryFile() as output:
        _run(folder, *arguments, output=output)
        output.seek(0)
        return output.read()


def _run(folder: Path, *arguments: str, output: IO[bytes]) -> None:
    import subprocess  # late: a search asks git for nothing

    command: Sequence[str] = ("git", *_HARMLESS, "-C", str(folder), *arguments)
    # Variables such as GIT_DIR are about another repository: a hook has them.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
    try:
        ended = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            creationflags=hidden,
            check=False,
        )
    except OSError as error:
        raise NoHistory(f"git cannot be run: {reason_of(error)}") from None
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise NoHistory(said or f"git ended with {ended.returncode}")

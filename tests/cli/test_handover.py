"""A command that another process answers is the same command: these are real processes that come, hang and die."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminals import read_all

import headnote
from headnote.cli import standby
from headnote.cli.handover import ALONE, INDEX_FOLDER, SOCKET, answering

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands commands over")

DEADLINE = 60.0
"""Seconds until a test gives up: far more than is ever needed."""
HEADNOTE = [sys.executable, "-m", "headnote"]
SAME = [
    "search torque",
    "search torque --json",
    "search torque wrench --explain -n 3",
    "search torque --format lines",
    "search torque --full -C 1",
    "search torqe",
    "search nothing-like-this-anywhere --json",
    'search "torque" elsewhere',
    "search torque --no-such-option",
    "search torque --tag",
    "search torque --where (",
    "search torque --mode keyword --no-update --path sub/*",
    "search",
    "search --help",
    "ask where is the wrench",
    "ask where is the wrench --json",
    "related wrench.md",
    "related no-such.md --json",
    "status",
    "status --json",
    "status nowhere",
]
"""Commands with hits, without, with errors of every kind."""


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A folder with an index and a process that answers for it."""
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "wrench.md").write_text("# Wrench\n\nThe torque wrench is in the *drawer*. Torque matters.\n")
    (folder / "sub" / "bolts.md").write_text("# Bolts\n\nTighten with torque, see [wrench](../wrench.md).\n")
    assert ended(folder, "index --background").returncode == 0
    yield folder
    ended(folder, "index --stop")


def ended(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A command in a folder, once it has ended."""
    return subprocess.run(
        [*HEADNOTE, *line.split()], cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False
    )


def alone(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return ended(folder, line, **{ALONE: "1"}, **environment)


def outcome(run: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    """What a command tells, without what tells only when."""
    return run.returncode, re.sub(rb"\d+ seconds? ago", b"", run.stdout), re.sub(rb"import time:.*\n", b"", run.stderr)


def was_handed_over(folder: Path, *before: str, line: str = "search torque") -> bool:
    """Whether a command that is run behind others is answered elsewhere: then it has not even imported click."""
    command = [*before, sys.executable, "-X", "importtime", "-m", "headnote", *line.split()]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert run.returncode == 0
    assert outcome(run) == outcome(alone(folder, line))
    return b" click" not in run.stderr


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def test_every_command_gives_the_same_bytes_and_exit_code(root: Path) -> None:
    assert was_handed_over(root)
    for line in SAME:
        assert outcome(ended(root, line)) == outcome(alone(root, line)), line
    below = root / "sub"
    assert outcome(ended(below, "search torque ..")) == outcome(alone(below, "search torque .."))


def test_the_environment_of_the_command_counts_not_that_of_the_process(root: Path) -> None:
    for environment in (
        {"FORCE_COLOR": "1", "TERM": "xterm-256color"},
        {"HEADNOTE_LIMIT": "1"},
        {"HEADNOTE_NO_SUCH_SETTING": "1"},
        {"PYTHONIOENCODING": "ascii"},
    ):
        handed = ended(root, "search torque", **environment)
        assert outcome(handed) == outcome(alone(root, "search torque", **environment)), environment


def test_a_terminal_shows_the_same(root: Path) -> None:
    def shown(**environment: str) -> str:
        terminal, theirs = os.openpty()
        environment |= {"TERM": "xterm-256color", "COLUMNS": "50"}
        process = subprocess.Popen(
            [*HEADNOTE, "search", "torque"],
            cwd=root,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, **environment},
        )
        os.close(theirs)
        with process:
            output = read_all(terminal)
        os.close(terminal)
        return output

    assert "\x1b[" in shown()
    assert shown() == shown(**{ALONE: "1"})


def test_an_answer_is_as_fresh_as_without_the_process(root: Path) -> None:
    (root / "new.md").write_text("# New\n\nA lighthouse keeper.\n")
    assert b"new.md" in ended(root, "search lighthouse").stdout
    (root / "new.md").unlink()
    assert b"new.md" not in ended(root, "search lighthouse").stdout
    (root / "headnote.toml").write_text('exclude = ["sub/**"]\n')
    assert b"bolts" not in ended(root, "search torque").stdout


def test_it_answers_for_its_own_folder_only(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# Torque\n\nElsewhere.\n")
    line = f"search torque --root {other}"
    assert outcome(ended(root, line)) == outcome(alone(root, line))
    assert not was_handed_over(root, line=line)


def test_a_folder_that_is_renamed_keeps_its_process(root: Path) -> None:
    renamed = root.rename(root.with_name("renamed"))
    for line in ("search torque", "status", f"search torque --root {root}"):
        assert outcome(ended(renamed, line)) == outcome(alone(renamed, line)), line
    assert ended(renamed, "index --adopt").returncode == 0
    assert was_handed_over(renamed)
    renamed.rename(root)
    assert ended(root, "index --adopt").returncode == 0
    assert was_handed_over(root)


def test_a_process_that_was_killed_is_in_nobodys_way(root: Path) -> None:
    found = answering(str(root))
    assert found is not None
    os.kill(found[0], signal.SIGKILL)
    wait_until(lambda: not is_running(found[0]))
    assert (root / INDEX_FOLDER / SOCKET).exists()
    assert not was_handed_over(root)
    assert ended(root, "index --background").returncode == 0
    assert was_handed_over(root)


def test_a_process_that_hangs_or_is_another_version_is_not_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(root, "index --stop")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        monkeypatch.chdir(root / INDEX_FOLDER)  # an address is short
        listening.bind(SOCKET)
        listening.listen()
        assert not was_handed_over(root)
        with refusing(listening):
            assert not was_handed_over(root)


REFUSING = """
import socket, sys
listening = socket.socket(fileno=int(sys.argv[1]))
while True:
    listening.accept()[0].close()
"""


@contextmanager
def refusing(listening: socket.socket) -> Iterator[None]:
    """Every connection is closed at once, as one of another version is."""
    # Not a fork: other tests may have left threads.
    command = [sys.executable, "-c", REFUSING, str(listening.fileno())]
    with subprocess.Popen(command, pass_fds=[listening.fileno()]) as worker:
        try:
            yield
        finally:
            worker.kill()


@pytest.mark.skipif(not Path("/usr/bin/setpriv").exists(), reason="this system has no setpriv")
def test_one_with_fewer_rights_gets_nothing_done(root: Path) -> None:
    assert not was_handed_over(root, "/usr/bin/setpriv", "--no-new-privs")
    assert was_handed_over(root)


LISTENER = """
import socket, sys
listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listening.bind(sys.argv[1])
listening.listen()
while True:
    sys.stdout.buffer.write(listening.accept()[0].recv(1000000))
    sys.stdout.flush()
"""


@pytest.mark.skipif(not Path("/usr/bin/setpriv").exists(), reason="this system has no setpriv")
def test_one_with_fewer_rights_that_listens_learns_nothing(root: Path) -> None:
    ended(root, "index --stop")
    place = root / INDEX_FOLDER / SOCKET
    command = ["/usr/bin/setpriv", "--no-new-privs", sys.executable, "-c", LISTENER, SOCKET]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root / INDEX_FOLDER) as listener:
        wait_until(place.exists)
        assert not was_handed_over(root)
        listener.kill()
        assert listener.stdout is not None
        assert listener.stdout.read() == b""


@pytest.fixture
def silent_service() -> Iterator[str]:
    """The address of a service that takes questions and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


def asking(root: Path, service: str) -> tuple[subprocess.Popen[bytes], int]:
    """A command that waits for the service, and the fork that runs it."""
    found = answering(str(root))
    assert found is not None
    children = Path(f"/proc/{found[0]}/task/{found[0]}/children")
    environment = {**os.environ, "HEADNOTE_CHAT_URL": service, "HEADNOTE_CHAT_MODEL": "m"}
    command = [*HEADNOTE, "ask", "where is the wrench"]
    process = subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def waiting() -> int:
        workers = [worker for worker in children.read_text().split() if is_running(int(worker))]
        connections = [list(Path(f"/proc/{worker}/fd").iterdir()) for worker in workers]
        sockets = [worker for worker, files in zip(workers, connections, strict=True) if len(files) > 6]
        return int(sockets[0]) if sockets else 0

    wait_until(waiting)
    time.sleep(0.5)  # until it is in the middle of it
    return process, waiting()


def test_ctrl_c_ends_the_command(root: Path, silent_service: str) -> None:
    process, worker = asking(root, silent_service)
    process.send_signal(signal.SIGINT)
    with process:
        assert process.wait(DEADLINE) == 130
    wait_until(lambda: not is_running(worker))


def test_a_command_that_is_killed_leaves_nothing_running(root: Path, silent_service: str) -> None:
    process, worker = asking(root, silent_service)
    with process:
        process.kill()
    wait_until(lambda: not is_running(worker))
    assert was_handed_over(root)


def test_a_worker_that_is_killed_is_an_error(root: Path, silent_service: str) -> None:
    process, worker = asking(root, silent_service)
    os.kill(worker, signal.SIGKILL)
    with process:
        assert process.stderr is not None
        assert b"was killed" in process.stderr.read()
    assert process.returncode == 2


def test_status_shows_the_process_and_stop_ends_it(root: Path) -> None:
    process = json.loads(ended(root, "status --json").stdout)["process"]
    assert (process["server"], process["same_version"]) == (None, True)
    assert f"answered by process {process['pid']}".encode() in ended(root, "status").stdout
    stopped = ended(root, "index --stop")
    assert outcome(stopped) == (0, f".  process {process['pid']} has ended\n".encode(), b"")
    assert not is_running(process["pid"])
    assert not (root / INDEX_FOLDER / SOCKET).exists()
    assert json.loads(ended(root, "status --json").stdout)["process"] is None
    again = ended(root, "index --stop --json")
    assert (again.returncode, json.loads(again.stdout)) == (0, {"root": ".", "stopped": None})
    assert outcome(ended(root, "index nowhere --stop")) == outcome(ended(root, "index nowhere"))


def test_a_process_that_is_still_loading_is_waited_for(root: Path) -> None:
    ended(root, "index --stop")
    post = standby.taken_post(root)
    assert post is not None
    with standby.started(root, post) as process:
        post.close()
        assert json.loads(ended(root, "index --stop --json").stdout)["stopped"] == process.pid
        assert not is_running(process.pid)


def test_a_process_of_another_version_is_replaced(root: Path, tmp_path: Path) -> None:
    """A package at another place stands for another version."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "headnote").symlink_to(Path(headnote.__file__).parent)
    process = json.loads(ended(root, "status --json").stdout)["process"]["pid"]
    seen = json.loads(ended(root, "status --json", PYTHONPATH=str(elsewhere)).stdout)["process"]
    assert seen == {"pid": process, "server": None, "same_version": False}
    line = f"not answered by process {process} in the background, which is of another version"
    assert line.encode() in ended(root, "status", PYTHONPATH=str(elsewhere)).stdout
    assert ended(root, "index --background", PYTHONPATH=str(elsewhere)).returncode == 0
    assert not is_running(process)
    assert not was_handed_over(root)
    assert ended(root, "index --background").returncode == 0
    assert was_handed_over(root)


def test_servers_start_it_for_the_first_command_and_end_it(root: Path) -> None:
    ended(root, "index --stop")
    place = root / INDEX_FOLDER / SOCKET
    first, second = (server(root) for _ in range(2))
    wait_until(place.exists)
    assert place.stat().st_mode & 0o777 == 0o600
    assert not was_handed_over(root)  # the first one, which need not wait
    wait_until(lambda: was_handed_over(root))
    process, owner, _ = answering(str(root)) or (0, 0, True)
    assert owner in (first.pid, second.pid)
    refused = ended(root, "index --stop")
    assert (refused.returncode, b"belongs to a server" in refused.stderr) == (2, True)
    ending, staying = (first, second) if owner == first.pid else (second, first)
    end(ending)
    wait_until(lambda: not is_running(process))
    wait_until(place.exists)
    assert ended(root, "index --background").returncode == 0  # that of the server is one, too
    assert (answering(str(root)) or (0, 0, True))[1] == staying.pid
    end(staying)
    assert not place.exists()


def test_a_server_listens_without_a_moment_of_another_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its other threads may be making files."""
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask is that of all threads"))
    (tmp_path / INDEX_FOLDER).mkdir()
    post = standby.taken_post(tmp_path)
    assert post is not None
    assert (tmp_path / INDEX_FOLDER / SOCKET).stat().st_mode & 0o777 == 0o600
    post.leave()


def test_a_worker_may_have_the_number_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / INDEX_FOLDER).mkdir()
    post = standby.taken_post(tmp_path)
    assert post is not None
    server, server_ends = os.pipe()
    looks = iter([[post.listening.fileno()], [], [server]])
    monkeypatch.setattr(standby, "_readable", lambda *_: next(looks))
    monkeypatch.setattr(os, "waitpid", lambda *_: (0, 0))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as command:
        command.connect(str(tmp_path / INDEX_FOLDER / SOCKET))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fork", lambda: server)
            standby._answer_all(post, server, 1)
    assert next(looks, None) is None
    post.leave()
    os.close(server)
    os.close(server_ends)


def server(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*HEADNOTE, "index", "--watch"], cwd=root, stdout=subprocess.DEVNULL)


def end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    with process:
        assert process.wait(DEADLINE) == 0


def test_a_path_may_be_longer_than_an_address(root: Path) -> None:
    deep = root.parent / ("long name " * 20) / "notes"
    deep.parent.mkdir()
    ended(root, "index --stop")
    root.rename(deep)
    assert ended(deep, "index --background --adopt").returncode == 0
    assert was_handed_over(deep)
    ended(deep, "index --stop")
    deep.rename(root)

"""A process that has everything loaded, and runs commands about one folder for the user who asks it to.

`serve`, `mcp` and `index --watch` listen at a socket in the folder of the index; the first command that `handover.py`
hands over starts the process, and it ends when none has come for a while. `index --background` starts one that belongs
to no server.

Each command runs in a fork, which has the modules and models of its parent and nothing else: it takes over arguments,
environment, folder and output of whoever asks, opens the index as any command does, and brings it up to date. It
answers for its own folder only, and only to a process of the same user with the same rights in the same part of the
system: one in a sandbox gets nothing done outside of it.
"""

from __future__ import annotations

import gc
import io
import os
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

from headnote.cli.handover import (
    COMMANDS,
    DECLINED,
    GO,
    INDEX_FOLDER,
    MAX_MESSAGE,
    PATIENCE,
    READY,
    SOCKET,
    WHO,
    OtherCommand,
    answer_only,
    has_same_rights,
    version,
)
from headnote.errors import HeadnoteError

if sys.platform != "win32":
    import fcntl
    from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, socket

CAN_STAND_BY = sys.platform == "linux"
"""Other systems do not fork safely, or do not tell who asks."""
IDLE = 600.0
"""Seconds without a command after which the process of a server ends; the next command starts another."""
IDLE_IN_BACKGROUND = 1800.0
LOOK_AGAIN = 5.0
"""Seconds until a server looks again whether it can listen: for an index that is new, or another server that has
ended."""
_WAITING = 64
"""Commands that may wait for a fork."""
_LATE = ("headnote.answer.answering", "headnote.answer.chat", "headnote.search.related")
"""Modules that commands load when they need them."""
_ANYTHING = "what is this about?"


# -- Listening


class Post(NamedTuple):
    """The place where the commands of a folder are taken."""

    inside: int
    """Descriptor of the folder of the index. It is locked, so that one process listens; the lock ends with it."""
    listening: socket

    def leave(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(SOCKET, dir_fd=self.inside)
        self.close()

    def close(self) -> None:
        self.listening.close()
        os.close(self.inside)


def taken_post(root: Path) -> Post | None:
    """The post of a folder; None if another process has it, or if nobody can: without an index in it, or on a disk
    that cannot be written or has no sockets."""
    try:
        inside = os.open(root / INDEX_FOLDER, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    listening = socket(AF_UNIX, SOCK_SEQPACKET)
    try:
        fcntl.flock(inside, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with suppress(FileNotFoundError):
            os.unlink(SOCKET, dir_fd=inside)  # of a process that was killed
        os.fchmod(listening.fileno(), 0o600)  # so is the file that `bind` makes, whatever the umask
        listening.bind(f"/proc/self/fd/{inside}/{SOCKET}")  # an address is short, and a path need not be
        listening.listen(_WAITING)
    except OSError:
        listening.close()
        os.close(inside)
        return None
    return Post(inside, listening)


@contextmanager
def commands_answered(root: Path) -> Iterator[None]:
    """Inside, a process answers commands about this folder once there has been one, where the system forks safely."""
    if not CAN_STAND_BY:
        yield
        return
    ending, end = os.pipe()
    watcher = threading.Thread(target=_wait_for_commands, args=(root, ending), name="headnote commands", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.close(end)  # which wakes the thread, and ends the process that it has started
        watcher.join()
        os.close(ending)


def _wait_for_commands(root: Path, ending: int) -> None:
    while not _readable([ending], 0.0):
        post = taken_post(root)
        if post is None:
            _readable([ending], LOOK_AGAIN)
            continue
        try:
            while ending not in _readable([ending, post.listening.fileno()]):
                post.listening.accept()[0].close()  # it need not wait for what helps only those after it
                if started(root, post, ending).wait():
                    return
                post.listening.listen(_WAITING)  # it is this process again that listens
        finally:
            post.leave()


def started(root: Path, post: Post, owner: int | None = None) -> subprocess.Popen[bytes]:
    """Start the process at a post. It ends when the other end of the pipe `owner` is closed; without one, it stays."""
    given = [post.listening.fileno(), post.inside]
    own = ["-", "0"] if owner is None else [str(owner), str(os.getpid())]
    return subprocess.Popen(
        # -P: what lies in the current folder is not for Python to load.
        [sys.executable, "-P", "-m", __name__, str(root.absolute()), *map(str, given), *own],
        pass_fds=[*given, *([] if owner is None else [owner])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},  # a fork has one thread
        start_new_session=True,
    )


def start_in_background(root: Path) -> None:
    """Start a process that belongs to no server, unless another one has the post."""
    post = taken_post(root)
    if post is not None:
        started(root, post)
        post.close()  # here; there, both stay open


def end_in_background(process: int) -> None:
    """End a process that belongs to no server, and wait until its post is free."""
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(process, signal.SIGTERM)
    while _is_running(process):
        time.sleep(0.02)


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in b"XZ"  # all of its files are closed, even if nobody has asked how it ended


def _readable(files: Sequence[int], seconds: float | None = None) -> list[int]:
    return select.select(files, [], [], seconds)[0]


# -- The process


def main(root: str, listening: str, inside: str, owner: str, server: str) -> None:
    """Answer until no command has come for a while, or the server has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    post = Post(int(inside), socket(fileno=int(listening)))
    post.listening.listen(_WAITING)  # from now on it is this process that a client sees
    try:
        answer_only(root)
        _load(Path(root))
        if len(list(Path("/proc/self/task").iterdir())) > 1:
            raise RuntimeError("a fork of several threads is not safe")
        _answer_all(post, None if owner == "-" else int(owner), int(server))
    finally:
        if owner == "-":
            post.leave()


def _end(*_: object) -> NoReturn:
    raise SystemExit(0)


def _load(root: Path) -> None:
    """Load what commands need, and search once: that loads the model and compiles patterns."""
    from headnote.api import Index
    from headnote.cli.main import ALLOCATIONS
    from headnote.cli.main import COMMANDS as TABLE
    from headnote.cli.search_view import snippet_of

    for module in (*(TABLE[name].module for name in COMMANDS), *_LATE):
        import_module(module)
    with suppress(HeadnoteError), Index.open(root, create=False, read_only=True, without_deep=True) as index:
        # Whatever is wrong with the index, each command says itself.
        for hit in index.search(_ANYTHING, min_score=0):
            snippet_of(hit, _ANYTHING)
    gc.set_threshold(ALLOCATIONS)
    gc.freeze()  # pages that the collector never touches stay those of all forks


def _answer_all(post: Post, owner: int | None, server: int) -> None:
    idle = IDLE_IN_BACKGROUND if owner is None else IDLE
    watched = [post.listening.fileno(), *([] if owner is None else [owner])]
    workers: set[int] = set()
    while True:
        ready = _readable(watched, LOOK_AGAIN if workers else idle)
        if owner in ready or not (ready or workers):
            return
        workers = {worker for worker in workers if os.waitpid(worker, os.WNOHANG)[0] == 0}
        if post.listening.fileno() in ready:
            workers.add(_forked(post, server))


def _forked(post: Post, server: int) -> int:
    """Answer in a fork, and return its number."""
    connection, _ = post.listening.accept()
    with connection:
        worker = os.fork()
        if not worker:
            try:
                post.close()  # it is free for another process as soon as this one has ended
                _answer(connection, server)
            finally:
                os._exit(0)  # nothing of what the parent does at its end
    return worker


# -- A fork, for one command


def _answer(connection: socket, server: int) -> None:
    """Run one command. Whatever goes wrong before it begins, whoever asks runs it himself."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    connection.settimeout(PATIENCE)
    request = connection.recv(MAX_MESSAGE)
    if request == WHO:
        connection.send(b"%d %d %b" % (os.getppid(), server, os.fsencode(version())))
        return
    fields = request.split(b"\0")
    if os.fsdecode(fields[0]) != version() or not has_same_rights(connection):
        return
    connection.send(READY + str(os.getpid()).encode())
    go, files, _, _ = recv_fds(connection, len(GO), 4)
    if go != GO or len(files) != 4:
        return  # it has given up
    _end_with(connection)
    try:
        reply = str(_run(fields, files)).encode()
    except OtherCommand:
        reply = DECLINED
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    connection.send(reply)


def _end_with(connection: socket) -> None:
    """End as soon as the process that asked has ended: a signal comes when its side is closed."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    connection.settimeout(None)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)


def _run(fields: Sequence[bytes], files: Sequence[int]) -> int:
    """Run the command, and return its exit code."""
    from headnote.cli.main import run_command

    try:
        arguments = _become(fields, files)
    except OSError as error:  # a folder that it cannot enter
        raise OtherCommand from error
    try:
        return run_command(arguments)
    except OtherCommand:
        raise
    except Exception:  # noqa: BLE001  as Python ends any program
        traceback.print_exc()
        return 1


def _become(fields: Sequence[bytes], files: Sequence[int]) -> list[str]:
    """Take over what the command depends on, and return its arguments."""
    encodings, mask, count = [field.decode() for field in fields[1:3]], int(fields[3]), int(fields[4])
    arguments, variables = fields[5 : 5 + count], fields[5 + count :]
    here, *streams = files
    os.fchdir(here)
    os.close(here)
    for number, file in enumerate(streams):
        os.dup2(file, number)
        os.close(file)
    os.umask(mask)
    os.environb.clear()
    for variable in variables:
        name, _, value = variable.partition(b"=")
        os.environb[name] = value
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = map(os.fsdecode, arguments)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (_output(number, encoding) for number, encoding in zip((1, 2), encodings, strict=True))
    return sys.argv[1:]


def _output(number: int, encoding: str) -> io.TextIOWrapper:
    """A stream as Python makes it at its start."""
    raw = open(number, "wb", closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(raw, encoding, newline="\n", line_buffering=number == 2 or os.isatty(number))


if __name__ == "__main__":
    main(*sys.argv[1:])

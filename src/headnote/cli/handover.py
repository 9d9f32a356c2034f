"""Hand a command to a process that has all of it loaded, before anything of it is loaded here.

`standby.py` is the other side. It runs the very same command, in a fork of its own: with the arguments, the environment
and the folder of this process, and writing to its output. So it makes no difference but in time, and where there is no
such process, or it is another version, or it takes too long to say that it is ready, the command runs here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes as long to load as Python to start
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

COMMANDS = frozenset({"ask", "related", "search", "status"})
INDEX_FOLDER = ".headnote"
SOCKET = "commands.sock"
ALONE = "HEADNOTE_ALONE"
"""The variable that says to ask no other process."""
PATIENCE = 0.5
"""Seconds to wait until the other process is ready: about what the command takes here."""
LOADING = 60.0
"""Seconds after which a process that was started surely answers."""
MAX_MESSAGE = 200_000
"""Bytes of a request that the system surely takes as one."""
_RIGHTS = (b"Uid:", b"Gid:", b"Groups:", b"CapEff:", b"NoNewPrivs:", b"Seccomp:")
_SEPARATE = ("mnt", "net", "pid", "user")
"""Parts of the system that a sandbox or a container has of its own."""
READY, GO, DECLINED = b"ready ", b"go", b"declined"
WHO = b"who"
"""Asks which process answers, and of which version it is."""
FAILED = 2
INTERRUPTED = 130


def run() -> NoReturn:
    """Entry point of the console script."""
    try:
        code = _handed_over(sys.argv[1:])
        if code is not None:
            sys.exit(code)
        from headnote.cli.main import run as run_here

        run_here()
    except KeyboardInterrupt:  # before the command has begun, while it is loaded, or after its end
        sys.exit(INTERRUPTED)


def _handed_over(arguments: Sequence[str]) -> int | None:
    """The exit code of a command that another process has run; None if none has."""
    if not arguments or arguments[0] not in COMMANDS or sys.platform != "linux" or os.environ.get(ALONE):
        return None
    connection = next(filter(None, map(connected, _folders(arguments))), None)
    if connection is None:
        return None
    try:
        return _run_there(connection, arguments)
    finally:
        connection.close()


def _folders(arguments: Sequence[str]) -> Iterator[str]:
    """Folders that the arguments may name, the last first, and the current one. A wrong guess does no harm: the other
    process reads the arguments as they are meant, and answers for its own folder only."""
    for argument in reversed(arguments[1:]):
        name = argument.partition("=")[2] if argument.startswith("--root=") else argument
        if os.path.isdir(name):  # pathlib takes as long to load as the rest
            yield name
    yield "."


def connected(folder: str) -> socket | None:
    """A connection to the process of this user that answers commands about a folder, if there is one."""
    if not os.path.exists(os.path.join(folder, INDEX_FOLDER, SOCKET)):  # noqa: PTH118
        return None
    # The module below `socket`: that one gives each number a name, which takes longer than all of this.
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        connection.settimeout(PATIENCE)
        # The address of a socket is short, and the path of a folder need not be.
        inside = os.open(os.path.join(folder, INDEX_FOLDER), os.O_RDONLY | os.O_DIRECTORY)  # noqa: PTH118
        try:
            connection.connect(f"/proc/self/fd/{inside}/{SOCKET}")
        finally:
            os.close(inside)
        if has_same_rights(connection):
            return connection
    except OSError:
        pass  # one that was killed has left it, or it belongs to somebody else
    connection.close()
    return None


def has_same_rights(connection: socket) -> bool:
    """Whether the process at the other end is one of the same user, and could do by itself what this one can. Then it
    learns nothing that it could not read anyway, and gets nothing done that it could not do."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    process = int.from_bytes(connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)[:4], sys.byteorder)
    try:
        return _rights(str(process)) == _rights("self")
    except OSError:
        return False  # it hides what it is


def _rights(process: str) -> list[object]:
    place = f"/proc/{process}"
    with open(f"{place}/status", "rb") as lines:  # noqa: PTH123
        rights: list[object] = [line for line in lines if line.startswith(_RIGHTS)]
    top = os.stat(f"{place}/root/.")  # noqa: PTH116
    return [*rights, *(os.readlink(f"{place}/ns/{part}") for part in _SEPARATE), (top.st_dev, top.st_ino)]  # noqa: PTH115


def version() -> str:
    """What must be the same on both sides: the package and its place, and Python."""
    from headnote import __version__

    return " ".join((__version__, __file__, sys.executable, sys.version))


def _request(arguments: Sequence[str]) -> bytes:
    """All that a command depends on, beside the files that go with it: fields between zeros."""
    mask = os.umask(0)
    os.umask(mask)
    streams = [stream.encoding for stream in (sys.stdout, sys.stderr)]
    variables = [b"%b=%b" % item for item in os.environb.items()]
    fields = [version(), *streams, str(mask), str(len(arguments)), *arguments]
    return b"\0".join([*map(os.fsencode, fields), *variables])


def _run_there(connection: socket, arguments: Sequence[str]) -> int | None:
    import _signal as signal  # type: ignore[import-not-found]  # the module below, as with `socket`
    from _socket import SCM_RIGHTS, SOL_SOCKET

    try:
        request = _request(arguments)
        if len(request) > MAX_MESSAGE:
            return None
        connection.send(request)
        reply = connection.recv(MAX_MESSAGE)
        if not reply.startswith(READY):
            return None
        worker = int(reply.removeprefix(READY))
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Until here, the other process has done nothing, and from here on it may do all of it. It has no files
            # before: one that hangs would keep the output open, and whoever reads that would wait for the end.
            files = b"".join(file.to_bytes(4, sys.byteorder) for file in (here, 0, 1, 2))
            connection.sendmsg([GO], [(SOL_SOCKET, SCM_RIGHTS, files)])
        finally:
            os.close(here)
    except (OSError, AttributeError):  # too late, gone, or a stream that is closed
        return None
    connection.settimeout(None)
    signal.signal(signal.SIGINT, lambda *_: _interrupt(worker))
    reply = connection.recv(MAX_MESSAGE)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if reply == DECLINED:
        return None
    if not reply:
        sys.stderr.write(f"error: the process {worker} was killed while it ran the command (run it again)\n")
        return FAILED
    return int(reply)


def _interrupt(worker: int) -> None:
    """Ctrl-C reaches this process: the one that works is that of another terminal, or of none."""
    from contextlib import suppress
    from signal import SIGINT

    with suppress(ProcessLookupError):  # it has just ended
        os.kill(worker, SIGINT)


def answering(folder: str, patience: float = PATIENCE) -> tuple[int, int, bool] | None:
    """The process that answers commands about a folder, the server it belongs to or 0 if it is in the background, and
    whether it is of this version: only then commands ask it."""
    connection = connected(folder) if sys.platform == "linux" else None
    if connection is None:
        return None
    try:
        connection.settimeout(patience)
        connection.send(WHO)
        process, server, *its_version = connection.recv(MAX_MESSAGE).split(b" ", 2)
        return int(process), int(server), its_version == [os.fsencode(version())]
    except (OSError, ValueError):  # it is about to end
        return None
    finally:
        connection.close()


# -- In a process that answers


class OtherCommand(Exception):
    """A command that this process does not answer."""


_answered: tuple[int, int] | None = None
"""The number of the folder that this process answers for, which stays when that is renamed; None if it answers for
any."""


def answer_only(folder: str) -> None:
    """From now on, refuse a command about another folder, or about an index elsewhere, before it writes anything."""
    global _answered  # noqa: PLW0603
    _answered = _number(folder)


def check_answered(folder: str, elsewhere: bool) -> None:
    """Raise if the command is not one for this process."""
    if _answered is None:
        return
    try:
        is_own = _number(folder) == _answered
    except OSError:  # whoever asks says himself what is wrong with the folder
        is_own = False
    if elsewhere or not is_own:
        raise OtherCommand


def _number(folder: str) -> tuple[int, int]:
    """By what the system knows a folder."""
    found = os.stat(folder)  # noqa: PTH116
    return found.st_dev, found.st_ino

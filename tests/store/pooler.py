"""Starts a real pgbouncer in front of a server, in transaction mode: a connection of the server belongs to a client for
one transaction only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

SETTINGS = """
[databases]
* = host={host} port={port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 100
"""


@contextmanager
def pooler(server: str, connections: int = 2) -> Iterator[str]:
    """The address of a pgbouncer with so many connections to this server."""
    port = free_port()
    settings = SETTINGS.format(host=server, port=5432, own_port=port, connections=connections)
    with running(server, port, {"pgbouncer.ini": settings}):
        yield f"127.0.0.1:{port}"


@contextmanager
def running(server: str, port: int, files: Mapping[str, str]) -> Iterator[None]:
    """A pgbouncer with these files, in front of this server. `{folder}` in them is where they are."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    folder = Path(tempfile.mkdtemp(prefix="headnote-pool-"))
    for name, content in files.items():
        (folder / name).write_text(content.replace("{folder}", str(folder)), encoding="utf-8")
    command = [program, *_as_user_of(server, folder), str(folder / "pgbouncer.ini")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        _wait_for(process, port)
        yield
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _as_user_of(server: str, folder: Path) -> list[str]:
    """pgbouncer refuses to run as root, as the server does; and only the user of the server can reach its socket."""
    if os.getuid() != 0:
        return []
    import pwd  # not on every system

    owner = Path(server).stat().st_uid
    os.chown(folder, owner, -1)
    return ["-u", pwd.getpwuid(owner).pw_name]


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(process.communicate()[1].decode())

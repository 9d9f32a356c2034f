"""Who embeds what where several processes work: each claims some texts, and the others take different ones.

A claim ends when its vectors are stored. If its owner dies, others take over: at once on the same machine, where they
see that the process is gone, and elsewhere when the claim expires.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import NamedTuple
from uuid import uuid4

from headnote.store.base import Reader, Writer
from headnote.store.names import name_hash
from headnote.store.rows import PendingText

SECONDS = 300.0
"""Lifetime of a claim: longer than a slow service needs for one batch, and short enough to wait for."""


class Worker(NamedTuple):
    """One run that makes vectors."""

    run: str
    process: int
    host: str

    @classmethod
    def here(cls) -> Worker:
        return cls(uuid4().hex, os.getpid(), socket.gethostname())

    @classmethod
    def named(cls, name: str) -> Worker:
        run, process, host = name.split(" ", 2)
        return cls(run, int(process), host)

    @property
    def name(self) -> str:
        return f"{self.run} {self.process} {self.host}"

    @property
    def is_gone(self) -> bool:
        """Whether the process is known to have ended; unknown counts as alive."""
        # On Windows, `os.kill` would end the process.
        if self.host != socket.gethostname() or sys.platform == "win32":
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


def take_texts(writer: Writer, model: str, worker: Worker, most: int) -> list[PendingText]:
    """Claim texts for this worker."""
    _release_dead(writer, model)
    texts = writer.pending(model, most)
    writer.claim(model, [text.hash for text in texts], worker.name, SECONDS)
    return texts


def take_names(writer: Writer, model: str, worker: Worker, most: int) -> list[str]:
    """The same for names."""
    _release_dead(writer, model)
    names = writer.pending_names(model)[:most]
    writer.claim(model, [name_hash(name).hex() for name in names], worker.name, SECONDS)
    return names


def others_at_work(reader: Reader, model: str) -> list[Worker]:
    """The workers that are making vectors of this model."""
    workers = [(Worker.named(claim.owner), claim.seconds_left) for claim in reader.claims(model)]
    return [worker for worker, left in workers if left > 0 and not worker.is_gone]


def is_work_left(reader: Reader, model: str) -> bool:
    """Whether anything is left to embed that no living worker has claimed."""
    return bool(reader.pending(model, 1) or reader.pending_names(model) or _dead_owners(reader, model))


def _release_dead(writer: Writer, model: str) -> None:
    for owner in _dead_owners(writer, model):
        writer.release(owner)


def _dead_owners(reader: Reader, model: str) -> set[str]:
    alive = {worker.name for worker in others_at_work(reader, model)}
    return {claim.owner for claim in reader.claims(model)} - alive

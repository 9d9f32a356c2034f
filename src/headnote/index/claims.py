"""Who embeds what where several processes work: each claims some texts, and the others take different ones.

A claim ends when its vectors are stored. If its owner dies, others take over: at once on the same machine, where they
see that the process is gone, and elsewhere when the claim expires.
"""

from __future__ import annotations

import os
import socket
import sys
from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar
from uuid import uuid4

from headnote.store.base import Reader, Writer
from headnote.store.damage import Damaged
from headnote.store.names import name_hash
from headnote.store.rows import PendingText

SECONDS = 300.0
"""Lifetime of a claim: longer than a slow service needs for one batch, and short enough to wait for."""
AT_ONCE = 2048
"""Texts in a queue: about a minute of work, after which the newest come first again."""

Item = TypeVar("Item")


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


class Queue(ABC, Generic[Item]):
    """What a worker is going to embed, in order. It asks the store for many at once, since it takes a look at all
    chunks to tell which come first, and takes a few at a time."""

    def __init__(self, model: str, worker: Worker) -> None:
        self._model = model
        self._worker = worker
        self._waiting: list[Item] = []
        self._tried: set[Item] = set()
        """Those of the last look that have been claimed, by this worker or by others."""

    def take(self, writer: Writer, most: int) -> list[Item]:
        """Claim the next ones for this worker, who has stored those it had before; none if others have claimed all that
        is left."""
        _release_dead(writer, self._model)
        while self._waiting or self._refill(writer):
            following, self._waiting = self._waiting[:most], self._waiting[most:]
            self._tried.update(following)
            if taken := self._claim(writer, following):
                return taken
        return []

    def _refill(self, writer: Writer) -> bool:
        self._waiting = self._find(writer)
        # A store that does not find what it has just stored would hand out the same items forever.
        if not self._tried.isdisjoint(self._waiting):
            raise Damaged("vectors that were stored are not found again")
        self._tried.clear()
        return bool(self._waiting)

    @abstractmethod
    def _find(self, writer: Writer) -> list[Item]: ...

    @abstractmethod
    def _claim(self, writer: Writer, items: list[Item]) -> list[Item]: ...


class TextQueue(Queue[PendingText]):
    """New and much linked documents first."""

    def _find(self, writer: Writer) -> list[PendingText]:
        return writer.pending(self._model, AT_ONCE)

    def _claim(self, writer: Writer, items: list[PendingText]) -> list[PendingText]:
        claimed = writer.claim(self._model, [text.hash for text in items], self._worker.name, SECONDS)
        return [text for text in items if text.hash in claimed]


class NameQueue(Queue[str]):
    """In the order of the alphabet."""

    def _find(self, writer: Writer) -> list[str]:
        return writer.pending_names(self._model)

    def _claim(self, writer: Writer, items: list[str]) -> list[str]:
        hashes = {name_hash(name).hex(): name for name in items}
        claimed = writer.claim(self._model, list(hashes), self._worker.name, SECONDS, names=True)
        return [name for digest, name in hashes.items() if digest in claimed]


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

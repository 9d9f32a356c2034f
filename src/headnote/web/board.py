"""A few bytes that several processes share: one writes how far the index is, the others read it."""

from __future__ import annotations

import zlib
from multiprocessing.sharedctypes import RawArray

import msgspec

from headnote.keeper import State
from headnote.web.conversion import encoded

SIZE = 16 * 1024
_HEADER = 8
_LONGEST = 1000
"""Characters of a text. It may repeat what a service says, and as JSON a character takes six bytes at most."""


class Board:
    """Holds one `State`. Nothing is locked, since a process may be killed at any moment: a reader tells a state that is
    half written by its checksum, and takes the one before."""

    def __init__(self) -> None:
        self._memory = RawArray("c", SIZE)
        self._last = State(busy=True)
        """What was read last; at first, nobody has written yet."""

    def write(self, state: State) -> None:
        body = encoded(state._replace(problem=state.problem[:_LONGEST], elsewhere=state.elsewhere[:_LONGEST]))
        header = len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big")
        self._memory[: _HEADER + len(body)] = header + body

    def read(self) -> State:
        content = bytes(self._memory)
        size, checksum = int.from_bytes(content[:4], "big"), int.from_bytes(content[4:_HEADER], "big")
        body = content[_HEADER : _HEADER + size]
        if size and zlib.crc32(body) == checksum:
            self._last = msgspec.json.decode(body, type=State)
        return self._last

"""Signals that wait until work is done that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signals_later() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM take effect after the block, as if they came then. It yields the numbers of those that came.

    They come to the main thread, so in any other one there is nothing to hold back.
    """
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = {
        number: signal.signal(number, lambda came, _: caught.append(came)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for came in caught[:1]:
        signal.raise_signal(came)

"""Signals that wait until work is done that must not be interrupted, and SIGTERM as a polite Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


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


@contextmanager
def sigterm_interrupts(on_signal: Callable[[], None] = lambda: None) -> Iterator[Callable[[], bool]]:
    """Inside, SIGTERM calls a function and interrupts as Ctrl-C does. The function it yields tells whether the signal
    came."""
    owner = os.getpid()
    received = threading.Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a worker process inherited the handler and has nothing to clean up
            os._exit(128 + signal.SIGTERM)
        received.set()
        on_signal()
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, handle)
    try:
        yield received.is_set
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def ending_by_sigterm() -> Iterator[None]:
    """SIGTERM ends the process as it does by default, but only after the block is left."""
    with sigterm_interrupts() as is_terminated:
        try:
            yield
        except KeyboardInterrupt:
            if not is_terminated():
                raise
    if is_terminated():
        signal.raise_signal(signal.SIGTERM)

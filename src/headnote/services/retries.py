"""Trying again: which failures are worth it, how long to wait, when to give up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from email.message import Message
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TypeVar

from headnote.errors import RateLimited, ServiceError
from headnote.services.cancellation import current_cancellation
from headnote.services.settings import Limits

_DAY = 86_400

Result = TypeVar("Result")


class Retryable(Exception):
    """This try failed; another one may succeed."""

    def __init__(self, error: ServiceError, retry_after: float | None = None) -> None:
        """`error` is raised if no further try follows; `retry_after` is the wait the service demands, in seconds."""
        self.error = error
        self.retry_after = retry_after


def with_retries(send: Callable[[float], Result], limits: Limits, pace: Pace) -> Result:
    """Call `send` with the deadline until it succeeds, fails for good, or limits are reached."""
    deadline = time.monotonic() + limits.deadline
    for attempt in range(1, limits.tries + 1):
        pace.wait(deadline)
        try:
            return send(deadline)
        except Retryable as failure:
            wait = _backoff(attempt, limits, failure.retry_after)
            is_last = attempt == limits.tries
            is_too_long = (failure.retry_after or 0) > limits.longest_wait
            is_too_late = time.monotonic() + wait > deadline
            if is_last or is_too_long or is_too_late:
                raise _final_error(failure, attempt, limits) from None
            current_cancellation().pause(wait)
    raise AssertionError("unreachable: at least one try")


def _backoff(attempt: int, limits: Limits, retry_after: float | None) -> float:
    """Exponential, with jitter: many waiting clients must not all come back at once."""
    wait = min(limits.first_wait * 2.0 ** (attempt - 1), limits.longest_wait)
    jittered: float = wait * random.uniform(0.5, 1)
    return jittered if retry_after is None else max(jittered, retry_after + jittered / 4)


def _final_error(failure: Retryable, tries: int, limits: Limits) -> ServiceError:
    error = failure.error
    wait = failure.retry_after
    if wait and wait > limits.longest_wait:
        seconds = f"{wait:.0f} seconds" if wait <= _DAY else "more than a day"
        remedy = f"it asks to wait for {seconds}"
    elif isinstance(error, RateLimited):
        remedy = "try again later, or send fewer requests per minute"
    else:
        remedy = "try again later"
    return type(error)(f"{error.message}, after {'1 try' if tries == 1 else f'{tries} tries'}", remedy=remedy)


class Pace:
    """Spaces requests evenly over a minute, across threads."""

    def __init__(self, requests_per_minute: float | None) -> None:
        self._interval = 60 / requests_per_minute if requests_per_minute else 0.0
        self._lock = Lock()
        self._next_start = 0.0

    def wait(self, deadline: float) -> None:
        if not self._interval:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next_start)
            self._next_start = start + self._interval
        if start > now:
            current_cancellation().pause(min(start, deadline) - now)


def parse_retry_after(headers: Message[str, str]) -> float | None:
    """The wait demanded by a response, in seconds. The header holds a number or a date; anything else is ignored."""
    try:
        milliseconds = headers.get("retry-after-ms")
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if not value:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None

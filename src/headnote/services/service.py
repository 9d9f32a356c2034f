"""Which service to call: its address and key, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from headnote.errors import MissingKey, SettingsError

OPENAI_URL = "https://api.openai.com/v1"
"""The service used unless the environment names another."""

MAX_DEADLINE = 86_400
"""The longest deadline that can be set: a day, in seconds."""

Purpose = Literal["embedding", "chat"]
"""What a service is for. Each purpose has its own environment variables."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, how often to try, how fast to send."""

    timeout: float = 60.0
    """Seconds of silence after which a try counts as failed."""
    tries: int = 6
    first_wait: float = 0.5
    """Seconds before the second try; doubled before each further one."""
    longest_wait: float = 60.0
    """Seconds. If a service demands a longer wait, we give up."""
    deadline: float = 300.0
    """Seconds for a whole request: all tries, the waits between them, and the response to its last byte. Five minutes
    let a rate limit of a minute pass four times; a service that drips one byte a second would never end."""
    requests_per_minute: float | None = None
    """At most this many, counted over all threads."""


@dataclass(frozen=True, slots=True)
class Service:
    """The address and key of a service. The key never appears in its text form."""

    url: str
    key: str = field(default="", repr=False)
    key_variable: str = "HEADNOTE_EMBEDDING_KEY"
    """The variable the key comes from, for error messages."""
    purpose: Purpose = "embedding"

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise SettingsError(
                f"the address of the {self.purpose} service cannot be used",
                remedy="set it to http://… or https://…, without a user name or password",
            )
        # http.client refuses an ill-formed header with an error that quotes it, key included.
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise MissingKey(f"the key in {self.key_variable} contains invalid characters", remedy="set it again")

    @property
    def address(self) -> str:
        """Host and path: enough to name the service in messages."""
        parts = urlsplit(self.url)
        return f"{parts.netloc}{parts.path.rstrip('/')}"


def find_service(environment: Mapping[str, str], purpose: Purpose) -> Service:
    """The service named by the environment. A key is only sent to the address it was set for.

    `HEADNOTE_EMBEDDING_URL` goes with `HEADNOTE_EMBEDDING_KEY`, `OPENAI_BASE_URL` with `OPENAI_API_KEY`. Our own key
    may stand in for OpenAI's, never the other way round. The same holds for `HEADNOTE_CHAT_URL`.
    """
    own_variable = f"HEADNOTE_{purpose.upper()}_KEY"
    own_url = environment.get(f"HEADNOTE_{purpose.upper()}_URL", "").strip()
    own_key = environment.get(own_variable, "").strip()
    if own_url:
        return Service(own_url, own_key, own_variable, purpose)
    url = environment.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    key = own_key or environment.get("OPENAI_API_KEY", "").strip()
    if not key and url.rstrip("/") == OPENAI_URL:
        raise MissingKey(f"the {purpose} service needs a key", remedy="set OPENAI_API_KEY in the environment")
    return Service(url, key, own_variable if own_key else "OPENAI_API_KEY", purpose)


def find_limits(environment: Mapping[str, str], purpose: Purpose, default: Limits) -> Limits:
    """`default`, with the deadline from `HEADNOTE_EMBEDDING_DEADLINE` or `HEADNOTE_CHAT_DEADLINE` if that is set."""
    variable = deadline_variable(purpose)
    value = environment.get(variable, "").strip()
    if not value:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_DEADLINE:
        raise SettingsError(
            f"{variable} must be a number of seconds", remedy=f"use more than 0, at most {MAX_DEADLINE:,}"
        )
    return replace(default, deadline=seconds)


def deadline_variable(purpose: Purpose) -> str:
    return f"HEADNOTE_{purpose.upper()}_DEADLINE"

"""Where a service is, what opens it, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from headnote.errors import MissingKey, SettingsError

URL = "https://api.openai.com/v1"
"""Where a service is unless somebody says otherwise."""

MOST_SECONDS = 86_400
"""A day: the longest deadline that somebody may ask for."""

Purpose = Literal["embedding", "chat"]
"""What a service is for; each has variables of its own."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what."""

    timeout: float = 60.0
    """Seconds without a sign of life after which a try counts as failed."""
    tries: int = 6
    first_wait: float = 0.5
    """Seconds before the second try; twice as long before each further one."""
    longest_wait: float = 60.0
    """A service that asks for more than that is not waited for."""
    deadline: float = 300.0
    """Seconds for a whole question: all tries, the waits between them and the answer to its last byte. Five minutes let
    a rate limit of a minute pass four times; a service that drips one byte a second would never end."""
    requests_per_minute: float | None = None
    """No more than that, counted over all threads."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where it is and what opens it. The key is in no text that this makes."""

    url: str
    key: str = field(default="", repr=False)
    key_variable: str = "HEADNOTE_EMBEDDING_KEY"
    """Where the key comes from, for whoever has to be told."""
    purpose: Purpose = "embedding"

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise SettingsError(
                f"the address of the {self.purpose} service cannot be used",
                remedy="set it to http://… or https://… without a name or password in it",
            )
        # An ill-formed header would be quoted, key and all, by the library that refuses to send it.
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise MissingKey(f"the key in {self.key_variable} has characters that no key has", remedy="set it again")

    @property
    def place(self) -> str:
        """Host and path: which service it is, without how to get in."""
        parts = urlsplit(self.url)
        return f"{parts.netloc}{parts.path.rstrip('/')}"


def find_patience(environment: Mapping[str, str], purpose: Purpose, usual: Patience) -> Patience:
    """As usual, but for as long as `HEADNOTE_EMBEDDING_DEADLINE` or `HEADNOTE_CHAT_DEADLINE` says."""
    variable = deadline_variable(purpose)
    written = environment.get(variable, "").strip()
    if not written:
        return usual
    try:
        seconds = float(written)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST_SECONDS:
        raise SettingsError(f"{variable} is no number of seconds", remedy=f"use more than 0, up to {MOST_SECONDS:,}")
    return replace(usual, deadline=seconds)


def deadline_variable(purpose: Purpose) -> str:
    return f"HEADNOTE_{purpose.upper()}_DEADLINE"


def find_service(environment: Mapping[str, str], purpose: Purpose) -> Service:
    """The service that the environment names. A key goes only to the address it was set for.

    `HEADNOTE_EMBEDDING_URL` goes with `HEADNOTE_EMBEDDING_KEY`, `OPENAI_BASE_URL` with `OPENAI_API_KEY`; our own key
    may stand in for the other, but never the other way round. So it is with `HEADNOTE_CHAT_URL`.
    """
    own_variable = f"HEADNOTE_{purpose.upper()}_KEY"
    own_url = environment.get(f"HEADNOTE_{purpose.upper()}_URL", "").strip()
    own_key = environment.get(own_variable, "").strip()
    if own_url:
        return Service(own_url, own_key, own_variable, purpose)
    url = environment.get("OPENAI_BASE_URL", "").strip() or URL
    key = own_key or environment.get("OPENAI_API_KEY", "").strip()
    if not key and url.rstrip("/") == URL:
        raise MissingKey(f"the {purpose} service needs a key", remedy="set OPENAI_API_KEY in the environment")
    return Service(url, key, own_variable if own_key else "OPENAI_API_KEY", purpose)

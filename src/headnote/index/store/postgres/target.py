"""Which server, database and schema a URL means, and how to speak of it without its secrets."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from headnote.errors import SettingsError
from headnote.extras import load

SCHEMES = ("postgresql://", "postgres://")
INSTALL = "pip install 'headnote[postgres]'"

_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}")
_SECRET = re.compile(r"([?&])(?:password|sslpassword|passfile|sslkey)=[^&#]*")
_LONGEST_NAME = 40


class Target(NamedTuple):
    """Where an index is."""

    connection: str
    """For the driver; it may hold a password."""
    schema: str
    shown: str
    """For people."""


def is_postgres(target: str) -> bool:
    return target.startswith(SCHEMES)


def target_of(root: Path, url: str) -> Target:
    """The index that a URL names for a folder. Without `schema=…`, the schema has the name of the folder."""
    address, _, query = url.partition("?")
    _refuse_loose_signs(address)
    given = parse_qsl(query, keep_blank_values=True)
    schema = next((value for name, value in given if name == "schema"), "") or default_schema(root)
    if not _SCHEMA.fullmatch(schema):
        raise SettingsError(
            f"{schema!r} is no name of a schema", remedy="use small letters, digits and _, such as schema=team_docs"
        )
    # The driver refuses parameters it does not know, and the schema is ours.
    rest = urlencode([pair for pair in given if pair[0] != "schema"], quote_via=quote)
    connection = f"{address}?{rest}" if rest else address
    psycopg = load("psycopg", "an index in PostgreSQL", INSTALL)
    try:
        load("psycopg.conninfo", "an index in PostgreSQL", INSTALL).conninfo_to_dict(connection)
    except psycopg.Error:
        # What the driver says would repeat a part of the URL, and that part may be the password.
        raise SettingsError(
            f"{shown_target(url)} cannot be read as the URL of a database",
            remedy="write postgresql://USER@HOST:5432/DATABASE, with %XX for special characters",
        ) from None
    shown = shown_target(url)
    if not any(name == "schema" for name, _ in given):
        shown += f"{'&' if '?' in shown else '?'}schema={schema}"
    return Target(connection, schema, shown)


def _refuse_loose_signs(address: str) -> None:
    """A sign of its own in a password makes the rest of it a part of the host, and errors speak of hosts."""
    rest = address.partition("://")[2]
    before = rest.rpartition("@")[0]
    if "@" in before or "/" in before or "#" in before:
        raise SettingsError(
            f"{shown_target(address)}: user or password have a sign that must not stand there as it is",
            remedy="write %40 for @, %2F for /, %23 for #; or leave it to PGPASSWORD or ~/.pgpass",
        )


def default_schema(root: Path) -> str:
    """`headnote_` and the name of the folder: checkouts of one folder share an index, other folders have their own."""
    name = root.resolve().name
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_LONGEST_NAME]
    if not plain or not name.isascii():
        plain = f"{plain}_{hashlib.blake2b(name.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}"
    return f"headnote_{plain.strip('_')}"


def shown_target(url: str) -> str:
    """The URL without password, however it is written: what stands before the last @ may be one, but for the user."""
    scheme, sign, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    who = f"{re.split('[:/?#]', user)[0]}@" if at else ""
    cleaned = _SECRET.sub(r"\1", place)
    cleaned = re.sub(r"&{2,}", "&", cleaned).replace("?&", "?").rstrip("?&")
    return f"{scheme}{sign}{who}{cleaned}"

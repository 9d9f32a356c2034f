"""Which server, database and schema a URL means, and how to show it without its secrets."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode

from headnote.errors import SettingsError
from headnote.extras import install, load

SCHEMES = ("postgresql://", "postgres://")
INSTALL = install("postgres")

_SCHEMA = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}")
_MAX_NAME_CHARS = 40

HARMLESS = frozenset(
    "schema direct host hostaddr port user dbname sslmode sslnegotiation connect_timeout application_name"
    " target_session_attrs load_balance_hosts channel_binding gssencmode".split()
)
"""Parameters that may be shown. Any other may contain a secret, whatever its name."""
_HOST = r"(?:[\w.~%-]*|\[[\w.:%]*\])(?::[0-9]*)?"
_PLACE = re.compile(rf"{_HOST}(?:,{_HOST})*(?:/[\w.~%-]*)?")
"""Hosts, with ports, and a database. Anything else may be a part of a password."""
OURS = ("schema", "direct")
"""Parameters of a URL that the driver does not know."""
_PORT = re.compile(r":[0-9]+\Z")
_ADDRESS = re.compile(r"(?:[\w.~/-]+|\[[\w.:%]+\])(?::[0-9]+)?")
_KEYWORDS = re.compile(r"\s*(?:host|hostaddr|port|user|password|passfile|dbname|service)\s*=")
_PLAIN_VALUE = re.compile(r"[\w.,:/~ -]*")


class Target(NamedTuple):
    """Where an index is."""

    connection: str
    """For the driver; it may hold a password."""
    schema: str
    shown: str
    """For people."""
    direct: str = ""
    """The same database at an address where a session lasts, if the other one is that of a pooler."""

    def __repr__(self) -> str:
        return f"Target({self.shown})"


def is_postgres(target: str) -> bool:
    """Whether it means a database: a URL, or a keyword string of the driver, which is refused when it is opened."""
    return target.startswith(SCHEMES) or _KEYWORDS.match(target) is not None


def target_of(root: Path, url: str) -> Target:
    """The index at a URL for a folder. Without `schema=…`, the schema is named after the folder."""
    if not url.startswith(SCHEMES):
        raise SettingsError(
            "a database must be given as a URL, not as keywords", remedy="write postgresql://USER@HOST:5432/DATABASE"
        )
    address = url.partition("?")[0]
    _refuse_loose_signs(address)
    parameters = _decoded_parameters(url)
    schema = schema_in(url) or default_schema(root)
    check_schema(schema)
    # These are ours; the driver refuses parameters it does not know.
    rest = urlencode([pair for pair in parameters if pair[0] not in OURS], quote_via=quote)
    connection = f"{address}?{rest}" if rest else address
    shown = shown_target(url)
    if shown == _hidden(url) or not _can_be_read(connection):
        raise SettingsError(
            f"{shown} is not a valid database URL",
            remedy="write postgresql://USER@HOST:5432/DATABASE, with %XX for special characters",
        )
    if not any(name == "schema" for name, _ in parameters):
        shown += f"{'&' if '?' in shown else '?'}schema={schema}"
    return Target(connection, schema, shown, _direct(connection, _parameter(url, "direct")))


def _direct(connection: str, address: str) -> str:
    """The same database at `HOST:PORT`; empty without an address."""
    if not address:
        return ""
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            "the value of direct= is not an address", remedy="write direct=HOST:PORT, or direct=/FOLDER/OF/SOCKET:PORT"
        )
    host, _, port = address.rpartition(":") if _PORT.search(address) else (address, "", "5432")
    conninfo = load("psycopg.conninfo", "an index in PostgreSQL", INSTALL)
    parameters = conninfo.conninfo_to_dict(connection)
    parameters.pop("hostaddr", None)
    return str(conninfo.make_conninfo("", **{**parameters, "host": host.strip("[]"), "port": port}))


def _can_be_read(connection: str) -> bool:
    """Whether the driver can parse it. Its own error would repeat a part of the URL, perhaps the password."""
    psycopg = load("psycopg", "an index in PostgreSQL", INSTALL)
    try:
        load("psycopg.conninfo", "an index in PostgreSQL", INSTALL).conninfo_to_dict(connection)
    except psycopg.Error:
        return False
    return True


def schema_in(url: str) -> str:
    """The schema that a URL names; empty if it names none."""
    return _parameter(url, "schema")


def _parameter(url: str, name: str) -> str:
    return next((value for given, value in _decoded_parameters(url) if given == name), "")


def with_schema(url: str, schema: str) -> str:
    """The URL with this schema, in place of the one it names."""
    address, _, query = url.partition("?")
    rest = [part for part in query.split("&") if part and not part.startswith("schema=")]
    return f"{address}?{'&'.join([*rest, f'schema={schema}'])}"


def check_schema(schema: str) -> None:
    """Raises unless this is a valid name of a schema."""
    if not _SCHEMA.fullmatch(schema):
        # The rest of the URL may be a part of a password.
        name = repr(schema) if re.fullmatch(r"[\w-]*", schema) else "the value of schema="
        raise SettingsError(
            f"{name} is not a schema name", remedy="use lower-case letters, digits and _, such as team_docs"
        )


def _refuse_loose_signs(address: str) -> None:
    """An unescaped sign in a password makes the rest of it a part of the host, and errors show hosts."""
    rest = address.partition("://")[2]
    before = rest.rpartition("@")[0]
    if "@" in before or "/" in before or "#" in before:
        raise SettingsError(
            f"{shown_target(address)}: the user or password contains a character that must be escaped",
            remedy="write %40 for @, %2F for /, %23 for #; or use PGPASSWORD or ~/.pgpass",
        )


def default_schema(root: Path) -> str:
    """`headnote_` and the name of the folder: checkouts of one folder share an index, other folders have their own."""
    name = root.resolve().name
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_MAX_NAME_CHARS]
    if not plain or not name.isascii():
        plain = f"{plain}_{hashlib.blake2b(name.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}"
    return f"headnote_{plain.strip('_')}"


def shown_target(url: str) -> str:
    """The URL with nothing in it that could be a secret, however it is written.

    Only harmless parts are shown: the user, hosts, the database, and some parameters. Anything else before the last @
    may be a password.
    """
    scheme, _, rest = url.partition("://")
    address, _, query = rest.partition("?")
    user, at, place = address.rpartition("@")
    if not url.startswith(SCHEMES) or "@" in query or not _PLACE.fullmatch(place):
        return _hidden(url)
    who = f"{re.split('[:/?#]', user)[0]}@" if at else ""
    shown = "&".join(f"{name}={value}" for name, value in _parameters(query) if _is_harmless(name, value))
    return f"{scheme}://{who}{place}" + (f"?{shown}" if shown else "")


def _hidden(url: str) -> str:
    """What is shown of a URL in which the end of the password cannot be told."""
    return next((f"{scheme}…" for scheme in SCHEMES if url.startswith(scheme)), f"{SCHEMES[0]}…")


def without_secrets(text: str, connection: str) -> str:
    """A message of the driver without the secrets of the connection."""
    parameters = load("psycopg.conninfo", "an index in PostgreSQL", INSTALL).conninfo_to_dict(connection)
    secrets = {str(value) for name, value in parameters.items() if name not in HARMLESS and value}
    for secret in sorted(secrets, key=len, reverse=True):
        # A short one is hidden as a whole word only: gaps in other words would give it away.
        edge = "" if len(secret) > 3 else r"\b"
        text = re.sub(f"{edge}{re.escape(secret)}{edge}", "…", text)
    return text


def _decoded_parameters(url: str) -> list[tuple[str, str]]:
    """Names and values of a URL, decoded."""
    return [(unquote(name), unquote(value)) for name, value in _parameters(url.partition("?")[2])]


def _parameters(query: str) -> list[tuple[str, str]]:
    """Names and values, still encoded. Unlike in forms, a + is a +."""
    pairs = (part.partition("=") for part in query.split("&") if part)
    return [(name, value) for name, _, value in pairs]


def _is_harmless(name: str, value: str) -> bool:
    return unquote(name) in HARMLESS and _PLAIN_VALUE.fullmatch(unquote(value)) is not None

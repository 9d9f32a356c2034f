"""Packs for tests, and the layout of a pack written once more, by hand, from its documentation."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

BLOCK = 16_384
FOOTER = 64
"""Bytes of the footer."""


def write_pack(database: Path, pack: Path, layout: int = 1, signature: bytes = b"", **description: Any) -> Path:
    """A pack of format 1, as docs/packs.md describes it."""
    data = database.read_bytes()
    digests = b"".join(sha256(data[at : at + BLOCK]).digest() for at in range(0, len(data), BLOCK))
    text = json.dumps(description).encode()
    lengths = struct.pack("<QIII", len(data), len(text), len(signature), BLOCK)
    digest = sha256(digests + text + signature + lengths).digest()
    ending = struct.pack("<I8s", layout, b"hnotPACK")
    pack.write_bytes(data + digests + text + signature + lengths + digest + ending)
    return pack


def database_of(pack: Path, copy: Path) -> Path:
    """The database of a pack, as a file that can be changed."""
    data = pack.read_bytes()
    (size,) = struct.unpack_from("<Q", data, len(data) - FOOTER)
    copy.write_bytes(data[:size])
    return copy


def description_of(pack: Path) -> dict[str, Any]:
    data = pack.read_bytes()
    size, text, signature, block = struct.unpack_from("<QIII", data, len(data) - FOOTER)
    start = size + -(-size // block) * 32
    assert start + text + signature + FOOTER == len(data)
    return dict(json.loads(data[start : start + text]))


def forget_checksums(connection: apsw.Connection) -> None:
    """Of rows: whoever forges a pack can leave them out."""
    for table in ("documents", "texts", "chunks", "links"):
        columns = {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
        if "checksum" in columns:
            connection.execute(f"UPDATE {table} SET checksum = NULL")


def changed(pack: Path, new: Path, *statements: str, **description: Any) -> Path:
    """A pack whose database somebody has changed, with checksums that fit."""
    database = database_of(pack, new.with_suffix(".db"))
    connection = apsw.Connection(str(database))
    for statement in statements:
        connection.execute(statement)
    forget_checksums(connection)
    connection.close()
    return write_pack(database, new, **(description_of(pack) | description))


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command, as other people run it."""
    command = [sys.executable, "-m", "headnote", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def forged(pack: Path, new: Path, table: str, column: str, value: str) -> Path:
    """A pack that has a value in a column which no statement would write there: an author can write any bytes."""
    database = database_of(pack, new.with_suffix(".db"))
    connection = apsw.Connection(str(database))
    forget_checksums(connection)
    connection.close()
    (sql,) = _rows(database, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table)[0]
    loose = sql.replace(" STRICT,", "").replace(" STRICT", "").replace("NOT NULL", "").replace("CHECK (id = 1)", "")
    loose = re.sub(r"\b(?:TEXT|INTEGER|BLOB|REAL)\b(?! PRIMARY)", "", loose)
    _set_schema(database, table, loose)
    _rows(database, f'UPDATE OR REPLACE {table} SET "{column}" = {value}')
    _set_schema(database, table, sql)
    return write_pack(database, new, **description_of(pack))


def _set_schema(database: Path, table: str, sql: str) -> None:
    connection = apsw.Connection(str(database))
    connection.pragma("writable_schema", True)
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", (sql, table))
    connection.close()


def _rows(database: Path, statement: str, *bindings: str) -> list[Any]:
    connection = apsw.Connection(str(database))
    rows = connection.execute(statement, bindings).fetchall()
    connection.close()
    return rows

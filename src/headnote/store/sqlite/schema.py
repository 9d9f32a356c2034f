"""The tables. An index is made of other files, so one with other tables is made again instead of being changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headnote.errors import CorruptIndex, NewerIndex
from headnote.extras import load
from headnote.store.sharing import older_index

if TYPE_CHECKING:
    import apsw

APPLICATION = 0x684E6F74
"""`hNot`, in the header of the file, marks it as ours."""
VERSION = 14
"""Version of these tables, in the header too. Raise it whenever they change."""

TOKEN_CHARACTERS = "-._+#@$"
"""Besides letters, digits and everything outside ASCII: the marks and joints that terms may have."""

SCHEMA = f"""
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL,
    updated_ns INTEGER
) STRICT;
INSERT INTO state VALUES (1, 0, NULL);

CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    hash TEXT NOT NULL,
    title TEXT NOT NULL,
    metadata TEXT NOT NULL,
    tags TEXT NOT NULL,
    aliases TEXT NOT NULL,
    warning TEXT NOT NULL,
    mdx INTEGER NOT NULL,
    comments TEXT NOT NULL,   -- where each begins and ends in the text
    name BLOB NOT NULL,   -- hash of its title
    frontmatter_ns INTEGER,   -- when it was changed, as each of these says
    git_ns INTEGER,
    name_ns INTEGER,
    dated_ns INTEGER NOT NULL,   -- the first of them that is known, in the order of the settings
    dated_by TEXT NOT NULL,
    checksum INTEGER      -- of all that is shown, see documents.py
) STRICT;

-- Apart from the rest, so that reading the rest reads few pages.
CREATE TABLE texts (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    text BLOB NOT NULL,
    checksum INTEGER
) STRICT;

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    number INTEGER NOT NULL,
    "start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    block_start INTEGER NOT NULL,
    block_end INTEGER NOT NULL,
    section INTEGER NOT NULL,
    part INTEGER,
    tokens INTEGER NOT NULL,
    hash BLOB NOT NULL,
    id_tail TEXT NOT NULL,
    key_tail TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    tags TEXT,      -- NULL: those of the document
    carried TEXT,   -- NULL: the breadcrumb in front of what is embedded, and nothing else
    headings TEXT,  -- NULL: the last one above it stands in it, and no other
    name BLOB NOT NULL,   -- hash of its whole name
    checksum INTEGER,
    UNIQUE (document, number)
) STRICT;
CREATE INDEX chunks_by_hash ON chunks (hash);
CREATE INDEX chunks_by_name ON chunks (name);

CREATE TABLE links (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    line INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    fragment TEXT NOT NULL,
    text TEXT NOT NULL,
    external INTEGER NOT NULL,
    resolved TEXT,
    section TEXT,
    resolved_chunk INTEGER,
    checksum INTEGER
) STRICT;
-- A search asks for the links of a few chunks; a document may have thousands.
CREATE INDEX links_by_chunk ON links (document, chunk);
CREATE INDEX links_by_resolved ON links (resolved) WHERE resolved IS NOT NULL;

-- Files that look like documents and are none: read once, and again when they change.
CREATE TABLE non_texts (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What filters ask for, in the form in which it is compared. A tag in the text is a tag of the document.
CREATE TABLE document_tags (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (document, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_tags_by_tag ON document_tags (tag);
CREATE TABLE fields (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (document, key, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX fields_by_key ON fields (key, value);

-- What a query may name, in the form in which it is compared: titles, aliases, names of files, headings.
CREATE TABLE names (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    number INTEGER NOT NULL,   -- hash of its key
    PRIMARY KEY (document, chunk, kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_number ON names (number);

CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL,
    changed INTEGER NOT NULL,   -- generation
    stamp INTEGER NOT NULL      -- random, another one whenever its vectors change: what is made of them is known by it
) STRICT;
CREATE TABLE vectors (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    hash BLOB NOT NULL,
    slot INTEGER NOT NULL,
    checksum INTEGER,   -- vectors take long to make and do not show when they are damaged
    PRIMARY KEY (model, hash)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX vectors_by_slot ON vectors (model, slot);
CREATE TABLE vector_blocks (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    number INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (model, number)
) STRICT;
-- Another random number whenever a vector of a block changes or goes: readers see which blocks they have to read again.
CREATE TABLE block_stamps (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    number INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    PRIMARY KEY (model, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE vector_parts (
    model INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (model, slot),
    FOREIGN KEY (model, slot) REFERENCES vectors (model, slot) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE name_vectors (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    hash BLOB NOT NULL,
    data BLOB NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (model, hash)
) STRICT, WITHOUT ROWID;
-- Who is making vectors of what. Seconds since 1970; after that, the owner is presumed dead.
CREATE TABLE claims (
    model TEXT NOT NULL,
    hash BLOB NOT NULL,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (model, hash)
) STRICT, WITHOUT ROWID;

-- The terms come ready-made, with blanks between them.
CREATE VIRTUAL TABLE keyword USING fts5(
    title, headings, text, aliases, tags,
    content='', contentless_delete=1, tokenize="ascii tokenchars '{TOKEN_CHARACTERS}'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(keyword, row);
"""


def create_tables(connection: apsw.Connection, file: Path) -> None:
    """Create the tables in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if is_new(connection, file):  # unless another process did it while we waited
            connection.execute(SCHEMA)
            connection.pragma("application_id", APPLICATION)
            connection.pragma("user_version", VERSION)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_new(connection: apsw.Connection, file: Path) -> bool:
    """Whether there are no tables yet. Other tables, or a file that is not ours, are refused untouched."""
    with connection:  # all three at one moment: another process may be creating the tables
        version = version_of(connection)
        application = connection.pragma("application_id")
        is_empty = version == 0 and connection.pragma("schema_version") == 0
    if application != APPLICATION and not is_empty:
        remedy = "run headnote doctor --repair, which moves it away and creates a new one"
        raise CorruptIndex("not a headnote index", path=str(file), remedy=remedy)
    if version > VERSION:
        raise NewerIndex(
            f"written by a newer headnote (format {version}, this one knows {VERSION})",
            path=str(file),
            remedy="update headnote; if no newer one was here, run headnote doctor --repair",
        )
    if not is_empty and version < VERSION:
        raise older_index(str(file.parent))
    return is_empty


def is_older(file: Path) -> bool:
    """Whether a file is an index with the tables of an earlier version."""
    connection = load("apsw", "an index").Connection(str(file))
    try:
        return connection.pragma("application_id") == APPLICATION and 0 < version_of(connection) < VERSION
    finally:
        connection.close()


def version_of(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))

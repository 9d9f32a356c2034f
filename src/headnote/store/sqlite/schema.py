"""The tables, as a list of numbered migrations: existing ones are never edited, changes are added at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headnote.errors import CorruptIndex, NewerIndex

if TYPE_CHECKING:
    import apsw

APPLICATION = 0x684E6F74
"""`hNot`, in the header of the file, marks it as ours."""

Migration = str | Callable[["apsw.Connection"], None]

TOKEN_CHARACTERS = "-._+#@$"
"""Besides letters, digits and everything outside ASCII: the marks and joints that terms may have."""

_FIRST = f"""
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
    mdx INTEGER NOT NULL
) STRICT;

-- Apart from the rest, so that reading the rest reads few pages.
CREATE TABLE texts (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    text BLOB NOT NULL
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
    UNIQUE (document, number)
) STRICT;
CREATE INDEX chunks_by_hash ON chunks (hash);

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
    resolved_chunk INTEGER
) STRICT;
CREATE INDEX links_by_document ON links (document);
CREATE INDEX links_by_resolved ON links (resolved) WHERE resolved IS NOT NULL;

-- What filters ask for, in the form in which it is compared.
CREATE TABLE document_tags (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (document, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_tags_by_tag ON document_tags (tag);
CREATE TABLE chunk_tags (
    chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (chunk, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunk_tags_by_tag ON chunk_tags (tag);
CREATE TABLE fields (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (document, key, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX fields_by_key ON fields (key, value);

CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL,
    changed INTEGER NOT NULL   -- generation
) STRICT;
CREATE TABLE vectors (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    hash BLOB NOT NULL,
    slot INTEGER NOT NULL,
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

-- The terms come ready-made, with blanks between them.
CREATE VIRTUAL TABLE keyword USING fts5(
    title, headings, text, aliases, tags,
    content='', contentless_delete=1, tokenize="ascii tokenchars '{TOKEN_CHARACTERS}'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(keyword, row);
"""

_PARTS = """
-- Vectors without parts are of no use any more; they are made again.
DELETE FROM models;
CREATE TABLE vector_parts (
    model INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (model, slot),
    FOREIGN KEY (model, slot) REFERENCES vectors (model, slot) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
"""

_NAMES = """
-- Hashes of names: of the title of a document, and of a chunk's whole name. They come when documents are read again.
ALTER TABLE documents ADD COLUMN name BLOB;
ALTER TABLE chunks ADD COLUMN name BLOB;
CREATE INDEX chunks_by_name ON chunks (name);
CREATE TABLE name_vectors (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    hash BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (model, hash)
) STRICT, WITHOUT ROWID;
"""

_CHECKSUMS = """
-- Of vectors, which take long to make and do not show when they are damaged. NULL: stored before there were any.
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
ALTER TABLE name_vectors ADD COLUMN checksum INTEGER;
"""

_NON_TEXTS = """
-- Files that look like documents and are none: read once, and again when they change.
CREATE TABLE non_texts (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

_CLAIMS = """
-- Who is making vectors of what. Seconds since 1970; after that, whoever it was is gone.
CREATE TABLE claims (
    model TEXT NOT NULL,
    hash BLOB NOT NULL,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (model, hash)
) STRICT, WITHOUT ROWID;
"""

_STAMPS = """
-- Another random number whenever vectors of the model change: what is made from them is known by it.
ALTER TABLE models ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
UPDATE models SET stamp = random();
"""

_LINKS_BY_CHUNK = """
-- A search asks for the links of a few chunks; a document may have thousands.
CREATE INDEX links_by_chunk ON links (document, chunk);
DROP INDEX links_by_document;
"""

_BLOCK_STAMPS = """
-- Another random number whenever a vector of a block changes or goes: readers see which blocks they have to read again.
CREATE TABLE block_stamps (
    model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    number INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    PRIMARY KEY (model, number)
) STRICT, WITHOUT ROWID;
INSERT INTO block_stamps SELECT model, number, random() FROM vector_blocks;
"""

_TAGS_OF_DOCUMENTS = """
-- A tag in the text is a tag of the document.
INSERT OR IGNORE INTO document_tags SELECT c.document, t.tag FROM chunk_tags t JOIN chunks c ON c.id = t.chunk;
DROP TABLE chunk_tags;
"""

_ROW_CHECKSUMS = """
-- Of all that is shown, see checksums.py. NULL: stored before there were any.
ALTER TABLE documents ADD COLUMN checksum INTEGER;
ALTER TABLE texts ADD COLUMN checksum INTEGER;
ALTER TABLE chunks ADD COLUMN checksum INTEGER;
ALTER TABLE links ADD COLUMN checksum INTEGER;
"""

MIGRATIONS: tuple[Migration, ...] = (
    *(_FIRST, _PARTS, _NAMES, _CHECKSUMS, _NON_TEXTS, _CLAIMS, _STAMPS),
    *(_LINKS_BY_CHUNK, _BLOCK_STAMPS, _TAGS_OF_DOCUMENTS, _ROW_CHECKSUMS),
)
"""Migration n leads from version n to version n + 1."""


def version_of(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def migrate(connection: apsw.Connection, file: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Migrates the tables, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if needs_migration(connection, file, migrations):  # unless another process did it while we waited
            for migration in migrations[version_of(connection) :]:
                if callable(migration):
                    migration(connection)
                else:
                    connection.execute(migration)
            connection.pragma("application_id", APPLICATION)
            connection.pragma("user_version", len(migrations))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def needs_migration(connection: apsw.Connection, file: Path, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Whether the tables are older than this version. A newer file, or one that is not ours, is refused untouched."""
    newest = len(migrations)
    with connection:  # all three at one moment: another process may be creating the tables
        version = version_of(connection)
        application = connection.pragma("application_id")
        is_empty = version == 0 and connection.pragma("schema_version") == 0
    if application != APPLICATION and not is_empty:
        remedy = "run headnote doctor --repair, which moves it away and creates a new one"
        raise CorruptIndex("not a headnote index", path=str(file), remedy=remedy)
    if version > newest:
        raise NewerIndex(
            f"written by a newer headnote (format {version}, this one knows {newest})",
            path=str(file),
            remedy="update headnote; if no newer one was here, run headnote doctor --repair",
        )
    return version < newest

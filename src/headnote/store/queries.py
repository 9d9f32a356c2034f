"""SQL that both databases run in the same words."""

from __future__ import annotations

TAGS = """
SELECT tag, count(*) AS documents FROM document_tags GROUP BY tag ORDER BY documents DESC, tag
"""

TAGGED = "SELECT d.path, t.tag FROM document_tags t JOIN documents d ON d.id = t.document"

FIELD_NAMES = "SELECT DISTINCT key FROM fields ORDER BY key"
VALUES = "SELECT DISTINCT value FROM fields WHERE key = ?"
TITLES = "SELECT id, title FROM documents ORDER BY id"

SUMMARIES = """
SELECT path, title, (SELECT count(*) FROM chunks c WHERE c.document = d.id), warning, size, mtime_ns FROM documents d
"""

CONNECTIONS = """
SELECT DISTINCT d.path, t.path
FROM links l JOIN documents d ON d.id = l.document JOIN documents t ON t.path = l.resolved
WHERE t.id <> d.id
"""

LINK_COLUMNS = """
    l.chunk, l.line, l.kind, l.target, l.fragment, l.text, l.external, l.resolved, l.section, l.resolved_chunk
"""
"""All of a link but the number of its document."""
OF_LINKS = " FROM links l JOIN documents d ON d.id = l.document "
LINKS = f"SELECT d.path, {LINK_COLUMNS} {OF_LINKS}"
LINKS_IN_CHUNKS = "JOIN chunks c ON c.document = l.document AND c.number = l.chunk WHERE c.id "
LINKS_IN_ORDER = " ORDER BY d.path, l.id"

TARGETS_FROM_TOP = """
SELECT target, count(*) FROM links WHERE target >= '/' AND target < '0' AND NOT external GROUP BY target
"""
"""`0` is the character after the slash."""

ORPHANS = """
SELECT d.path FROM documents d
WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.resolved = d.path AND l.document <> d.id)
AND NOT EXISTS (
    SELECT 1 FROM links l JOIN documents t ON t.path = l.resolved WHERE l.document = d.id AND t.id <> d.id
)
"""


PENDING_COUNT = """
SELECT (
    SELECT count(DISTINCT c.hash) FROM chunks c
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
) + (
    SELECT count(*) FROM (
        SELECT name FROM chunks UNION SELECT d.name FROM documents d WHERE d.id IN (SELECT document FROM chunks)
    ) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
"""
"""Number of texts and names without a vector of a model."""

PENDING_CHUNKS = """
WITH linked AS (
    SELECT resolved AS path, count(*) AS links FROM links WHERE resolved IS NOT NULL GROUP BY resolved
), places AS (
    SELECT d.id, row_number() OVER (ORDER BY d.mtime_ns DESC, d.id) / (1.0 + coalesce(l.links, 0)) AS place
    FROM documents d LEFT JOIN linked l ON l.path = d.path
)
SELECT c.id FROM chunks c JOIN places p ON p.id = c.document
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
AND (? OR NOT EXISTS (SELECT 1 FROM claims m WHERE m.model = ? AND m.hash = c.hash))
ORDER BY p.place, c.document, c.number LIMIT ?
"""
"""Chunks without a vector of a model, those of new and of much linked documents first. Bindings: whether claimed ones
count, the name of the model, how many."""

WITHOUT_VECTOR = """
SELECT CASE WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} c.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = c.name
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM documents d WHERE d.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = d.name
    ) AND EXISTS (SELECT 1 FROM chunks c WHERE {passing} c.document = d.id)
) THEN 1 ELSE 0 END
"""
"""Whether a name, a text or a title has no vector of a model. It stops at the first one."""

PENDING_NAMES = """
WITH missing AS (
    SELECT name FROM (SELECT name FROM chunks UNION SELECT name FROM documents) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
SELECT d.title, c.heading_path FROM chunks c JOIN documents d ON d.id = c.document
WHERE c.name IN (SELECT name FROM missing)
UNION
SELECT d.title, '[]' FROM documents d
WHERE d.name IN (SELECT name FROM missing) AND d.id IN (SELECT document FROM chunks)
"""
"""Title and headings of each name without a vector of a model; no headings for the title alone."""

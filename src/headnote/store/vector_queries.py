"""Questions about vectors that are missing, which both stores ask in the same words."""

PENDING = """
SELECT m.name, (
    SELECT count(DISTINCT c.hash) FROM chunks c
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = m.id AND v.hash = c.hash)
) + (
    SELECT count(*) FROM (
        SELECT name FROM chunks UNION SELECT d.name FROM documents d WHERE d.id IN (SELECT document FROM chunks)
    ) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = m.id AND v.hash = name)
) FROM models m ORDER BY m.id
"""
"""Model, and how many texts and names have no vector of it."""

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
"""Titles with the headings of chunks, and alone, whose names have no vector of a model."""

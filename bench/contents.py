"""What two index files hold, compared row by row: whether another way to write an index writes the same.

    python bench/contents.py INDEX OTHER

Ids of links, times and the number of commits tell how an index was written and not what it says, so they are left out.
The keyword index is compared place by place: each term, with the chunk, field and position of each of its occurrences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import apsw

_WRITTEN_HOW = {"state": {"generation", "updated_ns"}, "links": {"id"}, "models": {"changed", "stamp"}}
"""Columns that depend on when and in how many steps an index was written."""
_STAMPS = "block_stamps"
"""A table of random numbers."""
_IN_ORDER = {"links": "document, id"}
"""What order means something in; other tables are compared by their primary keys or whole rows."""
_KEYWORDS = "keyword"
_FREQUENT_TERMS = 200
"""Terms that are searched for in both: so many of the most frequent ones, which is where scores could differ first."""

Row = tuple[Any, ...]


class Difference(NamedTuple):
    """The first row of a table that is not the same."""

    table: str
    row: Row | None
    other: Row | None

    def __str__(self) -> str:
        return f"{self.table}: {self.row!r:.300} / {self.other!r:.300}"


class Comparison(NamedTuple):
    """What was compared, and what is not the same."""

    rows: dict[str, int]
    """Table → rows that are the same."""
    differences: list[Difference]


def compare(index: Path, other: Path) -> Comparison:
    """All that two indexes hold."""
    here, there = _opened(index), _opened(other)
    rows: dict[str, int] = {}
    differences: list[Difference] = []
    for name, contents, others in _pairs(here, there):
        rows[name] = 0
        for row, its_other in zip_longest(contents, others):
            if row != its_other:
                differences.append(Difference(name, row, its_other))
                break
            rows[name] += 1
    return Comparison(rows, differences)


def _opened(file: Path) -> apsw.Connection:
    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    db.execute(f"CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, {_KEYWORDS}, instance)")
    return db


def _pairs(here: apsw.Connection, there: apsw.Connection) -> Iterator[tuple[str, Iterable[Row], Iterable[Row]]]:
    yield "tables", _tables(here), _tables(there)
    for (name,) in sorted({*_tables(here)} & {*_tables(there)}):
        columns = _columns(here, name)
        yield f"columns of {name}", columns, _columns(there, name)
        yield name, _rows(here, name, columns), _rows(there, name, columns)
    for name, query in (("places", 'SELECT term, doc, col, "offset" FROM temp.places'), ("hits", _hits_query())):
        yield name, here.execute(query), there.execute(query)


def _tables(db: apsw.Connection) -> list[Row]:
    """The tables that hold rows of their own; those of the keyword index are its own affair."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    return [(name,) for (name,) in db.execute(query) if not name.startswith(f"{_KEYWORDS}_") and name != _STAMPS]


def _columns(db: apsw.Connection, table: str) -> list[Row]:
    """Those that say something."""
    names = [str(name) for _, name, *_ in db.execute(f'PRAGMA table_info("{table}")')]
    return [(name,) for name in names if name not in _WRITTEN_HOW.get(table, ())]


def _rows(db: apsw.Connection, table: str, columns: Sequence[Row]) -> Iterable[Row]:
    kept = ", ".join(f'"{name}"' for (name,) in columns)
    return db.execute(f'SELECT {kept} FROM "{table}" ORDER BY {_IN_ORDER.get(table, kept)}')


def _hits_query() -> str:
    """Frequent terms → their chunks with the scores of FTS5, to the last bit."""
    return f"""
        WITH frequent AS (
            SELECT term, count(DISTINCT doc) AS chunks FROM temp.places GROUP BY term
            ORDER BY chunks DESC, term LIMIT {_FREQUENT_TERMS}
        )
        SELECT f.term, {_KEYWORDS}.rowid, bm25({_KEYWORDS}, 2, 7, 1, 4, 2) FROM frequent f CROSS JOIN {_KEYWORDS}
        WHERE {_KEYWORDS} MATCH '"' || f.term || '"' ORDER BY f.term, {_KEYWORDS}.rowid
    """


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    comparison = compare(Path(sys.argv[1]), Path(sys.argv[2]))
    for name, count in comparison.rows.items():
        print(f"{name}: {count:,} rows are the same")
    for difference in comparison.differences:
        print(f"NOT THE SAME {difference}")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())

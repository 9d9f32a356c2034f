"""Steps of an update: each one happens as a whole or not at all, so an update may go on after one that failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from headnote.errors import UnwritableIndex

if TYPE_CHECKING:
    import apsw


class Steps:
    """The part of a writer that keeps its steps whole."""

    db: apsw.Connection
    changes_before: int
    """How often anything was changed through this connection before the update, or is no news for readers."""

    @contextlib.contextmanager
    def no_news(self) -> Iterator[None]:
        """Changes of which readers see nothing, so that what they keep in memory still holds."""
        before = self.db.total_changes()
        yield
        self.changes_before += self.db.total_changes() - before

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        self.require_transaction()
        self.db.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO step; RELEASE step")
            raise
        self.db.execute("RELEASE step")

    def require_transaction(self) -> None:
        """Some failures, such as a full disk, undo the whole update. What came after would be written by itself."""
        if not self.db.in_transaction:
            raise UnwritableIndex("the update failed and was undone", path=self.db.filename, remedy="try again")

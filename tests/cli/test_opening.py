"""What opens an index closes it if it cannot hand it over."""

from __future__ import annotations

from pathlib import Path

import pytest

from headnote import Index, UnreadableSource
from headnote.cli.access import open_for_server


def test_an_index_that_cannot_be_handed_to_a_server_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server tries again every few seconds, and would keep all of them open."""
    closed: list[Index] = []
    close = Index.close

    def unreadable(self: Index) -> str:
        raise UnreadableSource("cannot be read", path=str(self.root))

    def counted(self: Index) -> None:
        closed.append(self)
        close(self)

    monkeypatch.setattr(Index, "why_no_documents", unreadable)
    monkeypatch.setattr(Index, "close", counted)
    with pytest.raises(UnreadableSource):
        open_for_server(tmp_path, "none", read_only=False, place={})
    assert len(closed) == 1

"""The state that processes share: what is written is read, and never half of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headnote.api.keeper import KeeperState
from headnote.model.results import Progress
from headnote.web.workers import SIZE, Board

numbers = st.integers(0, 10**12)
progresses = st.builds(Progress, st.sampled_from(["read", "embed"]), numbers, numbers, st.none() | st.floats(0, 1e9))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
states = st.builds(KeeperState, texts, st.booleans(), st.none() | progresses, st.none(), texts)


@given(st.lists(states, min_size=1, max_size=3))
def test_the_last_state_is_read(written: list[KeeperState]) -> None:
    board = Board()
    assert board.read() == KeeperState(busy=True)
    for state in written:
        board.write(state)
        assert board.read() == state


@given(states, states, st.integers(0, SIZE))
def test_half_a_state_is_never_read(before: KeeperState, after: KeeperState, written: int) -> None:
    """Whoever writes may be killed after any byte."""
    board, other = Board(), Board()
    board.write(before)
    board.read()
    other.write(after)
    board._memory[:written] = other._memory[:written]
    assert board.read() in (before, after)


def test_a_problem_of_any_length_has_a_place() -> None:
    board = Board()
    board.write(KeeperState(problem="\x00" * 100_000, elsewhere="\x00" * 100_000))
    assert (len(board.read().problem), len(board.read().elsewhere)) == (1000, 1000)
    board.write(KeeperState(problem="caf\udce9.md: cannot be read"))
    assert board.read().problem == "caf?.md: cannot be read"

"""What a plan makes of a listing and of what is stored. No files, no store."""

from __future__ import annotations

from collections.abc import Iterable

from headnote.index.plan import FilesToRead, Plan, candidates_for_renames, nothing_to_read, plan_changes, plan_reading
from headnote.sources.repository import ListedFile, SkippedFile
from headnote.store.rows import NonText

Files = dict[str, tuple[int, int, str]]
"""Path → size, time, content."""


def stored_files(files: Files) -> dict[str, ListedFile]:
    return {path: ListedFile(path, *file) for path, file in files.items()}


def planned(before: Files, now: Files, everything: bool = False, skipped: Iterable[SkippedFile] = ()) -> Plan:
    stored = stored_files(before)
    listed = [ListedFile(path, size, time) for path, (size, time, _) in now.items()]
    reading = plan_reading(listed, list(skipped), stored, everything)
    return plan_changes(reading, {file.path: now[file.path][2] for file in reading.read}, stored, everything)


A, B = (1, 1, "a"), (2, 2, "b")


def test_nothing_happens_to_what_is_the_same() -> None:
    plan = planned({"a.md": A, "b.md": B}, {"a.md": A, "b.md": B})
    assert plan == Plan([], [], [], [], [], unchanged=2)
    assert plan.is_empty


def test_only_what_has_another_size_or_time_is_read() -> None:
    stored = stored_files({"a.md": A, "b.md": B, "c.md": A})
    listed = [ListedFile("a.md", 1, 1), ListedFile("b.md", 3, 2), ListedFile("c.md", 1, 0), ListedFile("d.md", 1, 1)]
    reading = plan_reading(listed, [], stored)
    assert reading == FilesToRead(unchanged=1, read=listed[1:], gone=[])
    assert not reading.is_empty


def test_what_is_no_text_is_read_again_when_it_changes() -> None:
    known = {path: NonText(path, 1, 1, "binary") for path in ("a.md", "b.md", "gone.md")}
    listed = [ListedFile("a.md", 1, 1), ListedFile("b.md", 1, 2)]
    reading = plan_reading(listed, [], {}, non_texts=known)
    assert reading == FilesToRead(unchanged=0, read=listed[1:], gone=[], passed=(known["a.md"],))
    assert plan_reading(listed, [], {}, everything=True, non_texts=known).read == listed


def test_where_nothing_has_changed_both_ways_say_the_same() -> None:
    non_texts = {"c.md": NonText("c.md", 3, 3, "binary")}
    listed = [ListedFile("a.md", 1, 1), ListedFile("b.md", 2, 2), ListedFile("c.md", 3, 3)]
    stored = stored_files({"a.md": A, "b.md": B})
    assert nothing_to_read(listed, non_texts) == plan_reading(listed, [], stored, non_texts=non_texts)
    assert nothing_to_read(listed[:2], {}) == plan_reading(listed[:2], [], stored)


def test_added_changed_touched_and_removed() -> None:
    before = {"changed.md": A, "gone.md": (5, 5, "x"), "older.md": B, "same.md": A, "touched.md": A}
    now = {"changed.md": (1, 9, "z"), "new.md": (7, 7, "n"), "older.md": (2, 1, "b"), "same.md": A}
    plan = planned(before, {**now, "touched.md": (1, 9, "a")})
    assert plan == Plan(["new.md"], ["changed.md"], ["older.md", "touched.md"], [], ["gone.md"], unchanged=1)
    assert not plan.is_empty


def test_a_new_file_with_the_content_of_one_that_is_gone_is_that_one() -> None:
    assert planned({"a.md": A}, {"sub/b.md": (1, 5, "a")}).renamed == [("a.md", "sub/b.md")]
    assert planned({"a.md": A}, {"A.MD": A}).renamed == [("a.md", "A.MD")]


def test_a_rename_to_another_kind_of_file_is_none() -> None:
    plan = planned({"a.md": A}, {"a.mdx": A})
    assert (plan.renamed, plan.added, plan.removed) == ([], ["a.mdx"], ["a.md"])


def test_of_equal_files_each_is_renamed_once_in_the_order_of_paths() -> None:
    plan = planned({"1.md": A, "2.md": A}, {"x.md": A, "y.md": A, "z.md": A})
    assert plan == Plan(["z.md"], [], [], [("1.md", "x.md"), ("2.md", "y.md")], [], 0)
    plan = planned({"1.md": A, "2.md": A}, {"x.md": A})
    assert (plan.renamed, plan.removed) == ([("1.md", "x.md")], ["2.md"])


def test_a_copy_is_new_and_a_swap_is_two_changes() -> None:
    assert planned({"a.md": A}, {"a.md": A, "copy.md": A}).added == ["copy.md"]
    swapped = planned({"a.md": A, "b.md": B}, {"a.md": B, "b.md": A})
    assert swapped == Plan([], ["a.md", "b.md"], [], [], [], 0)


def test_a_file_that_took_the_place_of_another() -> None:
    plan = planned({"a.md": A, "b.md": B}, {"b.md": A})
    assert plan == Plan([], ["b.md"], [], [], ["a.md"], 0)


def test_a_file_renamed_and_edited_is_a_new_one() -> None:
    plan = planned({"a.md": A}, {"b.md": (1, 1, "edited")})
    assert plan == Plan(["b.md"], [], [], [], ["a.md"], 0)


def test_everything_is_changed_when_everything_is_read() -> None:
    plan = planned({"a.md": A, "b.md": B}, {"a.md": A, "c.md": B}, everything=True)
    assert plan == Plan(["c.md"], ["a.md"], [], [], ["b.md"], 0)


def test_a_file_that_could_not_be_read_stays_as_it_is_stored() -> None:
    stored = stored_files({"a.md": A})
    reading = plan_reading([ListedFile("a.md", 1, 9), ListedFile("b.md", 1, 9)], [], stored)
    assert plan_changes(reading, {}, stored).is_empty


def test_what_could_not_be_looked_at_may_still_be_there() -> None:
    before = {"shut/a.md": A, "shut/deep/b.md": B, "shutter/c.md": A, "d.md": B, "no.md": A}
    shut = [SkippedFile("shut", "cannot be read", unreadable=True), SkippedFile("d.md", "why", unreadable=True)]
    plan = planned(before, {}, skipped=[*shut, SkippedFile("no.md", "too large")])
    assert plan == Plan([], [], [], [], ["no.md", "shutter/c.md"], unchanged=3)


def test_a_rename_is_looked_for_among_files_of_its_size_and_kind() -> None:
    stored = stored_files({"a.md": A, "b.md": B, "c.mdx": A, "d.md": (1, 4, "d"), "stays.md": (1, 1, "s")})
    listed = [
        ListedFile("stays.md", 1, 9),
        ListedFile("x.md", 1, 1),
        ListedFile("y.txt", 1, 1),
        ListedFile("z.mdx", 1, 1),
    ]
    reading = plan_reading(listed, [], stored)
    assert candidates_for_renames(reading, stored) == {
        "x.md": frozenset({"a", "d"}),
        "y.txt": frozenset(),
        "z.mdx": frozenset({"a"}),
    }

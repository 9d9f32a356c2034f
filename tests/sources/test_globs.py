"""Globs as regexes: no name and no glob may take long. Which names they fit is compared with git elsewhere."""

from __future__ import annotations

import re
import time

import pytest

from headnote.sources.ignore import MAX_RULE_CHARS, NeverMatches, glob_regex, is_literal


def fits(glob: bytes, path: bytes) -> bool:
    return re.fullmatch(glob_regex(glob), path, re.DOTALL) is not None


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        (b"*a" * 30 + b"b", b"a" * 255),
        (b"?*" * 60 + b"b", b"a" * 255),
        (b"**/a/" * 30 + b"b", b"a/" * 1000 + b"c"),
        (b"**/*a*a*a*/" * 10 + b"b", b"aaaaaaaa/" * 300 + b"c"),
        (b"*[a-z]" * 30 + b"1", b"a" * 255),
    ],
)
def test_no_glob_tries_without_end(glob: bytes, path: bytes) -> None:
    start = time.perf_counter()
    assert not fits(glob, path)
    assert time.perf_counter() - start < 5  # it takes milliseconds, or else the age of the universe


@pytest.mark.parametrize("glob", [b"a" * MAX_RULE_CHARS + b"*", b"[a", b"a\\", b"[[:vowel:]]", b"[", b"[!", b"[a-\\"])
def test_a_glob_that_nothing_fits_says_so(glob: bytes) -> None:
    with pytest.raises(NeverMatches):
        glob_regex(glob)


def test_plain_names_need_no_regex() -> None:
    assert is_literal(b"docs/a.md")
    assert not any(is_literal(glob) for glob in (b"*", b"a?", b"[a]", b"\\#"))

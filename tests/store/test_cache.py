"""The cache that readers share: least recently used, each value of one generation."""

from __future__ import annotations

from headnote.store.caching import Cache


def test_missing_values_are_read_together_and_once() -> None:
    cache: Cache[str, str] = Cache(9)
    reads: list[list[str]] = []

    def read(keys: list[str]) -> dict[str, str]:
        reads.append(keys)
        return {key: key.upper() for key in keys}

    assert cache.get_many(1, ["a", "b", "a"], read) == {"a": "A", "b": "B"}
    assert cache.get_many(1, ["b", "c"], read) == {"b": "B", "c": "C"}
    assert reads == [["a", "b"], ["c"]]
    assert cache.get(1, "c", lambda: "never read") == "C"


def test_the_least_recently_used_value_makes_way() -> None:
    cache: Cache[str, str] = Cache(5, len)
    cache.add(1, {"a": "aa", "b": "bb"})
    assert cache.cached(1, ["a"]) == {"a": "aa"}
    cache.add(1, {"c": "cc"})
    assert cache.cached(1, "abc") == {"a": "aa", "c": "cc"}
    cache.add(1, {"d": "too large"})
    assert cache.cached(1, "abcd") == {}


def test_a_reader_gets_values_of_its_own_generation_only() -> None:
    cache: Cache[str, str] = Cache(9, len)
    cache.add(2, {"a": "new"})
    cache.add(1, {"a": "old"})
    assert cache.cached(1, "a") == {}, "an older value does not replace a newer one"
    assert cache.cached(2, "a") == {"a": "new"}
    cache.add(3, {"a": "newest"})
    assert cache.cached(2, "a") == {}
    assert cache.cached(3, "a") == {"a": "newest"}
    cache.add(3, {"b": "bbb"})
    assert cache.cached(3, "ab") == {"a": "newest", "b": "bbb"}, "the replaced value takes no space"


def test_a_cache_without_capacity_stores_nothing() -> None:
    cache: Cache[str, int] = Cache(0)
    cache.add(1, {"a": 1})
    assert cache.cached(1, "a") == {}

"""What a query is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.search.spelling import content_terms, coverage, rarity
from headnote.words.terms import query_terms as terms_once
from headnote.words.terms import terms


def test_words_that_hold_a_question_together_are_left_out() -> None:
    assert content_terms("How do I calibrate the gauge?") == content_terms("calibrate gauge")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Πότε ξεκινά η εγκατάσταση;", "ξεκινά εγκατάσταση"),
        ("Где находится настройка?", "находится настройка"),
        ("أين توجد الإعدادات", "توجد الإعدادات"),
        ("सर्वर कब बंद होता है", "सर्वर बंद"),
        ("รหัสผ่านอยู่ที่ไหน", "รหัสผ่านอยู่"),
        ("集群有多少节点", "集群有 节点"),
        ("ノードとは何ですか", "ノード"),
        ("비밀번호 어떻게 변경", "비밀번호 변경"),
    ],
)
def test_in_other_scripts_too(question: str, subject: str) -> None:
    assert content_terms(question) == content_terms(subject)


def test_a_question_word_inside_a_character_is_none() -> None:
    assert content_terms("เกี่ยวกับ") == terms_once("เกี่ยวกับ")  # has the letters of กี่, how many


@given(st.text())
def test_what_is_asked_for_is_in_the_text(text: str) -> None:
    assert set(content_terms(text)) <= set(terms(text))


@pytest.mark.parametrize("query", ["to be or not to be", "how", "the who", "什么", "กี่", "какой", "何ですか"])
def test_unless_there_is_nothing_else(query: str) -> None:
    assert content_terms(query)


def test_a_rare_word_tells_more() -> None:
    weights = rarity({"gauge": 900, "datum": 2, "xyzzy": 0}, 1000)
    assert weights["gauge"] < weights["datum"] < weights["xyzzy"]
    assert coverage(weights, {"gauge"}) < 0.1 < coverage(weights, {"datum", "xyzzy"})


def test_coverage_goes_from_nothing_to_all() -> None:
    weights = rarity({"a": 1, "b": 5}, 10)
    assert coverage(weights, set()) == 0
    assert coverage(weights, {"a", "b", "c"}) == 1
    assert coverage({}, {"a"}) == 0

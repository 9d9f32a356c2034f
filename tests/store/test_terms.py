"""Text as keyword terms: what finds what, and that nothing can go wrong with any text."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.store.sqlite.schema import TOKEN_CHARACTERS
from headnote.words.terms import (
    _AS_TERM,
    _OPERATORS,
    MAX_TERM_CHARS,
    NO_BLANKS,
    _any_word,
    _may_lack_blanks,
    _run,
    _table,
    _written_character,
    is_operator,
    operator_terms,
    query_terms,
    term_line,
    terms,
    words_of,
)

_RUN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF), max_size=200)

FINDS = [
    # text, query
    ("Deployments are rolled out", "deployment rolling"),
    ("kubectl apply -f pod.yaml", "-f"),
    ("set user_id to 7", "user_id"),
    ("set user_id to 7", "userId"),
    ("set user_id to 7", "user"),
    ("the field spec.replicas", "spec.replicas"),
    ("the field spec.replicas", "replicas"),
    ("a.b-c", "a.b-c"),
    ("pass --dry-run=client", "--dry-run"),
    ("pass --dry-run=client", "dry"),
    ("pass --dry-run=client", "client"),
    ("a ConfigMap holds it", "config map"),
    ("a ConfigMap holds it", "configmaps"),
    ("config-map", "ConfigMap"),
    ("HTTPServer", "http server"),
    ("the APIs", "api"),
    ("marked #important", "#important"),
    ("marked #important", "important"),
    ("written in C++ and C#", "C++"),
    ("written in C++ and C#", "c#"),
    ("a .gitignore file", ".gitignore"),
    ("see https://example.org/docs/a_b.html#x-y", "a_b.html"),
    ("see docs/setup/index.md", "setup"),
    ("since v1.29.3", "1.29"),
    ("since v1.29.3", "v1.29.3"),
    ("since v1.29.3", "1.29.3"),
    ("needs python3", "python"),
    ("utf-8", "utf8"),
    ("the user's name", "user"),
    ("I don’t know", "don't"),
    ("un café crème", "cafe creme"),
    ("un cafe\u0301", "café"),
    ("Straße", "strasse"),
    ("Ångström", "angstrom"),
    ("ÉCOLE", "école"),
    ("настройка кластеров", "кластер"),
    ("приём данных", "прием"),
    ("Ελλάδα", "ΕΛΛΆΔΑ"),
    ("الكتابُ الجديد", "كتاب"),
    ("中文全文检索", "全文"),
    ("中文全文检索", "检"),
    ("東京都でサービスを設定する", "サービス"),
    ("ﾃｽﾄ", "テスト"),
    ("쿠버네티스 클러스터를 만든다", "클러스터"),
    ("การตั้งค่าระบบ", "ระบบ"),
    ("使用kubectl命令", "kubectl"),
    ("使用kubectl命令", "命令"),
    ("हिन्दी भाषा", "भाषा"),
    ("किताबों में लिखा", "किताब"),
    ("οι μεταβλητές περιβάλλοντος", "μεταβλητή"),
    ("ship it 🚀", "🚀"),
    ("Ｆｕｌｌ width", "full"),
    ("IP 192.168.0.1", "192.168.0.1"),
    ("zero\u200bwidth so\u00adft", "zerowidth soft"),
]


@pytest.mark.parametrize(("text", "query"), FINDS)
def test_what_is_written_is_found(text: str, query: str) -> None:
    assert set(query_terms(query)) & set(terms(text))


@pytest.mark.parametrize(("text", "query"), FINDS)
def test_a_text_is_found_by_all_of_itself(text: str, query: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))
    assert set(query_terms(query)) <= set(terms(query))


def test_an_address_is_not_about_how_it_is_fetched() -> None:
    assert terms("See https://pumps.example/priming and http://localhost:80") == terms(
        "See pumps.example/priming and localhost:80"
    )
    assert terms("Use https, not http") == ["use", "https", "not", "http"]


def test_whole_and_parts() -> None:
    assert terms("user_id") == ["userid", "user", "id"]
    assert terms("kubeletConfig") == ["kubeletconfig", "kubelet", "config"]
    assert terms("--feature-gates") == ["--feature-gates", "featureg", "featur", "gate"]
    assert terms("v1.29") == ["v1.29", "1.29", "v1", "29"]


@pytest.mark.parametrize(("one", "other"), [("1.29", "129"), ("C++", "C#"), ("--flag", "-f"), ("й", "и")])
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert not set(terms(one)[:1]) & set(terms(other))


def test_scripts_without_blanks_become_pairs_and_single_characters() -> None:
    assert query_terms("猫の手") == ["猫の", "の手", "猫", "の", "手"]
    assert query_terms("猫") == ["猫"]
    assert query_terms("猫 猫") == ["猫"]
    assert terms("サーバー・クライアント") == [*terms("サーバー"), *terms("クライアント")]


@pytest.mark.parametrize(
    ("word", "characters"),
    [
        ("ตั้งค่า", ["ตั้", "ง", "ค่า"]),  # a tone above a vowel, a vowel behind
        ("เกี่ยว", ["เกี่", "ย", "ว"]),  # a vowel in front
        ("ເມືອງ", ["ເມື", "ອ", "ງ"]),
        ("ဆက်သွယ်", ["ဆ", "က်", "သွ", "ယ်"]),
        ("ក្រុង", ["ក្រុ", "ង"]),  # a consonant below another
        ("เ", ["เ"]),
    ],
)
def test_a_character_is_what_is_written_as_one(word: str, characters: list[str]) -> None:
    assert terms(word)[len(characters) - 1 :] == characters


@given(ANY_TEXT)
def test_terms_of_any_text_are_safe(text: str) -> None:
    text_terms = terms(text)
    allowed = re.compile(rf"[0-9a-z{re.escape(TOKEN_CHARACTERS)}\x80-\U0010ffff]+")
    for term in text_terms:
        assert allowed.fullmatch(term), term
        assert not re.search("[\ud800-\udfff]", term)
        assert len(term) <= MAX_TERM_CHARS
    assert terms(text) == text_terms
    assert term_line(text).split() == text_terms
    assert set(query_terms(text)) <= set(text_terms)


BLANKS = "".join(character for character in map(chr, range(0x110000)) if character.isspace())


@given(st.text(st.one_of(st.sampled_from(BLANKS + "aB1é漢ก’‘“”–—…-._'+#@$,()"), st.characters()), max_size=60))
def test_a_text_cut_at_its_blanks_has_the_terms_of_its_words(text: str) -> None:
    for language in ("", "german"):
        lines = map(_table(language)._line_of, words_of(text))
        assert terms(text, language) == " ".join(lines).split()


def test_every_operator_passes_the_first_look() -> None:
    for operator in _OPERATORS:
        assert operator_terms(f"`a {operator} b`") == [operator.translate(_AS_TERM)]


@given(ANY_TEXT, st.text(max_size=20), ANY_TEXT)
def test_a_word_is_found_in_whatever_stands_around_it(before: str, word: str, after: str) -> None:
    assert set(query_terms(word)) <= set(terms(f"{before} {word} {after}"))


@given(st.lists(st.sampled_from([*"漢字かなカナ한글", "ไท", "ย", "ตั้", "ค่า", "កុ"]), min_size=1, max_size=30), st.data())
def test_any_part_of_a_text_without_blanks_is_found(characters: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(characters) - 1))
    end = data.draw(st.integers(start + 1, len(characters)))
    assert set(query_terms("".join(characters[start:end]))) <= set(terms("".join(characters)))


@given(st.text(st.characters(min_codepoint=0x0E00, max_codepoint=0x17FF), max_size=200))
def test_characters_of_south_east_asia_are_neither_lost_nor_long(text: str) -> None:
    assert all(len(term) <= MAX_TERM_CHARS for term in terms(text))
    singles = [character for run in _RUN.findall(text) for character in _written_character().findall(run)]
    assert "".join(singles) == "".join(_RUN.findall(text))


@pytest.mark.parametrize(
    "unit", ["a", "a.", "-", "aB", "1.", "猫", "é", "'", "a'", "#", "\ud800", "ก", "เ", "ก้", "្ក", "a\u0301", "_"]
)
def test_time_is_linear_in_any_text(unit: str) -> None:
    """A minute for what is not; a tenth of a second for what is."""
    begun = time.monotonic()
    terms(unit * 200_000)
    query_terms(unit * 200_000)
    assert time.monotonic() - begun < 20


@given(st.text("abZ19.-_'’‘“”–—…\xa0 #+$@"))
def test_typography_is_read_as_plain_text_is(text: str) -> None:
    """A letter of another script has the text read by the pattern that takes any."""
    assert sorted(terms(f"{text} ж")) == sorted([*terms(text), "ж"])  # operators come last


@pytest.mark.parametrize("alphabet", ["ab1 C.-_'+#@$,;:()/\n\t\"", "ab1 C.-_'+#@$,’–…é猫\u1680\xa0\x1c"])
def test_a_text_has_the_terms_of_its_words(alphabet: str) -> None:
    """However it is cut into pieces on the way."""
    generator = random.Random(7)
    for _ in range(4_000):
        text = "".join(generator.choices(alphabet, k=generator.randrange(14)))
        of_words = [term for word in words_of(text) for term in terms(word) if not is_operator(term)]
        assert terms(text) == [*of_words, *operator_terms(text)], text


@given(st.text(alphabet="aÉ1.-_'’…+#@$C/\u00a0猫の๑ก่\u0301 ", max_size=12) | st.text(max_size=12))
def test_a_word_that_is_cut_again_is_the_same_word(text: str) -> None:
    assert [words_of(word) for word in words_of(text)] == [[word] for word in words_of(text)]


@given(st.text(alphabet="aÉ1.-_'’+#@$C/\u00a0\u1680\u0301\u2028→é猫の๑가 ", max_size=12) | st.text(max_size=12))
def test_most_texts_need_no_large_classes(text: str) -> None:
    if not _may_lack_blanks(text):
        assert _any_word(False).findall(text) == _any_word(True).findall(text)
        spans = [[(run.span(), run[1]) for run in _run(large).finditer(text)] for large in (False, True)]
        assert spans[0] == spans[1]


def test_every_character_without_blanks_is_known_at_the_first_look() -> None:
    has_no_blanks = re.compile(f"[{NO_BLANKS}]").match
    assert all(map(_may_lack_blanks, filter(has_no_blanks, map(chr, range(0x110000)))))
    assert not _may_lack_blanks("Größe → 10 µs ✓ Ωμέγα привет")

"""A folder in many languages is searched by words, on every store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.snippets import marked_terms, marks

pytest_plugins = ("store_fixtures",)
pytestmark = pytest.mark.usefixtures("everywhere")

NOTES = {
    "en.md": "The crane lifts boats out of the water before winter. It is checked by the harbour master in autumn.",
    "de.md": (
        "Die Pegelmessungen werden in den Häfen von den Wärtern aufgeschrieben, und sie sind für alle Schiffe wichtig."
    ),
    "de2.md": "Wenn der Sturm kommt, werden die Boote mit Seilen an der Mauer festgemacht, bis es wieder ruhig ist.",
    "es.md": "Las mediciones del agua se publican en la página de los puertos para que las vean los marineros.",
    "tr.md": (
        "Limanlardaki su seviyesi bir cihaz ile ölçülür ve bu değerler her gün denizciler için "
        "yayınlanır, ama çok daha geç."
    ),
    "vi.md": "Mực nước trong cảng được đo với một máy và các số này được gửi cho những người lái tàu khi có bão.",
    "el.md": "Οι μετρήσεις της στάθμης του νερού δημοσιεύονται κάθε μέρα για τους ναυτικούς του λιμανιού.",
    "hi.md": "बंदरगाह में पानी का स्तर मशीनों से मापा जाता है और किताबों में लिखा जाता है।",
    "ru.md": "Уровень воды в гаванях измеряют приборы, и смотрители записывают его каждое утро.",
    "ar.md": "تقيس الأجهزة مستوى الماء في الموانئ ويكتبه الحراس كل صباح في الدفتر.",
    "th.md": "ระดับน้ำในท่าเรือวัดด้วยเครื่องมือ และผู้ดูแลจะจดบันทึกทุกเช้า",
    "ja.md": "港の水位は検潮器で測定され、毎朝記録簿に書き込まれます。",
    "zh.md": "港口的水位由仪器测量，管理员每天早上把数字写进登记簿。",
    "ko.md": "항구의 수위는 기계로 측정되며 관리인이 매일 아침 장부에 기록합니다.",
}

QUESTIONS = [
    ("crane checks in autumns", "en.md"),
    ("Wer schreibt die Pegelmessung im Hafen auf?", "de.md"),
    ("pegelmessungen hafen", "de.md"),
    ("Womit ist ein Boot im Sturm festgemacht? Seil", "de2.md"),
    ("¿Dónde se publica la medición del agua?", "es.md"),
    ("medicion del puerto", "es.md"),
    ("limanda su seviyesi nasıl ölçülüyor", "tr.md"),
    ("mực nước cảng", "vi.md"),
    ("muc nuoc cang", "vi.md"),
    ("Πού δημοσιεύεται η μέτρηση στάθμης;", "el.md"),
    ("पानी के स्तर की किताब", "hi.md"),
    ("Кто записывает уровни воды?", "ru.md"),
    ("أين يكتب الحارس مستوى الماء", "ar.md"),
    ("ใครจดบันทึกระดับน้ำ", "th.md"),
    ("水位は何で測定しますか", "ja.md"),
    ("谁写水位的数字？", "zh.md"),
    ("누가 수위를 기록", "ko.md"),
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as opened:
        opened.update()
        yield opened


def test_a_question_finds_the_note_in_its_language(index: Index) -> None:
    found = {question: [hit.path for hit in index.search(question)[:1]] for question, _ in QUESTIONS}
    assert found == {question: [path] for question, path in QUESTIONS}


def test_a_question_about_something_else_finds_nothing(index: Index) -> None:
    for question in ("Wie heißt die Hauptstadt von Peru?", "火星的卫星", "เมืองหลวงของเปรู"):
        assert index.search(question) == [], question


def test_the_words_that_were_found_are_marked(index: Index) -> None:
    (hit,) = index.search("pegelmessung der Häfen", limit=1)
    ranges = marks(hit.text, marked_terms("pegelmessung der Häfen", hit.why.terms, hit.text))
    assert [hit.text[start:end] for start, end in ranges] == ["Pegelmessungen", "Häfen"]


def test_the_store_finds_nothing_wrong_with_its_terms(index: Index) -> None:
    assert index.check() == []

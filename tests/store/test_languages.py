"""The language of a document, and that its words are found in all their forms."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headnote.words.languages import LATIN, language_of
from headnote.words.terms import language_mark, other_forms, query_terms, terms

SAMPLES = {
    "": "The server is started with the command below, and it runs until you stop it or the machine is shut down.",
    "danish": (
        "Serveren bliver startet med kommandoen nedenfor, og den kører, indtil man stopper den, når det er for sent."
    ),
    "dutch": (
        "De server wordt gestart met de opdracht hieronder, en hij blijft draaien tot je hem stopt "
        "of de stroom uitvalt."
    ),
    "finnish": (
        "Palvelin on käynnissä, kun se on asennettu, ja se ei pysähdy, jos käyttäjä ei ole antanut "
        "käskyä tai kun se on rikki."
    ),
    "french": (
        "Le serveur est lancé avec la commande ci-dessous, et il tourne dans un processus pour que "
        "vous puissiez le voir."
    ),
    "german": (
        "Der Server wird mit dem Befehl unten gestartet, und er läuft, bis man ihn beendet oder der Strom ausfällt."
    ),
    "hungarian": (
        "A szerver az alábbi paranccsal indul el, és addig fut, amikor meg nem áll, vagy ha a gép le nem áll."
    ),
    "italian": (
        "Il server si avvia con il comando che segue, e non si ferma se non quando la macchina è spenta per la notte."
    ),
    "norwegian": (
        "Etter at den er satt opp, går tjeneren av seg selv, og den stopper ikke før man ber den "
        "om det, hva som enn skjer."
    ),
    "portuguese": (
        "O servidor é iniciado com o comando abaixo, e não para até que a máquina seja desligada "
        "ou que o disco se encha."
    ),
    "romanian": (
        "Serverul este pornit cu comanda de mai jos, și nu se oprește până când nu este oprit sau "
        "pe disc nu mai este loc."
    ),
    "spanish": (
        "El servidor se inicia con la orden de abajo, y no se detiene hasta que la máquina se apaga por la noche."
    ),
    "swedish": (
        "Servern startas med kommandot nedan, och den körs till dess att man stoppar den eller när det inte är ström."
    ),
    "turkish": (
        "Sunucu bu komut ile başlar ve çok daha hızlı bir makine için de aynı ayarlar var, ama her "
        "disk gibi bu da dolar."
    ),
    "vietnamese": (
        "Máy chủ được khởi động với lệnh này và sẽ chạy cho đến khi không có điện hoặc khi một người dừng nó lại."
    ),
}

FOUND = [
    # language, in a document, in a query
    ("german", "Die Verbindungen zu den Häusern", "Verbindung Haus"),
    ("german", "Größere Mengen", "grosse Menge"),
    ("spanish", "Las conexiones abiertas", "conexión abierta"),
    ("french", "les serveurs configurés", "serveur configurée"),
    ("italian", "le connessioni aperte", "connessione aperta"),
    ("portuguese", "as configurações abertas", "configuração aberta"),
    ("portuguese", "a configuração", "configuracao"),
    ("dutch", "de verbindingen", "verbinding"),
    ("swedish", "förbindelserna", "förbindelse"),
    ("danish", "forbindelserne", "forbindelse"),
    ("norwegian", "forbindelsene", "forbindelse"),
    ("finnish", "palvelimessa", "palvelimen"),
    ("hungarian", "a kapcsolatokat", "kapcsolat"),
    ("romanian", "conexiunile", "conexiune"),
    ("turkish", "sunucularda", "sunucu"),
    ("vietnamese", "kết nối mạng", "kết nối"),
    ("vietnamese", "kết nối mạng", "ket noi"),
]


@pytest.mark.parametrize(("language", "text"), SAMPLES.items())
def test_frequent_words_tell_the_language(language: str, text: str) -> None:
    assert language_of(text) == language


def test_every_language_has_a_sample() -> None:
    assert SAMPLES.keys() == {"", *LATIN}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "die",
        "for i in range(10): print(i)",
        "der die das und",
        "npm run build -- --watch",
        "設定ファイルの場所",
        "Η άμυνα των",
    ],
)
def test_what_does_not_tell_counts_as_english(text: str) -> None:
    assert language_of(text) == ""


def test_a_quotation_does_not_change_the_language() -> None:
    assert language_of(f"{SAMPLES['']} {SAMPLES['']} {SAMPLES['']} {SAMPLES['german']}") == ""


@pytest.mark.parametrize(("language", "text", "query"), FOUND)
def test_a_word_is_found_in_its_other_forms(language: str, text: str, query: str) -> None:
    found = set(terms(text, language))
    forms = other_forms(query, [language])
    for term in query_terms(query):
        assert found.intersection([term, *forms.get(term, [])]), term


@given(st.text(max_size=60), st.sampled_from(list(LATIN)))
@example("aÀ", "vietnamese")
def test_a_text_in_any_language_is_found_by_each_of_its_words(text: str, language: str) -> None:
    found = set(terms(text, language))
    forms = other_forms(text, [language])
    assert found <= {*query_terms(text), *(form for others in forms.values() for form in others)}
    for term in query_terms(text):
        assert found.intersection([term, *forms.get(term, [])]), term


@given(st.text(max_size=60))
def test_no_query_asks_for_the_mark_of_a_language(text: str) -> None:
    assert not any(term.startswith("@@") for term in terms(text))
    assert language_mark("german") not in query_terms("@@german @german")


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_an_english_index_asks_for_no_other_forms(text: str) -> None:
    assert other_forms(text, []) == {}

"""The page: questions, their answers, and the questions that go on from them."""

from __future__ import annotations

import json
from typing import Any

from browser_kit import Visit, expect

pytest_plugins = ["browser_fixtures"]


def streamed(*words: str, answer: dict[str, Any]) -> dict[str, str]:
    """A response of a model: one paragraph that grows, and the answer."""
    texts = [{"type": "text", "text": word, "blocks": [{"number": 0, "html": f"<p>{word}</p>"}]} for word in words]
    body = "".join(json.dumps(line) + "\n" for line in [*texts, answer])
    return {"body": body, "content_type": "application/x-ndjson"}


def test_an_answer_has_citations_that_open_their_lines(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.type("When does the gauge sleep until the sun is back?")
    page.keyboard.press("Enter")
    citation = page.locator(".source-cards .hit-link").first
    expect(citation).to_be_visible()
    expect(page.locator(".answer-text .cite").first).to_have_text("1")
    expect(page.locator(".answer-after .notice")).to_contain_text("No language model is set up")
    expect(page.locator(".citation-text"), "what the answer quotes is not quoted again").to_have_count(0)
    place = citation.locator(".hit-place").inner_text()
    citation.click()
    expect(page.locator(".document-head .mono")).to_have_text(place.rpartition(":")[0])
    expect(page.locator(".target-lines")).to_be_in_viewport()


def test_quotes_come_with_their_passages_as_a_search_draws_them(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F")
    cards = page.get_by_role("list", name="Passages")
    expect(cards.locator(".hit mark").first).to_be_visible()
    quoted = set(page.locator(".answer-text .cite").all_inner_texts())
    assert set(page.locator(".hit-cites .cite").all_inner_texts()) == quoted
    expect(page.locator(".citations"), "places are said once").to_have_count(0)
    cards.locator(".hit-link").first.click()
    expect(page.locator(".target-lines")).to_be_in_viewport()


def test_a_question_that_nothing_answers_can_be_searched_for(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask?q=capital+of+france")
    expect(page.locator(".answer-text")).to_have_text("Nothing here answers this question.")
    expect(page.locator(".answer-after .notice")).to_contain_text("Nothing relevant for")
    page.get_by_role("link", name="Search for these words").click()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("capital of france")


def test_what_a_model_made_up_is_shown_as_taken_out(visit: Visit) -> None:
    page = visit.page
    citation = {"path": "calibration.md", "start_line": 12, "end_line": 14, "text": "A sensor measures the time."}
    answer = {
        "type": "answer",
        "text": "Measure twice. [calibration.md:12-14]",
        "html": ['<p>Measure twice. <a class="cite" href="#/document?path=calibration.md&line=12&end=14">1</a></p>'],
        "citations": [citation],
        "sources": [],
        "dropped": [{"written": "nowhere.md:1", "reason": "no such document was shown"}],
        "complete": False,
        "model": "test",
        "note": "the service broke off",
    }
    page.route("**/api/ask", lambda route: route.fulfill(**streamed("Measure", "Measure twice.", answer=answer)))
    visit.go("#/ask?q=How?")
    expect(page.locator(".dropped")).to_contain_text("nowhere.md:1 no such document was shown")
    expect(page.locator(".answer-after")).to_contain_text("incomplete")
    expect(page.locator(".answer-text a.cite")).to_have_attribute(
        "href", "#/document?path=calibration.md&line=12&end=14"
    )


def test_a_follow_up_keeps_its_context(visit: Visit) -> None:
    page = visit.page
    sent: list[dict[str, Any]] = []
    page.on("request", lambda request: sent.append(request.post_data_json) if "/api/ask" in request.url else None)
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F")
    expect(page.locator(".source-cards .hit-link").first).to_be_visible()
    question = page.get_by_label("Question", exact=True)
    question.fill("And how often?")
    question.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").nth(1).locator(".source-cards .hit-link").first).to_be_visible()
    assert sent[0]["history"] == []
    assert [turn["question"] for turn in sent[1]["history"]] == ["How is a gauge calibrated?"]
    assert sent[1]["history"][0]["answer"]
    assert "calibrat" in page.locator(".turn").nth(1).locator(".answer-text").inner_text().lower()
    expect(question).to_be_focused()
    assert page.evaluate("location.hash") == "#/ask?q=How+is+a+gauge+calibrated%3F&q=And+how+often%3F"


def test_an_address_asks_the_whole_conversation(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F&q=And+how+often%3F")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").nth(1).locator(".source-cards .hit-link").first).to_be_visible()
    page.get_by_role("link", name="New conversation").click()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator(".starter").first).to_be_visible()
    page.go_back()
    expect(page.locator(".turn")).to_have_count(2)


def test_the_folder_offers_questions(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask")
    first = page.locator(".starter").first
    text = first.inner_text()
    first.click()
    expect(page.locator(".turn-question")).to_have_text(text)
    expect(page.locator(".source-cards .hit-link").first).to_be_visible()
    expect(page.locator(".starter").first).to_be_hidden()


def test_markdown_of_an_answer_is_drawn(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask?q=What+happens+to+the+battery+below+3.3+V%3F")
    expect(page.locator(".answer-text li").first).to_contain_text("measure the battery")
    expect(page.locator(".answer-text pre code").first).to_contain_text("tidewater battery")
    assert "```" not in page.locator(".answer-text").inner_text()


def test_a_failed_question_can_be_asked_again(visit: Visit) -> None:
    page = visit.page
    failure = {"type": "error", "error": {"code": "answer_error", "message": "the service is down", "remedy": "wait"}}
    page.route("**/api/ask", lambda route: route.fulfill(**streamed("Measure", answer=failure)))
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F")
    expect(page.locator(".turn [role=alert]")).to_contain_text("the service is down")
    expect(page.locator(".answer-text")).to_have_text("Measure")
    page.unroute("**/api/ask")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".source-cards .hit-link").first).to_be_visible()
    expect(page.locator(".turn")).to_have_count(1)


def test_hostile_markup_of_an_answer_stays_text(visit: Visit) -> None:
    """The server cleans it; the policy of the page stops what would get through."""
    page = visit.page
    visit.go("#/ask?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    expect(page.locator(".turn-question")).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator(".answer-after")).not_to_be_empty()
    assert page.locator(".turn img").count() == 0


def test_an_answer_that_comes_late_leaves_another_view_alone(visit: Visit) -> None:
    page = visit.page
    held: list[Any] = []
    page.route("**/api/ask", lambda route: route.continue_() if held else held.append(route))
    address = "#/ask?q=How+is+a+gauge+calibrated%3F&q=And+how+often%3F&q=Why%3F"
    visit.go(address)
    expect(page.locator(".turn")).to_have_count(1)
    assert page.evaluate("location.hash") == address
    page.get_by_role("link", name="Search", exact=True).click()
    held[0].continue_()
    page.locator(".turn").nth(2).wait_for(state="attached")
    page.locator(".turn").nth(2).locator(".answer-after > *").first.wait_for(state="attached")
    assert page.evaluate("location.hash").startswith("#/search")
    assert "Ask" not in page.title()
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.locator(".turn")).to_have_count(3)
    assert page.evaluate("location.hash") == address


def test_a_failed_question_keeps_those_that_wait(visit: Visit) -> None:
    page = visit.page
    failure = {"type": "error", "error": {"code": "answer_error", "message": "the service is down", "remedy": "wait"}}
    page.route("**/api/ask", lambda route: route.fulfill(**streamed(answer=failure)))
    address = "#/ask?q=How+is+a+gauge+calibrated%3F&q=And+how+often%3F"
    visit.go(address)
    expect(page.locator(".turn [role=alert]")).to_be_visible()
    assert page.evaluate("location.hash") == address
    page.unroute("**/api/ask")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").nth(1).locator(".source-cards .hit-link").first).to_be_visible()


def test_what_is_quoted_is_marked_in_its_passage(visit: Visit) -> None:
    page = visit.page
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F")
    marks = page.locator(".source-cards .hit mark")
    expect(marks.first).to_be_visible()
    said = " ".join(page.locator(".answer-text").inner_text().split())
    for mark in marks.all_text_contents():
        assert " ".join(mark.split()).strip("-0123456789. ") in said
    expect(page.get_by_role("link", name="Search for these words")).to_be_visible()


def test_what_only_comes_near_is_said_to_be_so(visit: Visit) -> None:
    page = visit.page

    def far(route: Any) -> None:
        *events, answer = route.fetch().text().strip().split("\n")
        route.fulfill(body="\n".join([*events, json.dumps({**json.loads(answer), "clear": False})]))

    page.route("**/api/ask", far)
    visit.go("#/ask?q=How+is+a+gauge+calibrated%3F")
    expect(page.locator(".answer-text .notice")).to_contain_text("Your documents may not answer this question.")
    expect(page.locator(".answer-text .prose").first).to_be_visible()
    expect(page.locator(".answer-after .notice")).to_have_count(0)
    expect(page.locator(".source-cards mark").first).to_be_visible()

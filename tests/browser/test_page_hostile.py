"""Documents, names and queries that want to run script do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser_kit import Server, Visit, expect, serve, visiting

pytest_plugins = ["browser_fixtures"]


ATTACK = '<img src=x onerror="window.hacked=1;alert(1)">'
FILE = "<img src=x onerror=alert(1)>.md"
PAGES = {
    FILE: f"""---
title: '{ATTACK}'
tags: ['{ATTACK}', '<script>window.hacked=1</script>']
'{ATTACK}': '{ATTACK}'
---

# {ATTACK} heading

Word {ATTACK} pump. <script>window.hacked = 1; alert(2)</script>

<svg onload="window.hacked=1"><script>window.hacked=1</script></svg>

<details open ontoggle="window.hacked=1"><summary onclick="window.hacked=1">open</summary>text</details>

<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>
<style>body {{ display: none }}</style>
<form action="javascript:window.hacked=1"><button id="main">send</button></form>
<a href="javascript:window.hacked=1" onclick="window.hacked=1">raw</a>

[script](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>)
[entity](&#106;avascript:window.hacked=1) ![picture](https://elsewhere.invalid/pixel.png)
[[{ATTACK}]] [[other|{ATTACK}]] [other](other.md#{quote(ATTACK)})

```{ATTACK}
{ATTACK}
```
""",
    "other.md": f"""# Other

Back to [the other {ATTACK}]({quote(FILE)}), and to nowhere: [x]({quote(ATTACK)}.md).

## {ATTACK}

A pump.
""",
}


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hostile") / "vault"
    folder.mkdir()
    for name, text in PAGES.items():
        try:
            Path(folder, name).write_text(text, encoding="utf-8")
        except OSError:  # pragma: no cover  a file system that knows no such names is safe from them
            pytest.skip("this file system allows no such names")
    with serve(folder) as server:
        yield server


@pytest.fixture
def visit(browser: Any, hostile_server: Server) -> Iterator[Visit]:
    with visiting(browser, hostile_server) as opened:
        yield opened
        assert opened.page.evaluate("window.hacked") is None
        assert (
            opened.page.evaluate("document.querySelectorAll('script:not([src]), iframe, form[action], style').length")
            == 0
        )
        attributes = opened.page.evaluate(
            "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).map((one) => one.name)"
        )
        assert [name for name in attributes if name.startswith("on")] == []


def test_a_hostile_document_is_only_text(visit: Visit) -> None:
    page = visit.page
    visit.go(f"#/document?path={quote(FILE)}")
    expect(page.locator(".document-head .mono")).to_have_text(FILE)
    expect(page.locator("h1").filter(has_text="onerror").first).to_be_attached()
    hrefs = page.locator("main a").evaluate_all("(links) => links.map((link) => link.getAttribute('href') ?? '')")
    assert hrefs
    assert [href for href in hrefs if href and not href.startswith(("#/", "https:"))] == []
    for name in ("raw", "script", "data", "entity"):
        for link in page.locator(".prose").get_by_text(name, exact=True).all():
            link.click()
    assert page.url.startswith(visit.address)
    assert page.locator("main").count() == page.locator("#main").count() == 1


def test_hostile_names_are_only_text_in_every_view(visit: Visit) -> None:
    page = visit.page
    visit.go("#/document")
    expect(page.locator(".document-rows")).to_contain_text(FILE)
    visit.go("#/graph")
    expect(page.locator("canvas[data-layout=done]")).to_be_visible()
    expect(page.locator(".graph-rows")).to_contain_text(FILE)
    page.get_by_role("radio", name="Broken links").check()
    expect(page.locator(".graph-rows")).to_contain_text("onerror")
    visit.go("#/document?path=other.md")
    page.locator(".prose").get_by_role("link", name="the other").click()
    expect(page.locator(".document-head .mono")).to_have_text(FILE)


def test_hostile_queries_are_only_text(visit: Visit) -> None:
    page = visit.page
    for query in (ATTACK, "pump", '"><script>alert(1)</script>', "javascript:alert(1)"):
        # A page of its own for each: an answer on the page would be that to the question before.
        page.goto("about:blank")
        visit.go(f"#/search?q={quote(query)}")
        expect(page.locator("#announcer")).to_contain_text(query)
        expect(page.get_by_role("searchbox", name="Search")).to_have_value(query)
        visit.go(f"#/ask?q={quote(query)}")
        expect(page.locator(".answer-text")).to_have_attribute("aria-busy", "false")


def test_hostile_text_in_the_playground_is_only_text(visit: Visit) -> None:
    page = visit.page
    visit.go("#/playground?preset=default")
    expect(page.locator(".pane-band").first).to_be_visible()
    page.get_by_label("Document", exact=True).fill(PAGES[FILE])
    page.locator(".file-name").fill(FILE)
    page.locator(".file-name").press("Tab")
    expect(page.locator(".card-title").first).to_contain_text("heading")
    page.locator(".card summary").first.click()
    expect(page.locator(".card-text").first).to_contain_text("onerror")
    expect(page.locator(".recipe-code")).to_contain_text(FILE)

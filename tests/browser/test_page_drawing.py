"""What the page draws in documents: formulas, diagrams, coloured code, tabs. All offline, whatever a document says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_kit import COLOURS, FRAMES, PHONE, Server, Visit, expect, faults, overflow, serve, show_theme, visiting

pytest_plugins = ("browser_fixtures",)

FORMULAS = r"""# Formulas

Inline $e^{i\pi} + 1 = 0$ here.

$$
\int_0^1 x^2\,dx = \frac{1}{3} \qquad \begin{pmatrix} a & b \\ c & d \end{pmatrix}
\sqrt[3]{\underbrace{x + y}_{n}} \color{red}{z} \boxed{\overline{w}} \cancel{q} \rule{1em}{2pt}
$$

Broken: $\frac{a$ here.
"""
DIAGRAMS = """# Diagrams

```mermaid
flowchart LR
  A[Read the folder] --> B{Changed?}
  B -->|yes| C[Cut]
```

```mermaid
sequenceDiagram
  accTitle: Who asks whom
  accDescr: The reader asks the server.
  Reader->>Server: a question
```

```mermaid
flowchart LR
  A --> --> B
```
"""
CODE = """# Code

```python
def walk(folder):  # all of them
    return "notes" if folder else 12
```

```nix
let x = "a"; in x # lazily
```

```nosuchlanguage
def walk
```
"""
TABS = """# Tabs

=== "npm"

    Install with npm.

=== "pip"

    Install with pip.

=== "uv"

    Install with uv.
"""
HOSTILE_FORMULAS = r"""# Hostile formulas

$\href{javascript:alert(1)}{x}$ and $\url{javascript:alert(2)}$ and $\includegraphics{https://evil.example/a.png}$ and
$\htmlStyle{position:fixed}{x}$ and $\htmlData{a=b}{x}$ and $\unknowncommand$ and $\rule{99999em}{99999em}$.

$$\def\a{\b\b\b\b\b\b}\def\b{\c\c\c\c\c\c}\def\c{\d\d\d\d\d\d}\def\d{xxxxxxxxx}\a\a\a\a\a\a$$

$$\def\loop{\loop}\loop$$

$<img src=x onerror=alert(3)>$

The last words.
"""
HOSTILE_DIAGRAMS = """# Hostile diagrams

```mermaid
flowchart LR
  A["<img src=x onerror=alert(1)>"] --> B["<script>alert(2)</script>"]
  click A "javascript:alert(3)" "tip"
  click B call alert(4)
```

```mermaid
flowchart LR
  M --> N
  style M fill:url(https://evil.example/a.svg)
  classDef evil background:url(https://evil.example/f.svg)
  class N evil
```

```mermaid
%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "*{background:url(https://evil.example/b)}"}}%%
flowchart LR
  X["<iframe src='https://evil.example/c'></iframe>"] --> Y
  click X href "https://evil.example/d"
```

```mermaid
---
config:
  securityLevel: loose
  maxEdges: 100000
  maxTextSize: 900000
  layout: elk
  fontFamily: "x;} *{background:url(https://evil.example/e)}"
---
flowchart LR
  P --> Q
```

```mermaid
gantt
  dateFormat YYYY-MM-DD
  excludes monday, tuesday, wednesday, thursday, friday, saturday, sunday
  section One
  Never :a, 2024-01-01, 3d
```

```mermaid
classDiagram
  class A["<svg onload=alert(5)>"]
  link A "javascript:alert(6)"
```

```mermaid
sequenceDiagram
  participant A as <img src=x onerror=alert(7)>
  A->>A: $$\\href{javascript:alert(8)}{x}$$
  link A: Go @ javascript:alert(9)
```
"""
HUGE_DIAGRAMS = "\n".join(
    [
        "# Huge diagrams\n",
        "```mermaid\nflowchart LR",
        *(f"  n{i} --> n{i + 1}" for i in range(600)),
        "```\n\n```mermaid\nflowchart LR",
        "  A --> " + "B" * 30_000,
        "```\n\n```mermaid\nflowchart LR",
        *(f"{' ' * i}subgraph s{i}" for i in range(200)),
        "  A --> B",
        *("end" for _ in range(200)),
        "```\n\nThe last words.\n",
    ]
)
NOTES = {
    "formulas": FORMULAS,
    "diagrams": DIAGRAMS,
    "code": CODE,
    "tabs": TABS,
    "hostile-formulas": HOSTILE_FORMULAS,
    "hostile-diagrams": HOSTILE_DIAGRAMS,
    "huge-diagrams": HUGE_DIAGRAMS,
    "plain": "# Plain\n\nWords.\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("drawn")
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with serve(folder) as running:
        yield running


@pytest.fixture
def reader(browser: Any, server: Server) -> Iterator[Visit]:
    with visiting(browser, server) as opened:
        yield opened


def read(reader: Visit, name: str) -> Any:
    """Open a note; returns its article."""
    reader.go(f"#/document?path={name}.md")
    article = reader.page.locator("article.prose")
    expect(article.locator("h1")).to_be_visible()
    return article


def loaded(reader: Visit) -> list[str]:
    """Libraries that the page has loaded."""
    addresses: list[str] = reader.page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    return [address for address in addresses if "/vendor/" in address or "/frames/" in address]


# -- each where it is needed


def test_a_plain_document_loads_no_library(reader: Visit) -> None:
    read(reader, "plain")
    reader.page.wait_for_timeout(300)
    assert loaded(reader) == []


def test_formulas_are_drawn_and_can_be_heard(reader: Visit) -> None:
    article = read(reader, "formulas")
    expect(article.locator(".math.drawn .katex-html")).to_have_count(2)
    expect(article.locator(".math.drawn math")).to_have_count(2)
    assert all("katex" in address for address in loaded(reader))
    red = article.locator(".katex-html").nth(1).locator("[style*='red']").first
    assert red.evaluate("(one) => getComputedStyle(one).color") == "rgb(255, 0, 0)", "styles pass the policy"


def test_a_formula_that_cannot_be_drawn_shows_its_source(reader: Visit) -> None:
    broken = read(reader, "formulas").locator(".math:not(.drawn)")
    expect(broken.locator("code")).to_have_text("\\frac{a")
    expect(broken.locator(".undrawn")).to_contain_text("This formula could not be drawn: Unexpected end of input")


def test_diagrams_are_pictures_with_words(reader: Visit) -> None:
    pictures = read(reader, "diagrams").locator("figure.diagram img")
    expect(pictures).to_have_count(2)
    assert pictures.nth(0).get_attribute("alt") == "Diagram (flowchart): yes, Read the folder, Changed?, Cut"
    assert pictures.nth(1).get_attribute("alt") == "Who asks whom. The reader asks the server."
    assert pictures.nth(0).evaluate("(one) => one.complete && one.naturalWidth > 100")


def test_a_diagram_keeps_its_lines_and_its_source(reader: Visit) -> None:
    figure = read(reader, "diagrams").locator("figure.diagram").first
    expect(figure).to_have_class("diagram drawn")
    assert (figure.get_attribute("data-start-line"), figure.get_attribute("data-end-line")) == ("3", "7")
    figure.locator("summary").click()
    expect(figure.locator("pre")).to_contain_text("A[Read the folder] --> B{Changed?}")


def test_a_diagram_that_cannot_be_drawn_shows_its_source(reader: Visit) -> None:
    figure = read(reader, "diagrams").locator("figure.diagram").nth(2)
    expect(figure.locator(".undrawn")).to_have_text("This diagram could not be drawn: Parse error on line 2")
    expect(figure.locator("pre")).to_be_visible()


def test_diagrams_follow_the_theme(reader: Visit) -> None:
    picture = read(reader, "diagrams").locator("figure.diagram img").first
    light = picture.get_attribute("src")
    assert "%23e9effc" in light, "the accent of the light theme"
    reader.page.locator("#theme-toggle").click()
    expect(picture).not_to_have_attribute("src", light)
    assert "%231e2a45" in picture.get_attribute("src"), "and that of the dark one"


def test_code_has_colours_and_the_same_text(reader: Visit) -> None:
    codes = read(reader, "code").locator("pre code")
    expect(codes.nth(0).locator(".code-keyword").first).to_have_text("def")
    expect(codes.nth(0).locator(".code-comment")).to_have_text("# all of them")
    expect(codes.nth(1).locator(".code-keyword").first).to_have_text("let")
    assert codes.nth(0).text_content() in CODE
    assert codes.nth(1).text_content() in CODE
    expect(codes.nth(2).locator("span")).to_have_count(0)


def test_code_gets_its_colours_from_a_busy_server_too(reader: Visit) -> None:
    page = reader.page
    page.clock.install()
    late: list[Any] = []
    page.route("**/code-worker.js", lambda route: late.append(route))  # noqa: PLW0108  it is given attributes
    with page.expect_request("**/code-worker.js"):
        codes = read(reader, "code").locator("pre code")
    expect(codes.nth(0)).to_be_visible()
    page.clock.fast_forward(10_000)
    for route in late:
        route.continue_()
    expect(codes.nth(0).locator(".code-keyword").first).to_have_text("def")


def test_tabs_are_used_by_keyboard(reader: Visit) -> None:
    article = read(reader, "tabs")
    tabs, panels = article.get_by_role("tab"), article.get_by_role("tabpanel", include_hidden=True)
    assert [tab.text_content() for tab in tabs.all()] == ["npm", "pip", "uv"]
    expect(article.get_by_text("Install with npm.")).to_be_visible()
    expect(article.get_by_text("Install with pip.")).not_to_be_visible()
    tabs.nth(0).focus()
    for key, chosen in [("ArrowRight", 1), ("End", 2), ("ArrowRight", 0), ("ArrowLeft", 2), ("Home", 0)]:
        reader.page.keyboard.press(key)
        expect(tabs.nth(chosen)).to_be_focused()
        expect(tabs.nth(chosen)).to_have_attribute("aria-selected", "true")
        expect(panels.nth(chosen)).not_to_have_attribute("hidden", "until-found")
        assert tabs.nth(chosen).get_attribute("aria-controls") == panels.nth(chosen).get_attribute("id")


def test_what_becomes_too_wide_for_the_window_scrolls_by_keyboard(reader: Visit) -> None:
    code = read(reader, "code").locator("pre").first
    expect(code).to_be_visible()
    assert code.get_attribute("tabindex") is None
    reader.page.set_viewport_size({"width": 180, "height": 600})
    expect(code).to_have_attribute("tabindex", "0")


@pytest.mark.parametrize("name", ["formulas", "diagrams", "code", "tabs"])
def test_everybody_can_use_it(browser: Any, server: Server, name: str) -> None:
    with visiting(browser, server, viewport=PHONE) as reader:
        read(reader, name)
        drawn = {"formulas": ".katex", "diagrams": "figure img", "code": ".coloured", "tabs": "[role=tab]"}[name]
        expect(reader.page.locator(f"article {drawn}").first).to_be_visible()
        # What is wider than its place is known when its letters are there.
        reader.page.evaluate("() => document.fonts.ready.then(() => undefined)")
        reader.page.evaluate(FRAMES)
        assert faults(reader.page) == []
        assert overflow(reader.page) == []
        show_theme(reader.page, "dark")
        assert faults(reader.page, *COLOURS) == []


# -- hostile: the visit fails by itself on a dialog, a foreign request or an error


def test_hostile_formulas_do_nothing(reader: Visit) -> None:
    article = read(reader, "hostile-formulas")
    expect(article.get_by_text("The last words.")).to_be_visible()
    formulas = article.locator(".math")
    expect(article.locator(".math.drawn, .math:has(.undrawn)")).to_have_count(formulas.count())
    assert article.locator(".math :is(a, img, script, iframe)").count() == 0
    expect(article).to_contain_text("Too many expansions")
    assert overflow(reader.page) == []


def test_hostile_diagrams_do_nothing(reader: Visit) -> None:
    article = read(reader, "hostile-diagrams")
    figures = article.locator("figure.diagram")
    for figure in figures.all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator("img, .undrawn")).to_have_count(1)
    assert article.locator("figure :is(a, script, iframe, svg)").count() == 0
    sources = [image.get_attribute("src") for image in article.locator("figure img").all()]
    assert len(sources) >= 4
    for source in sources:
        assert source.startswith("data:image/svg+xml")
        assert "javascript%3A" not in source
        assert "onerror%3D" not in source
        assert "foreignObject" not in source
    assert reader.page.context.pages == [reader.page], "nothing has opened a window"
    # The policy of the frame stops what the library lets pass.
    assert all("has been blocked" in error or "violates" in error for error in reader.errors)
    reader.errors.clear()


def test_huge_diagrams_are_refused(reader: Visit) -> None:
    article = read(reader, "huge-diagrams")
    for figure, why in zip(article.locator("figure.diagram").all(), ("Edge limit", "it is too long", ""), strict=True):
        figure.scroll_into_view_if_needed()
        expect(figure.locator("img, .undrawn")).to_have_count(1)
        expect(figure).to_contain_text(why)
    expect(article.get_by_text("The last words.")).to_be_visible()


def test_a_diagram_that_stopped_the_page_is_not_tried_again(reader: Visit) -> None:
    read(reader, "plain")
    text = DIAGRAMS.split("```mermaid\n")[1].split("```", maxsplit=1)[0]
    reader.page.evaluate("(text) => sessionStorage.setItem('headnote-diagram-begun', text)", text)
    article = read(reader, "diagrams")
    expect(article.locator("figure.diagram").nth(0)).to_contain_text("it took too long the last time")
    expect(article.locator("figure.diagram").nth(1).locator("img")).to_be_visible()


def test_a_page_that_is_left_while_it_draws_may_try_again(reader: Visit) -> None:
    expect(read(reader, "diagrams").locator("figure.diagram img")).to_have_count(2)
    text = DIAGRAMS.split("```mermaid\n")[1].split("```", maxsplit=1)[0]
    reader.page.evaluate("(text) => sessionStorage.setItem('headnote-diagram-begun', text)", text)
    reader.page.reload()
    expect(reader.page.locator("figure.diagram img")).to_have_count(2)

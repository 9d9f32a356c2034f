"""Documents for the laws: Markdown written to be misread, and the kind that people really write, grown out of size."""

from __future__ import annotations

from collections.abc import Callable

import nasty
from hypothesis import strategies as st
from nasty import Dice, HypothesisDice, RandomDice

# fmt: off
# Every tuple begins with its tamest member, because shrinking moves towards the first choice.
WORDS = (
    "text", "the", "cluster", "a", "configuration", "API", "e.g.", "node-pool", "`kubectl get pods`", "**bold**", "C#",
    "https://example.com/a/b?c=d#e", "don't", "(see", "below)", "[link](target.md)", "[[note#Part|alias]]", "#tag", "…",
    "1.2.3", "<br>", "$x_{i}$", "naïve", "😀", "日本語",
)
WIDE_SENTENCES = (
    "クラスターはノードの集まりです。", "これは「設定」です！", "次に、ポッドを作成しますか？", "한국어 문장입니다. ",
    "汉字没有空格所以很长很长的一句话也不能在空格处断开", "全角。半角.",
)
SENTENCE_ENDS = (". ", ".\n", "? ", "! ", ".) ", '." ', ": ", "; ", " ")
INFO_STRINGS = ("", "python", "js {1,3-5} title='a.js'", "text " + "very long info string " * 6)
LINE_ENDS = ("\n", "\n", "\n", "\r\n", "\r")
MARKERS = ("-", "1.", ">", "*", "10)", "[^1]:", "")
GAPS = ("\t", " ", " \t", "\t\t", "  \t", "     ")
INDENTS = ("\t", "  ", "    ", " \t", ">\t", "> ")
SPACES = tuple(char for char in map(chr, range(0x110000)) if char.isspace() and char not in "\r\n")
HEADING_WORDS = (
    "Install", "Set up `x`", "C#", "Überblick", "インストール", "A & B", "[Link](x)", "Step 1", "Réglages {#id}",
)
# fmt: on
PICTURE = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 90


def words(dice: Dice, least: int, most: int) -> str:
    blank = dice.pick(SPACES) + dice.pick(("", " ", *SPACES)) if dice.chance(8) else " "
    return blank.join(dice.pick(WORDS) for _ in range(dice.count(least, most)))


def prose(dice: Dice) -> str:
    return "".join(words(dice, 2, 14) + dice.pick(SENTENCE_ENDS) for _ in range(dice.count(1, 9))).strip()


def wide_prose(dice: Dice) -> str:
    return "".join(dice.pick(WIDE_SENTENCES) for _ in range(dice.count(1, 20)))


def endless_line(dice: Dice) -> str:
    return dice.pick(("a", "ab", "x1-", "漢", "/path", "\\", "[", "é", "%20")) * dice.count(20, 900)


def code(dice: Dice) -> str:
    mark = dice.pick(("```", "~~~", "````", "~~~~~"))
    lines = [
        dice.pick(("", "  ", "\t")) + words(dice, 0, 7).replace("`", "'") * dice.chance(85)
        for _ in range(dice.count(0, 25))
    ]
    closing = [mark] if dice.chance(90) else []
    return "\n".join([mark + dice.pick(INFO_STRINGS), *lines, *closing])


def indented_code(dice: Dice) -> str:
    return "\n".join("    " + words(dice, 1, 6) for _ in range(dice.count(1, 12)))


def table(dice: Dice) -> str:
    columns = dice.count(1, 5)
    cell = words if dice.chance(90) else lambda dice, *_: endless_line(dice)
    rows = [
        "| " + " | ".join(cell(dice, 0, 4).replace("|", "") for _ in range(columns)) + " |"
        for _ in range(dice.count(0, 12))
    ]
    head = "| " + " | ".join(words(dice, 1, 2) for _ in range(columns)) + " |"
    return "\n".join([head, "|" + " --- |" * columns, *rows])


def item_list(dice: Dice) -> str:
    marker = dice.pick(("- ", "* ", "1. ", "+   "))
    gap = dice.pick(("\n", "\n\n"))
    return gap.join(_item(dice, marker) for _ in range(dice.count(1, 10)))


def _item(dice: Dice, marker: str) -> str:
    content = [dice.pick((prose, prose, endless_line, wide_prose))(dice) if dice.chance(20) else words(dice, 1, 9)]
    if dice.chance(25):
        content.append(dice.pick((code, table, item_list if dice.chance(30) else prose, quote))(dice))
    lines = "\n\n".join(content).split("\n")
    rest = " " * len(marker)
    return "\n".join([marker + lines[0], *(rest + line if line else "" for line in lines[1:])])


def quote(dice: Dice) -> str:
    content = "\n\n".join(dice.pick((prose, words_only, code, table))(dice) for _ in range(dice.count(1, 3)))
    return "\n".join("> " + line if dice.chance(95) else ">" + line for line in content.split("\n"))


def tabbed(dice: Dice) -> str:
    """Containers in containers, with tabs behind their markers and before them at every depth."""
    lines: list[str] = []
    depth = 0
    for _ in range(dice.count(2, 7)):
        indent = "".join(dice.pick(INDENTS) for _ in range(depth))
        content = dice.pick((prose, prose, words_only, code, endless_line, indented_code))(dice)
        first, *others = (content * dice.pick((1, 4, 12))).split("\n")
        lines += [indent + dice.pick(MARKERS) + dice.pick(GAPS) + first, *(indent + "\t" + line for line in others)]
        depth = max(0, depth + dice.pick((1, 1, 0, -1, -2)))
    return "\n".join(lines)


def words_only(dice: Dice) -> str:
    return words(dice, 1, 6)


def html(dice: Dice) -> str:
    inside = code(dice) if dice.chance(25) else "\n".join(words(dice, 1, 8) for _ in range(dice.count(1, 8)))
    return dice.pick(
        ("<div>\n{}\n</div>", "<!--\n{}\n-->", "<pre>\n{}\n</pre>", "<details>\n<summary>{}</summary>\n</details>")
    ).format(inside)


def definitions(dice: Dice) -> str:
    return "\n".join(f"[{number}]: https://example.com/{number} 'title'" for number in range(dice.count(1, 8)))


def footnote(dice: Dice) -> str:
    return f"[^{dice.count(1, 9)}]: " + prose(dice).replace("\n", "\n    ")


def picture(dice: Dice) -> str:
    return f"{words(dice, 0, 4)} ![picture]({PICTURE}) {words(dice, 0, 4)}"


def blanks(dice: Dice) -> str:
    """A paragraph to Markdown, nothing to a reader."""
    return "".join(dice.pick(SPACES[1:]) for _ in range(dice.count(1, 40)))


def rule(_: Dice) -> str:
    return "---"


def heading(dice: Dice) -> str:
    level = dice.pick((2, 1, 3, 4, 5, 6, 2, 3))
    text = dice.pick(HEADING_WORDS) + " " + words(dice, 0, 2)
    if dice.chance(6):
        text = words(dice, 20, 60)
    if level < 3 and dice.chance(15):
        return text.strip() + ("\n===" if level == 1 else "\n---")
    return "#" * level + " " + text.strip() + " #" * dice.chance(10)


def component(dice: Dice) -> str:
    inside = "\n\n".join(dice.pick((prose, code, item_list, words_only))(dice) for _ in range(dice.count(1, 3)))
    gap = dice.pick(("\n", "\n\n"))
    return f'<Tabs title="{words(dice, 1, 3)}">{gap}{inside}{gap}</Tabs>'.replace("<br>", "").replace("{", "(")


Shape = Callable[[Dice], str]
BLOCKS: tuple[Shape, ...] = (
    *(prose, prose, prose, words_only, heading, heading, heading, code, table, item_list),
    *(wide_prose, quote, html, indented_code, definitions, footnote, endless_line, rule, picture, component),
    *(blanks, tabbed),
)


def frontmatter(dice: Dice) -> str:
    fields = [f"key{number}: {words(dice, 1, 3)!r}" for number in range(dice.count(0, 5))]
    return "\n".join(["---", "title: Page", *fields, "---"])


def gap(dice: Dice) -> str:
    """Between two blocks: nearly always a blank line or two, now and then hundreds, now and then none."""
    if dice.chance(4):
        return "\n" * dice.count(20, 400)
    if dice.chance(3):
        return "\n\n" + (" " * dice.count(50, 300) + "\n") * dice.count(1, 5)
    return dice.pick(("\n\n", "\n\n", "\n\n", "\n\n\n", "\n", "\n \n"))


def realistic(dice: Dice, most: int = 14) -> str:
    """A page as people write it, with something out of size here and there."""
    parts = ["\ufeff"] if dice.chance(3) else []
    if dice.chance(20):
        parts += [frontmatter(dice), gap(dice)]
    for _ in range(dice.count(1, most)):
        parts += [dice.pick(BLOCKS)(dice), gap(dice)]
    if dice.chance(20):
        parts.pop()
    text = "".join(parts)
    end = dice.pick(LINE_ENDS)
    return text if end == "\n" else text.replace("\n", end)


def document(dice: Dice) -> str:
    """Either kind, or one behind the other."""
    shape = dice.count(0, 9)
    if shape < 6:
        return realistic(dice)
    if shape < 9:
        return "\n\n".join(nasty.document(dice) for _ in range(dice.count(1, 6)))
    return nasty.document(dice) + "\n\n" + realistic(dice, 5)


@st.composite
def documents(draw: st.DrawFn) -> str:
    return document(HypothesisDice(draw))


def random_document(seed: object) -> str:
    """The same without Hypothesis, for many at once."""
    return document(RandomDice(seed))

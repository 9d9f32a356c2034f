"""MDX written to be misread: modules, components and expressions, among the Markdown of `nasty`."""

from __future__ import annotations

from hypothesis import strategies as st
from nasty import INDENTS, MARKERS, Dice, HypothesisDice, blank_lines, join_lines, leaf_lines, paragraph_lines

# fmt: off
MODULES = (
    "import a from 'b'", 'import {a, b} from "c"', "import 'a'", "export const a = 1", "export default a",
    "import a", "export", "important x", "imported", "export {a}", "import", " import a from 'b'",
    "import a from 'b' // c", "export const a = {\n  b: 1\n}", "export const a = [\n\n  1,\n]",
    "import {\n  a,\n  b\n} from 'c'", "export function a() {\n  return 1\n}", "export const a = `\n# b\n`",
    "export const a = 1\nexport const b = 2", "import a from 'b'\ntext", "export const a = <b>\n  c\n</b>",
    "export const a = () => {\n\n  return `}`\n}", "export const a = '}'; /* { */", "import('a')",
    "export * from 'a'", "export const a = 1;;",
)
NAMES = ("A", "A.B", "a", "a-b", "a:b", "div", "A_1", "$", "")
ATTRIBUTES = (
    "", " b", ' b="c"', " b='c'", " b={1}", " {...b}", ' b="c > d"', " b={'}'}", " b={{c: 1}}", "\n  b\n",
    '\n  b="c"\n  d={e}\n', ' b="c\nd"', " b={\n  1\n}", " b={`c\nd`}", ' b="<c>"', " b=<c/>", "\tb",
    ' b = "c"', " b={/* > */ 1}", " b={<c>d</c>}", " {/* e */}", " b={() => { return 1 }}", " b={[\n\n1]}",
    " b:c='d'", ' b="{"', " b={a > 1}", " /* c */ b",
)
EXPRESSIONS = (
    "{1}", "{/* a */}", "{a}", "{'}'}", "{`}`}", "{{a: 1}}", "{\n1\n}", "{/* a\nb */}", "{\n\n1\n}", "{}",
    "{/* { */}", "{a /* } */}", "{1} {2}", "{1} a", "a {1}", "  {1}", "{/* a */} b", "{1}{2}",
    "{\n  a.map(b => (\n    <c>{b}</c>\n  ))\n}", '{"a\\"}"}', "{1}<a/>", "{1} <a>b</a>", "{/**/}",
    "{/* # a\n\n- b */}", "{ }", "{1} # a", "{`${a}`}", "{'a' + \"b\"}", "{// a\n}", "{/[}]/}",
)
BROKEN = (
    "{", "}", "<A", "<A>", "</A>", "<", "<A b=", "<A b={", "{`", "{'", "<>", "</>", "<A b='c", "<!-- a -->",
    "a < b", "<1>", "\\{", "\\<A>",
)

CONTENTS = ("", "a", "*a*", "{1}", "# a", "<b/>", "`</A>`", "a\nb")
# fmt: on


def document(dice: Dice) -> str:
    lines: list[str] = []
    for _ in range(dice.count(1, 4)):
        lines += block_lines(dice, depth=dice.count(0, 3))
        lines += blank_lines(dice)
    return join_lines(dice, lines)


def block_lines(dice: Dice, depth: int) -> list[str]:
    if depth and dice.chance(60):
        return element_lines(dice, depth)
    if depth and dice.chance(40):
        return contained(dice, inner_lines(dice, depth))
    shape = dice.pick(
        (
            module_lines,
            expression_lines,
            text_lines,
            leaf_lines,
            paragraph_lines,
            single_element,
            broken_lines,
        )
    )
    return shape(dice)


def inner_lines(dice: Dice, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(dice.count(1, 2)):
        lines += blank_lines(dice) if dice.chance(50) else []
        lines += block_lines(dice, dice.count(0, depth - 1))
    return lines + (blank_lines(dice) if dice.chance(50) else [])


def contained(dice: Dice, inner: list[str]) -> list[str]:
    marker = dice.pick(dice.pick(MARKERS))
    rest = marker if ">" in marker else " " * len(marker.expandtabs(4))
    return [marker + inner[0], *((line if dice.chance(8) else rest + line) for line in inner[1:])]


def element_lines(dice: Dice, depth: int) -> list[str]:
    """A component around blocks, or around text on its own lines."""
    name = dice.pick(NAMES)
    indent = dice.pick(INDENTS) if dice.chance(30) else ""
    attributes = dice.pick(ATTRIBUTES) if name else ""
    opening = f"<{name}{attributes}>".split("\n")
    closing = f"</{name if dice.chance(95) else 'X'}>"
    inner = [indent + line for line in inner_lines(dice, depth)]
    if dice.chance(20):
        opening, inner = [*opening[:-1], opening[-1] + inner[0]], inner[1:]
    if inner and dice.chance(20):
        return [*opening, *inner[:-1], inner[-1] + closing + dice.pick(("", " ", " a", "{1}"))]
    return [*opening, *inner, closing + dice.pick(("", "", "", " ", " a", "{1}", "<A/>"))]


def single_element(dice: Dice) -> list[str]:
    tag = element(dice)
    before, after = (
        dice.pick(("", "", "", "  ", "a ", "    ")),
        dice.pick(("", "", "", " ", " a", "\na", "{1}", " <A/>")),
    )
    return f"{before}{tag}{after}".split("\n")


def element(dice: Dice) -> str:
    name = dice.pick(NAMES)
    attributes = dice.pick(ATTRIBUTES) if name else ""
    if name and dice.chance(50):
        return f"<{name}{attributes}{dice.pick(('/', ' /'))}>"
    return f"<{name}{attributes}>{dice.pick(CONTENTS)}</{name}>"


def module_lines(dice: Dice) -> list[str]:
    return dice.pick(MODULES).split("\n")


def expression_lines(dice: Dice) -> list[str]:
    return dice.pick(EXPRESSIONS).split("\n")


def text_lines(dice: Dice) -> list[str]:
    """A paragraph with components or expressions in the line."""
    parts = [dice.pick(("a", " ", "\n", element(dice), dice.pick(EXPRESSIONS))) for _ in range(dice.count(1, 4))]
    return "".join(parts).split("\n")


def broken_lines(dice: Dice) -> list[str]:
    return [dice.pick(BROKEN)] if dice.chance(30) else ["a"]


@st.composite
def documents(draw: st.DrawFn) -> str:
    return document(HypothesisDice(draw))

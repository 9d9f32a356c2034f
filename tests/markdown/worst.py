"""The worst input of every rule: what makes a careless parser look again at what it has already read."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Worst(NamedTuple):
    """A text that can be made as long as needed."""

    name: str
    build: Callable[[int], str]
    """Number of characters → a text of about that length."""
    mdx: bool = False


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + unit * (size // len(unit)) + after


def each_longer(unit: str, line: str) -> Callable[[int], str]:
    """Line i begins with i units, up to sixty: nesting that grows line by line, then starts again."""

    def build(size: int) -> str:
        lines: list[str] = []
        length = 0
        while length < size:
            lines.append(unit * (len(lines) % 60) + line)
            length += len(lines[-1])
        return "".join(lines)

    return build


def two_parts(first: str, middle: str, second: str) -> Callable[[int], str]:
    return lambda size: first * (size // 2 // len(first)) + middle + second * (size // 2 // len(second))


# fmt: off
CONTAINERS = [
    Worst("nested quotes", repeated(">", after=" a")),
    Worst("nested quotes with spaces", repeated("> ", after="a")),
    Worst("nested quotes, one deeper each line", each_longer(">", "a\n")),
    Worst("nested quotes, then shallow lines", two_parts(">", "a\n", "> b\n")),
    Worst("nested quotes, then lazy lines", two_parts("> ", "a\n", "b\n")),
    Worst("quote lines", repeated("> a\n")),
    Worst("quote and lazy line by turns", repeated("> a\nb\n")),
    Worst("quotes apart", repeated("> a\n\n")),
    Worst("lazy lines in a quote", repeated("b\n", before="> a\n")),
    Worst("lazy lines that look like rows", repeated("b|\n-|-\n", before="> a\n")),
    Worst("fences in quotes", repeated("> ```\na\n")),
    Worst("comments in quotes", repeated("> <!--\n\n")),
    Worst("quotes in a list", repeated("  > a\n", before="- a\n")),
    Worst("nested bullets", repeated("- ", after="a")),
    Worst("nested numbers", repeated("1. ", after="a")),
    Worst("nested stars", repeated("* ", after="a")),
    Worst("nested bullets, one deeper each line", each_longer("  ", "- a\n")),
    Worst("nested bullets, one deeper each line, blank lines", each_longer("  ", "- a\n\n")),
    Worst("nested bullets, then lazy lines", two_parts("- ", "a\n", "b\n")),
    Worst("nested bullets, then blank lines", two_parts("- ", "a\n", "\n")),
    Worst("bullets", repeated("- a\n")),
    Worst("bullets apart", repeated("- a\n\n")),
    Worst("empty bullets", repeated("-\n")),
    Worst("empty bullets apart", repeated("-\n\n")),
    Worst("markers by turns", repeated("- a\n+ a\n* a\n")),
    Worst("numbers by turns", repeated("1. a\n1) a\n")),
    Worst("bullet and paragraph", repeated("- a\n\nb\n\n")),
    Worst("lazy lines in a list", repeated("b\n", before="- a\n")),
    Worst("bullet and lazy line", repeated("- a\nb\n")),
    Worst("long item", repeated("  a\n", before="- a\n")),
    Worst("long loose item", repeated("\n  a\n", before="- a\n")),
    Worst("blank lines in an item", repeated("\n", before="- a\n", after="  b\n")),
    Worst("fences in a list", repeated("- ```\n")),
    Worst("unclosed fence in a list", repeated("  a\n\n", before="- ```\n")),
    Worst("comments in a list", repeated("- <!--\n")),
    Worst("quote in bullet by turns", repeated("- > ")),
    Worst("footnotes", repeated("[^a]: b\n")),
    Worst("nested footnotes", repeated("[^a]:")),
    Worst("lazy lines in a footnote", repeated("b\n", before="[^a]: b\n")),
    Worst("loose footnote", repeated("\n    b\n", before="[^a]: b\n")),
    Worst("footnote openings", repeated("[^")),
]
LEAVES = [
    Worst("one line", repeated("a")),
    Worst("one paragraph", repeated("a\n")),
    Worst("paragraphs", repeated("a\n\n")),
    Worst("blank lines", repeated("\n")),
    Worst("spaces", repeated(" ")),
    Worst("spaces after text", repeated(" ", before="a", after="b")),
    Worst("lines of spaces", repeated("  \n")),
    Worst("tabs", repeated("\t")),
    Worst("carriage returns", repeated("\r")),
    Worst("carriage returns and newlines", repeated("a\r\n\r\n")),
    Worst("hashes", repeated("#")),
    Worst("closing hashes", repeated(" #", before="# a")),
    Worst("spaces in a heading", repeated(" ", before="# a", after="#b")),
    Worst("headings", repeated("# a\n")),
    Worst("setext headings", repeated("a\n=\n")),
    Worst("setext heading of many lines", repeated("a\n", after="===\n")),
    Worst("underlines of nothing", repeated("= =\n")),
    Worst("almost a rule", repeated("* ", after="*a")),
    Worst("almost a rule of underscores", repeated("_ ", after="a")),
    Worst("rules", repeated("---\n\n")),
    Worst("indented code", repeated("    a\n\n")),
    Worst("indented text", repeated("    a\n", before="a\n")),
    Worst("unclosed fence", repeated("a\n", before="```\n")),
    Worst("fences of all lengths", each_longer("`", "```\n")),
    Worst("fences of both kinds", repeated("```\n~~~\n````\n")),
    Worst("fences closed", repeated("```\na\n```\n")),
    Worst("fences with a backtick", repeated("```a`\n")),
    Worst("backticks", repeated("`")),
    Worst("runs of backticks", each_longer("`", "a")),
    Worst("tildes", repeated("~")),
]
HTML = [
    Worst("unclosed comments", repeated("<!-- a\n\n")),
    Worst("comments without an end in text", repeated("a <!--\n")),
    Worst("closed comments", repeated("<!-- a -->\n")),
    Worst("unclosed instructions", repeated("<?\n\n")),
    Worst("unclosed declarations", repeated("<!A\n\n")),
    Worst("unclosed CDATA", repeated("<![CDATA[\n\n")),
    Worst("unclosed scripts", repeated("<script>\n\n")),
    Worst("almost scripts", repeated("<scripts\n\n")),
    Worst("divisions", repeated("<div>\n")),
    Worst("divisions apart", repeated("<div>\n\n")),
    Worst("tag with many attributes", repeated(" b", before="<a")),
    Worst("tag with many values", repeated(" b='c'", before="<a", after="<")),
    Worst("tag with an endless value", repeated("b", before="<a b='")),
    Worst("tags with open values", repeated("<a b='")),
    Worst("tag with spaces", repeated(" ", before="<a", after="b")),
    Worst("tags", repeated("<a>\n\n")),
    Worst("closing tags", repeated("</a>\n\n")),
    Worst("angles", repeated("<")),
]
REFERENCES = [
    Worst("brackets", repeated("[")),
    Worst("brackets on lines", repeated("[\n")),
    Worst("brackets closed", repeated("[]")),
    Worst("brackets and parentheses", repeated("[a](")),
    Worst("definitions", repeated("[a]: b\n")),
    Worst("definitions apart", repeated("[a]: b\n\n")),
    Worst("definitions without target", repeated("[a]:\n")),
    Worst("definitions with open titles", repeated('[a]: b "\n')),
    Worst("definitions with open titles that fail", repeated("[a]: b 'c' d\n")),
    Worst("definitions with three kinds of titles", repeated("[a]: b '\n[a]: b \"\n[a]: b (\n")),
    Worst("definition with an endless title", repeated("c\n", before="[a]: b '")),
    Worst("definitions under an endless title", repeated("[a]: b\n", before="[a]: b '\n")),
    Worst("definition with an endless label", repeated("a\n", before="[", after="]: b")),
    Worst("definitions with endless labels", repeated("[a\n")),
    Worst("definition with an endless target", repeated("(", before="[a]: ")),
    Worst("definitions with open targets", repeated("[a]: <\n")),
    Worst("definition with escapes", repeated("\\", before="[")),
    Worst("definitions in quotes", repeated("> [a]: b\n> '\n")),
]
TABLES = [
    Worst("table of many rows", repeated("a|b\n", before="a|b\n-|-\n")),
    Worst("table of many columns", two_parts("a|", "\n", "-|")),
    Worst("tables", repeated("a|b\n-|-\n\n")),
    Worst("delimiters that do not fit", repeated("a|b|c\n-|-\n")),
    Worst("rows without delimiters", repeated("|a|b|\n")),
    Worst("delimiters alone", repeated("-|-\n")),
    Worst("pipes", repeated("|")),
    Worst("pipes on two lines", two_parts("|", "\n", "-|")),
    Worst("escaped pipes", repeated("\\|", after="\n-|-")),
    Worst("dashes and colons", repeated(":-", before="a\n")),
    Worst("tables in a quote", repeated("> a|b\n> -|-\n")),
    Worst("rows in a list", repeated("- a|b\n  -|-\n")),
]
FRONTMATTER = [
    Worst("unclosed YAML", repeated("a: b\n", before="---\n")),
    Worst("unclosed TOML", repeated("a = 1\n", before="+++\n")),
    Worst("only delimiters", repeated("---\n")),
]
MDX = [
    Worst(name, build, mdx=True)
    for name, build in {
        "opening tags": repeated("<A>\n"),
        "opening tags apart": repeated("<A>\n\n"),
        "opening tags on a line": repeated("<A>"),
        "closing tags": repeated("</A>\n"),
        "elements": repeated("<A>\n\n</A>\n\n"),
        "nested elements": two_parts("<A>\n", "", "</A>\n"),
        "elements closed across": repeated("<A>\n<B>\n</A>\n"),
        "names never closed": lambda size: "".join(f"<A{i}>\n" for i in range(size // 8)) + "</A0>\n" * (size // 12),
        "open tags": repeated("<A\n"),
        "open tags apart": repeated("<A\n\n"),
        "open attributes": repeated("<A b={"),
        "open attributes apart": repeated("<A b={\n\n"),
        "open strings": repeated('<A b="\n'),
        "many attributes": repeated(" b", before="<A"),
        "many lines of attributes": repeated("\n  b={1}", before="<A"),
        "fragments": repeated("<>\n"),
        "braces": repeated("{"),
        "braces on lines": repeated("{\n"),
        "braces apart": repeated("{\n\n"),
        "braces in text": repeated("a {\n"),
        "braces in paragraphs": repeated("a {\n\n"),
        "nested braces": two_parts("{", "", "}"),
        "closed braces": repeated("{}\n"),
        "braces and tags": repeated("{}<A/>"),
        "open templates": repeated("{`\n"),
        "open substitutions": repeated("{`${"),
        "open comments": repeated("{/*\n\n"),
        "open quotes": repeated("{'\n"),
        "slashes": repeated("{/"),
        "exports": repeated("export const a = 1\n"),
        "open exports": repeated("export const a = {\n\n"),
        "open parentheses": repeated("(", before="export "),
        "open parentheses apart": repeated("export a(\n\n"),
        "imports": repeated("import a from 'b'\n\n"),
        "tags in a list": repeated("- <A>\n"),
        "braces in a list": repeated("- {\n"),
        "braces in quotes": repeated("> {\n\n"),
        "tags in text": repeated("a <b\n"),
        "brackets": repeated("["),
        "nested quotes": repeated(">", after="a"),
        "indented lines": repeated("    a\n"),
        "lazy lines in a quote": repeated("b\n", before="> a\n"),
    }.items()
]
# fmt: on
ALL = [*CONTAINERS, *LEAVES, *HTML, *REFERENCES, *TABLES, *FRONTMATTER, *MDX]

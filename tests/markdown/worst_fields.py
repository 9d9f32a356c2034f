"""The worst frontmatter: what makes a careless reader of TOML or YAML look again at what it has already read."""

from __future__ import annotations

from collections.abc import Callable

from worst import Worst, each_longer, repeated, two_parts


def numbered(line: str, before: str = "") -> Callable[[int], str]:
    """Lines with a number in the place of `#`, so that no two are equal."""
    return lambda size: before + "".join(line.replace("#", f"{i:05}") for i in range(size // (len(line) + 4)))


# Depths of 60 are within the bounds: there the readers do the most that they may.
# fmt: off
TOML: dict[str, Callable[[int], str]] = {
    "fields": numbered("k# = 1\n"),
    "one dotted key": repeated("a.", after="b = 1"),
    "one dotted key with spaces": repeated("'a' . ", after="b = 1"),
    "dotted keys": numbered("a." * 60 + "k# = 1\n"),
    "dotted keys of a deep table": numbered("b." * 30 + "k# = 1\n", before=f"[{'a.' * 30}a]\n"),
    "one dotted table": repeated("a.", before="[", after="b]"),
    "one dotted list of tables": repeated("a.", before="[[", after="b]]"),
    "one dotted key of an inline table": repeated("a.", before="x = {", after="b = 1}"),
    "long tables with a shared prefix": numbered(f"[{'a.' * 60}k#]\n"),
    "fields of a deep table": numbered("k# = 1\n", before=f"[{'a.' * 60}a]\n"),
    "fields of an endless table": lambda size: f"[{'a.' * (size // 4)}a]\n" + numbered("k# = 1\n")(size // 2),
    "lists of tables": repeated("[[a]]\n"),
    "deep lists of tables": repeated(f"[[{'a.' * 60}a]]\n"),
    "nested arrays": two_parts("[", "", "]"),
    "open arrays": repeated("[", before="a = "),
    "open inline tables": repeated("{a = ", before="a = "),
    "inline tables with dotted keys": repeated("{" + "a." * 60 + "b = 1},", before="a = [", after="]"),
    "one array": repeated("1,", before="a = [", after="]"),
    "one number": repeated("9", before="a = "),
    "one hexadecimal number": repeated("f", before="a = 0x"),
    "one string": repeated("\\n", before='a = "', after='"'),
    "strings of many lines": repeated('""".""" '),
    "an open string": repeated("'''a.", before="a = "),
    "comments": repeated("#.[\n", after="a = 1"),
}
YAML: dict[str, Callable[[int], str]] = {
    "fields": numbered("k#: 1\n"),
    "fields within fields": each_longer(" ", "a:\n"),
    "open lists": repeated("["),
    "open mappings": repeated("{a: "),
    "bullets": repeated("- "),
    "anchors": numbered("k#: &a# 1\n"),
    "merges": numbered("k#: {<<: *b}\n", before="b: &b {x: 1}\n"),
    "directives": numbered("%TAG !a#! x\n"),
    "one number": repeated("9", before="a: "),
    "one number of base 60": repeated("9:", before="a: ", after="9"),
}
# fmt: on


def between(fence: str, body: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: f"{fence}\n{body(size)}\n{fence}\n\ntext\n"


ALL = [
    *(Worst(f"TOML, {name}", between("+++", body)) for name, body in TOML.items()),
    *(Worst(f"YAML, {name}", between("---", body)) for name, body in YAML.items()),
]

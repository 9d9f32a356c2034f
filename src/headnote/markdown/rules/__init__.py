"""One construct per file; `table_of_rules` puts them in the order in which they are tried."""

from __future__ import annotations

from headnote.markdown.rules import container, leaf, mdx, paragraph
from headnote.markdown.rules.rule import Dialect, Rule


def table_of_rules(dialect: Dialect) -> list[Rule]:
    """The first whose pattern matches reads the block; a paragraph is what nothing else claims."""
    text = paragraph.paragraph(dialect)
    common = [
        leaf.atx_heading(dialect),
        leaf.fenced_code(dialect),
        leaf.thematic_break(dialect),
        container.list_(dialect),
        container.block_quote(dialect),
        container.footnote(dialect),
        text,
    ]
    if dialect.mdx:
        return [mdx.esm(dialect), paragraph.prose(dialect), mdx.flow(otherwise=text), *common]
    return [paragraph.prose(dialect), leaf.html_to_blank(dialect), leaf.html_to_terminator(dialect), *common]

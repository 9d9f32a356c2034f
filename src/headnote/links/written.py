"""A document and its links as they are written, as rows: no link is resolved yet."""

from __future__ import annotations

import re

from headnote.links.resolving import BLOCK, SHORTCODE, property_aliases
from headnote.markdown.document import Document
from headnote.model import Link
from headnote.sources.files import FileSnapshot
from headnote.store.rows import DocumentRow, LinkRow

_LEAVES_THE_FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:|//")


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+://")
"""A wikilink is the name of a note, and `Plan: next year` is one."""


_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%")
"""A template stands for an address that only its program knows."""


def document_row(snapshot: FileSnapshot, document: Document) -> DocumentRow:
    """What is stored of the document itself."""
    frontmatter = document.frontmatter
    return DocumentRow(
        path=snapshot.path,
        size=snapshot.size,
        mtime_ns=snapshot.mtime_ns,
        hash=snapshot.hash,
        title=document.title,
        text=document.text,
        metadata=frontmatter.data,
        tags=tuple(document.tags),
        aliases=tuple(dict.fromkeys((*document.aliases, *property_aliases(document.text)))),
        warning="; ".join(filter(None, (snapshot.warning, frontmatter.warning))),
        mdx=document.mdx,
    )


def link_row(link: Link, path: str, chunk: int, line: int) -> LinkRow:
    """A link as written; it is not resolved yet."""
    return LinkRow(path, chunk, line, link.kind, link.target, link.fragment, link.text, _is_external(link))


def _is_external(link: Link) -> bool:
    target = link.target
    if target.startswith(("{{", "((")) and (SHORTCODE.fullmatch(target) or BLOCK.fullmatch(target)):
        return False
    scheme = _ADDRESS if link.kind in ("wikilink", "embed") else _LEAVES_THE_FOLDER
    return bool(scheme.match(target) or _TEMPLATE.search(target))

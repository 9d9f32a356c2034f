"""A text and the name of its file → the document, in the format that the name says."""

from __future__ import annotations

from headnote.formats.table import format_of
from headnote.markdown.document import Document


def open_document(text: str, path: str = "", mdx: bool | None = None, has_metadata: bool = True) -> Document:
    """The document of a file, or one that was opened before: its `text` opens to the same document again.

    Most documents are Markdown, so each other format loads its module when it is met. Without `has_metadata`, what the
    frontmatter says is ignored.
    """
    match format_of(path):
        case "rst":
            from headnote.formats.rst import RstDocument

            return RstDocument(text, path, mdx=False)
        case "html":
            from headnote.formats.html import HtmlDocument

            return HtmlDocument(text, path)
        case "notebook":
            from headnote.formats.notebook import notebook_text

            return Document(notebook_text(text, path), path, mdx=False, has_metadata=has_metadata)
    return Document(text, path, mdx, has_metadata)

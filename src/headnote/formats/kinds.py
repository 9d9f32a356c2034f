"""A text and the name of its file → the document, in the format that the name says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from headnote.errors import SettingsError

if TYPE_CHECKING:
    from headnote.markdown.document import Document

# -- The formats that are read besides Markdown, by the endings of their files.


class Format(NamedTuple):
    """A format as settings name it."""

    name: str
    suffixes: tuple[str, ...]
    """Endings of its files."""


FORMATS = (Format("html", (".html", ".htm")), Format("notebook", (".ipynb",)), Format("rst", (".rst", ".rest")))
"""A format is here only if its parser tells where everything stands in the file."""

_SUFFIXES = tuple(suffix for form in FORMATS for suffix in form.suffixes)

_REFUSED = {"adoc": "AsciiDoc", "asciidoc": "AsciiDoc", "docx": "Word", "pdf": "PDF"}
_WITHOUT_POSITIONS = "no parser for Python tells where in the file its text stands, so hits could not name a line"


def suffixes_of(names: Iterable[str]) -> tuple[str, ...]:
    """The endings of the files of these formats."""
    known = {form.name: form.suffixes for form in FORMATS}
    return tuple(suffix for name in dict.fromkeys(names) for suffix in known[name])


def format_of(path: str) -> str:
    """The format of a file by its name; empty for Markdown and for text."""
    name = path.lower()
    if not name.endswith(_SUFFIXES):
        return ""
    return next(form.name for form in FORMATS if name.endswith(form.suffixes))


def check_format(name: str) -> str:
    """The name of a format. One that is refused says why."""
    names = [form.name for form in FORMATS]
    if name in names:
        return name
    remedy = f"formats: {', '.join(names)}"
    if name in _REFUSED:
        raise SettingsError(
            f"{_REFUSED[name]} is not read: {_WITHOUT_POSITIONS}", remedy=f"convert it to Markdown; {remedy}"
        )
    raise SettingsError(f"unknown format {name!r}", remedy=remedy)


# -- A text and the name of its file → the document, in the format that the name says


def open_document(text: str, path: str = "", mdx: bool | None = None, has_metadata: bool = True) -> Document:
    """The document of a file, or one that was opened before: its `text` opens to the same document again.

    Most documents are Markdown, so each other format loads its module when it is met. Without `has_metadata`, what the
    frontmatter says is ignored.
    """
    # Whoever only asks for the format of a file does not wait for the scanner.
    from headnote.markdown.document import Document

    match format_of(path):
        case "rst":
            from headnote.formats.rst import RstDocument

            return RstDocument(text, path, mdx=False)
        case "html":
            from headnote.formats.html_page import HtmlDocument

            return HtmlDocument(text, path)
        case "notebook":
            from headnote.formats.notebook import notebook_text

            return Document(notebook_text(text, path), path, mdx=False, has_metadata=has_metadata)
    return Document(text, path, mdx, has_metadata)

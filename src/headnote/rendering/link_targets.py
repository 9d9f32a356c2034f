"""Where the links and pictures of a document lead on the page. Nothing is loaded from elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlencode, urlsplit

from headnote.markdown.links import split_target

if TYPE_CHECKING:
    from markdown_it.token import Token

    from headnote.store.rows import LinkRow

TAGGED = "#/search?tag="
"""Address of the search for a tag, which follows."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
MISSING = "missing-picture"
"""Class of the frame that stands for a picture which is not there."""

_FILES = "/files/"
_SIZE = re.compile(r"([0-9]{1,4})(?:x([0-9]{1,4}))?")
# Browsers drop these before they look at the scheme.
_IGNORED_BY_BROWSERS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff]+")


class DocumentLinks:
    """The links of one document: `[text](target)`, `![picture](target)`, `[[wikilink]]` and those in its HTML."""

    def __init__(self, path: str, links: Sequence[LinkRow], root: str = "") -> None:
        """`root` names the folder that has the document, if the index has several: no path leads out of it."""
        self._path = path
        self._root = root
        self._links: Mapping[tuple[str, str], LinkRow] = {_key(link.target, link.fragment): link for link in links}

    def resolve(self, token: Token) -> None:
        """Point the links, pictures and wikilinks inside a token to where they lead here."""
        if not token.children:
            return
        children: list[Token] = []
        for child in token.children:
            if child.type == "link_open":
                self._resolve_link(child)
                children.append(child)
            elif child.type == "image":
                children += self._resolved_picture(child)
            elif child.type == "wikilink":
                children += self._resolved_wikilink(child)
            else:
                children.append(child)
        token.children = children

    def row(self, wikilink: Token) -> LinkRow | None:
        """What the index knows about a wikilink."""
        target, _, fragment = wikilink.meta["target"].partition("#")
        return self._links.get(_key(target, fragment))

    def _resolve_link(self, token: Token, wikilink: LinkRow | None = None) -> None:
        address = str(token.attrGet("href") or "")
        target, fragment = split_target(unquote(address)) if "%7B%7B" in address else _split(address)
        link = wikilink or self._links.get(_key(target, fragment))
        document = link.resolved if link and not link.external else None
        if address.startswith(TAGGED):
            return
        if wikilink is None and not target and not _scheme(address):
            document = self._path
        if document is None or _is_picture(document):
            token.attrSet("href", picture_address(document) or self.address("a", "href", address) or "")
            return
        section = (link.section if link else None) or unquote(fragment)
        token.attrSet("data-document", document)
        token.attrSet("data-fragment", section)
        token.attrSet("href", _document_address(document, section))

    def _resolved_picture(self, token: Token) -> list[Token]:
        """A picture below the root; any other becomes a link with its description, so that nothing is loaded."""
        address = str(token.attrGet("src") or "")
        target, _, fragment = address.partition("#")
        link = self._links.get(_key(target, fragment))
        if link and link.resolved is None and not link.external:
            return _link_tokens(token.content or posixpath.basename(target), None, MISSING)
        source = picture_address(link.resolved) if link and link.resolved else self.address("img", "src", address)
        if source:
            token.attrSet("src", source)
            return [token]
        return _link_tokens(token.content or address, self.address("a", "href", address), "remote-picture")

    def _resolved_wikilink(self, token: Token) -> list[Token]:
        link = self.row(token)
        text = token.meta["text"] or token.meta["target"]
        if link is None or link.resolved is None:
            is_size = _SIZE.fullmatch(text) is not None
            shown = posixpath.basename(token.meta["target"]) if is_size else text
            return _link_tokens(shown, None, MISSING if _is_picture(token.meta["target"]) else "broken-link")
        if _is_picture(link.resolved):
            return [_picture_token(text, picture_address(link.resolved) or "")]
        tokens = _link_tokens(text, "", "")
        self._resolve_link(tokens[0], link)
        return tokens

    def address(self, tag: str, name: str, address: str) -> str | None:
        """The address that may stand in an attribute of the page, or None."""
        address = _IGNORED_BY_BROWSERS.sub("", address)
        scheme = _scheme(address)
        if scheme:
            return address if tag == "a" and scheme in ("http", "https", "mailto") else None
        if address.startswith("//") or "\\" in address:
            return None
        if address.startswith("#"):
            is_ours = address.startswith(("#/document?", TAGGED))
            return address if is_ours else _document_address(self._path, address[1:])
        if name == "src" or _is_picture(address.partition("#")[0].partition("?")[0]):
            path = unquote(address.partition("#")[0].partition("?")[0])
            is_ours = path.startswith(_FILES)  # a resolved picture; the document may have written it, too
            return picture_address(_below("", path.removeprefix(_FILES)) if is_ours else self._below(path))
        target, _, fragment = address.partition("#")
        link = self._links.get(_key(target, fragment))
        document = link.resolved if link and link.resolved else self._below(unquote(target.partition("?")[0]))
        return _document_address(document, fragment) if document else None

    def _below(self, target: str) -> str | None:
        """A path as this document writes it, from the top of the index."""
        if not self._root:
            return _below(self._path, target)
        inside = _below(self._path.removeprefix(f"{self._root}/"), target)
        return None if inside is None else f"{self._root}/{inside}"


# -- tokens


def _link_tokens(text: str, address: str | None, style: str) -> list[Token]:
    """A text with a link around it, or a span if there is no address."""
    from markdown_it.token import Token

    tag = "a" if address is not None else "span"
    opening, closing = Token("link_open", tag, 1), Token("link_close", tag, -1)
    if address is not None:
        opening.attrSet("href", address)
    if style:
        opening.attrSet("class", style)
    return [opening, Token("text", "", 0, content=text), closing]


def _picture_token(text: str, address: str) -> Token:
    """A picture. A text like `300` or `300x200` is its size."""
    from markdown_it.token import Token

    picture = Token("image", "img", 0, attrs={"src": address, "alt": ""}, content=text)
    if size := _SIZE.fullmatch(text):
        picture.attrs |= {"width": size[1], "height": size[2]} if size[2] else {"width": size[1]}
        text = unquote(posixpath.basename(address))
    picture.children = [Token("text", "", 0, content=text)]
    return picture


# -- addresses


def _document_address(path: str, fragment: str) -> str:
    query = {"path": path, "fragment": unquote(fragment)} if fragment else {"path": path}
    return f"#/document?{urlencode(query)}"


def picture_address(path: str | None) -> str | None:
    """Where the page has the picture at a path below the root; None if it is no picture."""
    return f"{_FILES}{quote(path)}" if path and _is_picture(path) else None


def _split(address: str) -> tuple[str, str]:
    target, _, fragment = address.partition("#")
    return target, fragment


def _key(target: str, fragment: str) -> tuple[str, str]:
    return unquote(target).strip(), unquote(fragment).strip()


def _scheme(address: str) -> str:
    try:
        return urlsplit(_IGNORED_BY_BROWSERS.sub("", address)).scheme.lower()
    except ValueError:
        return "invalid"


def _is_picture(path: str) -> bool:
    return path.lower().endswith(PICTURES)


def _below(source: str, target: str) -> str | None:
    """A path from the root, or None if it leaves the root."""
    folder = "" if target.startswith("/") else posixpath.dirname(source)
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path in (".", "..") or path.startswith("../") else path

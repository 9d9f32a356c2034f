"""Heading text → anchor, as GitHub makes it."""

from __future__ import annotations

import re
import unicodedata

_ASCII_DROPPED = re.compile(r"[^0-9a-z_\-]+")
_KEPT_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
# Circled and squared letters are symbols by category and letters by use.
_LETTER_SYMBOLS = re.compile(r"[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")


def github_slug(text: str) -> str:
    """The anchor of a heading with this text, before it is made unique in its document."""
    lowered = text.lower()
    if lowered.isascii():
        slug = lowered.replace(" ", "-")
        # Most headings are words, and nothing has to be dropped.
        return slug if slug.replace("-", "").isalnum() else _ASCII_DROPPED.sub("", slug)
    return "".join(filter(_is_kept, lowered)).replace(" ", "-")


def _is_kept(character: str) -> bool:
    return (
        unicodedata.category(character) in _KEPT_CATEGORIES
        or character in "- "
        or _LETTER_SYMBOLS.match(character) is not None
    )


class Slugs:
    """The anchors given away so far in one document: the second `setup` is `setup-1`."""

    def __init__(self) -> None:
        self._repetitions: dict[str, int] = {}

    def unique(self, slug: str) -> str:
        """This slug, with a number if it is taken; from now on the result is taken."""
        repetitions = self._repetitions
        result = slug
        while result in repetitions:
            repetitions[slug] += 1
            result = f"{slug}-{repetitions[slug]}"
        repetitions[result] = 0
        return result

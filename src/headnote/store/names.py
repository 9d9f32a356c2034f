"""What a passage is called: often all that a question says of it.

Many documents have their title in the frontmatter, where neither the text of a chunk nor its breadcrumb says it. So
names have vectors of their own, apart from those of the text: a chunk is near a question if its name is.
"""

from __future__ import annotations

from collections.abc import Sequence

from headnote.model import text_hash

MOST = 300
"""Characters of a name. A heading may be a page long and stand above many chunks, each with a name to be embedded."""


def names_of(title: str, heading_path: Sequence[str]) -> tuple[str, str]:
    """The title of the document alone, and with the headings above a chunk; a first heading that is the title counts
    once. Both are the same for what stands above all headings. Neither is longer than a name can be."""
    headings = [heading for heading in heading_path if heading]
    if headings[:1] == [title]:
        del headings[0]
    return title[:MOST], " > ".join((title, *headings))[:MOST]


def name_hash(name: str) -> bytes:
    """What a name is known by where its vector is kept."""
    return bytes.fromhex(text_hash(name))

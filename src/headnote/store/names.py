"""What a passage is called, which is often all that a question says of it.

Many documents have their title in the frontmatter, so that neither the text of a chunk nor its breadcrumb contains it.
Therefore names have vectors of their own: a chunk is near a question if its name is.
"""

from __future__ import annotations

from collections.abc import Sequence

from headnote.model import text_hash

NAMES = 2
"""Number of names of a chunk."""
MOST = 300
"""Characters of a name. A heading may be a page long and stand above many chunks, each of which has a name to embed."""


def names_of(title: str, heading_path: Sequence[str]) -> tuple[str, str]:
    """The title of the document alone, and with the headings above a chunk. A first heading that repeats the title
    counts once. Both names are the same for text above all headings. Longer names are cut."""
    headings = [heading for heading in heading_path if heading]
    if headings[:1] == [title]:
        del headings[0]
    return title[:MOST], " > ".join((title, *headings))[:MOST]


def name_hash(name: str) -> bytes:
    """The key under which the vector of a name is stored."""
    return bytes.fromhex(text_hash(name))

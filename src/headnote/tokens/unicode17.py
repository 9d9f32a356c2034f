"""Unicode 17 where versions of Python differ, so that every machine counts the same.

`unicodedata` depends on the version of Python (Unicode 14 in 3.11, 15 in 3.12, …); the native tokenizer is built with
Unicode 17. Both tables come from the Unicode 17 character database, and a test compares them with the native
tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator


def ranges(table: str) -> Iterator[tuple[int, int]]:
    """First and last code point of every range of a table."""
    for part in table.split():
        first, _, last = part.partition("-")
        yield int(first, 16), int(last or first, 16)


WIDE = """
    1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f
    268a-268f 2693 26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705
    270a-270b 2728 274c 274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-303e 3041-3247
    3250-a4c6 a960-a97c ac00-d7a3 f900-faff fe10-fe19 fe30-fe6b ff01-ff60 ffe0-ffe6 16fe0-1b2fb
    1d300-1d376 1f004 1f0cf 1f18e 1f191-1f19a 1f200-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393
    1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0 1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc 1f4ff-1f53d 1f54b-1f54e
    1f550-1f567 1f57a 1f595-1f596 1f5a4 1f5fb-1f64f 1f680-1f6c5 1f6cc 1f6d0-1f6d2 1f6d5-1f6df
    1f6eb-1f6ec 1f6f4-1f6fc 1f7e0-1f7f0 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1faf8 20000-3fffd
"""
"""East Asian Width W or F: drawn two columns wide. Ranges include unassigned code points."""

KINDS: dict[str, str] = {
    "upper": """
        1c89 a7cb-a7cc a7ce a7d2 a7d4 a7da a7dc 10d50-10d65 16ea0-16eb8
    """,
    "lower": """
        1c8a a7cd a7cf a7db 10d70-10d85 16ebb-16ed3 1df25-1df2a
    """,
    "caseless": """
        295 88f c5c cdc a7f1 105c0-105f3 10940-10959 10d4a-10d4f 10d6f 10ec2-10ec7 1123f-11240 11380-11389
        1138b 1138e 11390-113b5 113b7 113d1 113d3 11bc0-11be0 11db0-11ddb 11f02 11f04-11f10 11f12-11f33
        1342f 13441-13446 13460-143fa 16100-1611d 16d40-16d6c 16ff2-16ff3 187f8-187ff 18cff 18d09-18d1e
        18d80-18df2 1b132 1b155 1e030-1e06d 1e4d0-1e4eb 1e5d0-1e5ed 1e5f0 1e6c0-1e6de 1e6e0-1e6e2
        1e6e4-1e6e5 1e6e7-1e6ed 1e6f0-1e6f4 1e6fe-1e6ff 2b739-2b73f 2cea2-2cead 2ebf0-2ee5d 31350-33479
    """,
    "mark": """
        897 cf3 ece 1acf-1add 1ae0-1aeb 10d69-10d6d 10efa-10eff 11241 113b8-113c0 113c2 113c5 113c7-113ca
        113cc-113d0 113d2 113e1-113e2 11b60-11b67 11f00-11f01 11f03 11f34-11f3a 11f3e-11f42 11f5a 13440
        13447-13455 1611e-1612f 1e08f 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5
    """,
    "number": """
        10d40-10d49 116d0-116e3 11bf0-11bf9 11de0-11de9 11f50-11f59 16130-16139 16d70-16d79 16ff4-16ff6
        1ccf0-1ccf9 1d2c0-1d2d3 1e4f0-1e4f9 1e5f1-1e5fa
    """,
    "other": """
        558 58b-58c 5c8-5c9 b53-b54 1ade-1adf 1aec-1af0 208f 209d-209f a7dd a7e2 ab6c-ab6d 107bb-107bf
        10ecb-10ecf 10ed9-10eee 10ef0-10ef9 11b0a 11df0-11df1 1246f 12475-1247f 12550-12686 18cd6-18cda
        18d1f-18d20 18e00-19191 191a0-191d2 1b123-1b128 1b168 1d127-1d128 1d250-1d252 1d25b-1d25c 1d25f
        1d280-1d281 1d6a6 1df1f-1df24 1df2b-1df81 1df90-1df96 1dfcd-1dfff 2b81e 3d000-3fc3f
    """,
}
"""Kind → code points that some Python classes differently: assigned after Unicode 14, or (`other`) after 17."""

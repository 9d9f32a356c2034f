"""Packs: an index as one file that can be passed on, and is only read. docs/packs.md has the format."""

"""Markdown → HTML that is safe to show, even from untrusted documents."""

"""Markdown → HTML that is safe to show, whoever wrote it."""

"""Folder → documents: which files there are, and what text their bytes say."""

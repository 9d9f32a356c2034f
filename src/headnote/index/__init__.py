"""The index: documents in, and kept."""

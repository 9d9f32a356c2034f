"""A query → the chunks that answer it."""

"""Storing an index: one interface, and the databases that implement it."""

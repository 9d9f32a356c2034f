"""Chunking more documents than one process can handle: Arrow batches on this machine, on Ray or on Spark."""

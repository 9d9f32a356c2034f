"""The index in PostgreSQL with pgvector: one schema per index, and writers on several machines."""

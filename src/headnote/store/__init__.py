"""Where the index is kept: one interface, and what implements it."""

"""A folder → an index of it, kept up to date."""

"""One step each: a pass takes the context and the drafts so far, and returns the drafts for the next."""

"""Each pass takes the context and the drafts so far, and gives the drafts that come of them."""

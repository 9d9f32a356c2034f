"""Each pass takes the page and the drafts so far, and gives the drafts that come of them."""

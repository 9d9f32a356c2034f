"""How good a search is, measured with questions whose answers are known."""

"""Questions with known answers, asked of a search → how good it is."""

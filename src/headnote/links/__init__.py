"""Where a link leads: the places of a document, the rules of site generators, and what is wrong with links."""

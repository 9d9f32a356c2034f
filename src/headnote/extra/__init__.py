"""Products beside the path from a folder to an answer: evaluation, bulk jobs, packs, the search of a static site."""

"""Text analysis: words and their terms, languages, phrases, spelling, values. Knows nothing of files and rows."""

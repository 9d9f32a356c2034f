"""Documents in other formats than Markdown. Import from the modules."""

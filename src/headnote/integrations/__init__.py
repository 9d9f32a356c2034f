"""headnote inside other frameworks: one module for each, which needs the extra of its name."""

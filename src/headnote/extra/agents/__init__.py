"""Programs that use an index as tools: where each keeps its settings, and how headnote gets into them and out again."""

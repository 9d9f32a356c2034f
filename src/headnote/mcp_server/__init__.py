"""The index as tools for an agent, through the Model Context Protocol."""

"""The index as a web page and an HTTP API."""

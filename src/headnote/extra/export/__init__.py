"""Search for a site without a server: shards of words and vectors, and a script that asks for the few it needs."""

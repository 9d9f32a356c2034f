"""Calls to other people's servers: where they are, how long they may take, how much they may say, how to hang up."""

"""Calls to other people's servers: JSON out, JSON or a stream back, within limits of time and size."""

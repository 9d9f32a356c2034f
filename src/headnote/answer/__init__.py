"""A question and the passages for it → an answer with checked citations."""

"""A question and the passages found for it → an answer whose citations hold."""

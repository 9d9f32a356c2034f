"""A block that is too large → units that fit.

Each kind of block has seams of its own: code has lines, prose has sentences, a list has items, a table has rows, a
container has blocks. Whatever is still too large is split again at finer seams, down to single characters. A unit
knows what a chunk needs around it to stand alone: the fence reopened and closed, the head of the table repeated.
"""

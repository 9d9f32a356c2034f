"""Which address each document has on the site that is made of it, and where the other files of that site lie."""

"""What is wrong with the links of a folder, from its files alone: nothing is stored, and no vector is made."""

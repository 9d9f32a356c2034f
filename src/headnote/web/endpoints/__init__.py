"""The functions of the API, by what they are about, and the table that gives each its address."""

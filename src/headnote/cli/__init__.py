"""The command line: parses arguments, calls the rooms, prints. No logic of its own."""

"""The command line: parses arguments, calls the packages, prints. No logic of its own."""

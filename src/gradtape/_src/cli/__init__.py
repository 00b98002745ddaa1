"""The parts of the command line: reading programs, running them, checking them."""

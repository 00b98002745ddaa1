"""Loads the parts of gradtape that a program uses, when it first uses them."""

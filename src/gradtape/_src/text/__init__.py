"""Strings, lookup tables, and hashes of strings."""

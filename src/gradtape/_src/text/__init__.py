"""Strings, tables to look them up in, and hashes of them."""

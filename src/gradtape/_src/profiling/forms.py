"""The file formats in which a profile can be written."""

FORMS = (".html", ".json", ".txt")
"""A page, a trace for Perfetto, and tables; by the ending of a file."""

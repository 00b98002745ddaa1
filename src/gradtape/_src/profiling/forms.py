"""The forms in which a profile is written."""

FORMS = (".html", ".json", ".txt")
"""A page, a trace for Perfetto, and tables; by the ending of a file."""

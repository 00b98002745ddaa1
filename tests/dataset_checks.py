"""Functions of datasets that tests convert."""


def total(elements):
    """The sum of a dataset's elements."""
    found = 0.0
    for x in elements:
        found += x
    return found

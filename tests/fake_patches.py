"""Patches of a library that does not exist."""

from gradtape._src.compat.patch import Patch


def patch(name, looks, result="ours", versions=("2.1", "2.9"), **further):
    """A patch after which a function returns `result`."""

    def replace(original, module):
        return lambda *args, **kwargs: result

    return Patch(
        "fake.part", name, looks, replace, "A reason that is long enough.", versions, **further
    )

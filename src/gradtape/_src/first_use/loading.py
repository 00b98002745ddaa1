"""Loads what a program first uses: public names, and what rooms provide for earlier rooms."""

from __future__ import annotations

from importlib import import_module

from gradtape._src.first_use.manifest import IMPLEMENTING, NAMES, PROVIDERS


def public_name(name: str) -> object:
    """Returns the value of a public name of `tf`.

    Args:
      name: One of `NAMES`.

    Raises:
      KeyError: `tf` has no such name.
    """
    place, _, attribute = NAMES[name].partition(":")
    module = import_module(place)
    value: object = getattr(module, attribute) if attribute else module
    return value


def provider(purpose: str) -> None:
    """Loads the module that provides an object for an extension point.

    Args:
      purpose: That of the extension point. Nothing is loaded if no module provides it on import.
    """
    if purpose in PROVIDERS:
        import_module(PROVIDERS[purpose])


def implementations() -> None:
    """Loads the modules with implementations of public functions for sparse and ragged tensors."""
    for name in IMPLEMENTING:
        import_module(name)


def operation(name: str) -> None:
    """Loads the module that declares an operation.

    Args:
      name: TensorFlow's name of the operation. Nothing is loaded for an unknown name.
    """
    from gradtape._src.first_use.operations import OPERATIONS

    if name in OPERATIONS:
        import_module(OPERATIONS[name])

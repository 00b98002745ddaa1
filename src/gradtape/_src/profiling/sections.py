"""The functions of other rooms that are sections in profiles."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.extension_point import wrappable

SECTIONS: list[tuple[Any, str, str, str]] = []
"""The class, the method, the name of the section, and its kind."""


def section(owner: Any, name: str, label: str, kind: str) -> None:
    """Makes a method appear in profiles from now on.

    Args:
      owner: The class.
      name: The method.
      label: The name of the section.
      kind: The kind, as in `collector.Event`.
    """
    wrappable(name)(owner)
    SECTIONS.append((owner, name, label, kind))

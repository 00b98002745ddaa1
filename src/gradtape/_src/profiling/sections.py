"""The functions of other rooms that a profile shows as sections of their own."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.extension_point import wrappable

SECTIONS: list[tuple[Any, str, str, str]] = []
"""The class, the method, what it is called, and the kind of section."""


def section(owner: Any, name: str, label: str, kind: str) -> None:
    """Has a method appear in profiles from now on.

    Args:
      owner: The class.
      name: The method.
      label: Its name there.
      kind: As in `collector.Event`.
    """
    wrappable(name)(owner)
    SECTIONS.append((owner, name, label, kind))

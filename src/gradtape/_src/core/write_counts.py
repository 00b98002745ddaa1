"""How often variables were given values: tells whether one was since a certain moment."""

from __future__ import annotations

WRITES = [0]
"""The count; of several threads' writes at once, some may count as one."""

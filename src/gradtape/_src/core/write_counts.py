"""Counts the assignments to variables, so that a caller sees whether there was another one."""

from __future__ import annotations

WRITES = [0]
"""The count; simultaneous writes of several threads may count as one."""

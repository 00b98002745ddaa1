"""Counts the assignments to variables, which shows whether there was one since some moment."""

from __future__ import annotations

WRITES = [0]
"""The count; simultaneous writes of several threads may count as one."""

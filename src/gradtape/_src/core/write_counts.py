"""Counts the assignments to variables, which tells whether there was one since some moment."""

from __future__ import annotations

WRITES = [0]
"""The count; of several threads' writes at once, some may count as one."""

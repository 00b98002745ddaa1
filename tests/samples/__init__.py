"""The samples table: every differentiable operation stands in it, in a file by subject."""

from __future__ import annotations

import importlib
import pkgutil

from .base import Sample

SAMPLES: list[Sample] = [
    sample
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__))
    if module != "base"
    for sample in importlib.import_module(f"{__name__}.{module}").SAMPLES
]

__all__ = ["SAMPLES", "Sample"]

"""`tensorflow.python.util.all_util`: removes names that docstrings do not list."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from types import ModuleType

_LISTED = re.compile(r"^\s*@@(\S+)\s*$", re.MULTILINE)


def make_all(module_name: str, doc_string_modules: Sequence[ModuleType] | None = None) -> list[str]:
    """Returns the names that docstrings list in lines such as `@@name`.

    Args:
      module_name: The name of a module that is imported.
      doc_string_modules: The modules whose docstrings are read; None for the module itself.
    """
    modules = [sys.modules[module_name]] if doc_string_modules is None else doc_string_modules
    return sorted({name for module in modules for name in _LISTED.findall(module.__doc__ or "")})


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Removes the names from a module that neither docstrings nor a list contain.

    Args:
      module_name: The name of a module that is imported.
      allowed_exception_list: Names that stay.
      doc_string_modules: The modules whose docstrings are read; None for the module itself.
    """
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    module = sys.modules[module_name]
    for name in [n for n in vars(module) if n not in kept and not n.startswith("_")]:
        delattr(module, name)

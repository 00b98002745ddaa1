"""TensorFlow's messages, `protos.Example` and others: Google's classes, made on first use.

`protos.pyi` tells checkers their fields. Import this module, not the names in it: a name that is
imported is made when the importing module is loaded, and with it Google's library.
"""

from __future__ import annotations

from typing import Any

from gradtape._src.messages.classes import message_class


def __getattr__(name: str) -> Any:
    found = message_class(name, __name__)
    globals()[name] = found
    return found

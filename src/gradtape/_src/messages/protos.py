"""TensorFlow's messages, `protos.Example` and others: Google's classes, made on first use.

`protos.pyi` declares the fields of the messages for type checkers. Import this module, not the
names in it: importing a name makes its class at once, which loads Google's library.
"""

from __future__ import annotations

from typing import Any

from gradtape._src.messages.classes import message_class


def __getattr__(name: str) -> Any:
    found = message_class(name, __name__)
    globals()[name] = found
    return found

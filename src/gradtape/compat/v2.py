"""`tf.compat.v2`: TensorFlow 2's names, which are gradtape's own."""

import sys as _sys
import typing as _typing

if _typing.TYPE_CHECKING:
    from gradtape import *  # noqa: F403
    from gradtape import __internal__ as __internal__
    from gradtape import __version__ as __version__
else:

    def __getattr__(name: str) -> _typing.Any:
        return getattr(_sys.modules["gradtape"], name)


def __dir__() -> list[str]:
    return dir(_sys.modules["gradtape"])

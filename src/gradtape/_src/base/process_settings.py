"""Everything that `import gradtape` changes in the process beyond its own modules.

The C library keeps freed memory, NumPy's warnings from within gradtape are not shown, and hooks at
forks keep locks usable in a child process. `GRADTAPE_NO_PROCESS_SETTINGS=1` in the environment
switches all of them off. docs/process.md explains each of them.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

SWITCH = "GRADTAPE_NO_PROCESS_SETTINGS"
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3  # of malloc.h
KEPT = 256 << 20
"""The maximum number of free bytes that the process keeps at the end of its heap."""
_LARGEST = 32 << 20  # the C library's size limit for arrays from the heap

_Lock = TypeVar("_Lock", bound=Any)
_locks: list[Any] = []


def wanted() -> bool:
    """Whether the environment lets gradtape change settings of the process."""
    return os.environ.get(SWITCH, "0") in ("", "0")


def keep_freed() -> bool:
    """Asks the C library to keep memory that is freed; returns whether it does.

    The GNU C library gives an array of more than 128 KiB back to the system when it is freed; the
    next one costs a page fault per 4 KiB, ten times as much as adding its elements. Memory that
    stays with the process serves the next array. `GRADTAPE_MALLOC=system` in the environment
    switches off this setting alone.
    """
    asked = wanted() and os.environ.get("GRADTAPE_MALLOC") != "system"
    if sys.platform != "linux" or not asked:
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # not the GNU C library
        return False
    return all(
        mallopt(option, value)
        for option, value in (
            (_M_MMAP_THRESHOLD, _LARGEST),
            (_M_TRIM_THRESHOLD, KEPT),
            (_M_TOP_PAD, 16 << 20),
        )
    )


def hide_warnings_of_kernels() -> None:
    """Hides NumPy's warnings about infinities and NaN from gradtape's own modules.

    TensorFlow computes such values without a warning.
    """
    if wanted():
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape\.")


def in_child(call: Callable[[], object]) -> None:
    """Calls a function in each process that is forked from this one."""
    if hasattr(os, "register_at_fork") and wanted():
        os.register_at_fork(after_in_child=call)


_hints: list[Callable[[BaseException], str | None]] = []


def after_uncaught(hint: Callable[[BaseException], str | None]) -> None:
    """Makes Python and IPython print a hint below uncaught errors.

    The current hooks still print the error; the hint is an additional line.

    Args:
      hint: Returns the line for an error, or None.
    """
    if not wanted():
        return
    _hints.append(hint)
    if len(_hints) > 1:
        return
    before = sys.excepthook

    def tell(error: Any) -> None:
        for line in (hint(error) for hint in _hints):
            if line is not None:
                sys.stderr.write(f"{line}\n")

    def excepthook(kind: Any, error: Any, trace: Any) -> None:
        before(kind, error, trace)
        tell(error)

    def shown(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: int | None = None) -> None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        tell(error)

    sys.excepthook = excepthook
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), shown)


def lasting(lock: _Lock) -> _Lock:
    """Returns the lock, which from now on is held during every fork.

    In a child process the lock is free, and the data that it guards consistent. Locks are taken in
    the order in which they are registered: register a lock before those that are taken while it is
    held.
    """
    _locks.append(lock)
    return lock


def _before() -> None:
    for lock in _locks:
        lock.acquire()


def _after() -> None:
    for lock in reversed(_locks):
        lock.release()


if hasattr(os, "register_at_fork") and wanted():
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)

"""Functions by which programs asked for XLA before `tf.function(jit_compile=True)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.function import function


@export("xla.experimental.compile")
def xla_compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> object:
    """Compiles a function with XLA, and calls it; new programs use `tf.function(jit_compile=True)`.

    Args:
      computation: A function of tensors.
      inputs: Its arguments. Defaults to none.

    Returns:
      What the function returns: a single tensor in a list, and None unchanged.

    Raises:
      TypeError: `inputs` is not a sequence, or `computation` takes another number of arguments.

    >>> tf.xla.experimental.compile(lambda x: x + 1, [tf.constant(2)])[0].numpy()
    np.int32(3)
    """
    given = [] if inputs is None else inputs
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"inputs must be a list or tuple, got {type(given).__name__}")
    found = function(computation, jit_compile=True)(*given)
    return found if found is None or isinstance(found, (list, tuple, dict)) else [found]


@export("xla.experimental.jit_scope")
@contextmanager
def jit_scope(
    compile_ops: bool = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Enters a scope whose operations XLA may compile, in a function; has no effect otherwise.

    Args:
      compile_ops: Whether to compile them.
      separate_compiled_gradients: Accepted for compatibility.

    Yields:
      None.

    Raises:
      RuntimeError: Execution is eager.
    """
    if active_compiler() is None:
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use "
            "it inside tf.function."
        )
    yield

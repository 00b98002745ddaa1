"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, looking through decorators."""

import inspect as _inspect
from inspect import Parameter as Parameter
from inspect import Signature as Signature
from inspect import currentframe as currentframe
from inspect import getdoc as getdoc
from inspect import getfile as getfile
from inspect import getframeinfo as getframeinfo
from inspect import getmembers as getmembers
from inspect import getmodule as getmodule
from inspect import getmro as getmro
from inspect import getsource as getsource
from inspect import isabstract as isabstract
from inspect import isclass as isclass
from inspect import isfunction as isfunction
from inspect import isgenerator as isgenerator
from inspect import isgeneratorfunction as isgeneratorfunction
from inspect import ismethod as ismethod
from inspect import ismodule as ismodule
from inspect import isroutine as isroutine
from inspect import signature as signature
from inspect import stack as stack
from typing import Any, NamedTuple

from gradtape._src.compat.decorator import unwrap


def getfullargspec(obj: Any) -> _inspect.FullArgSpec:
    """Returns the arguments of the function under the decorators.

    Annotations are omitted: libraries compare the result with that for their own functions, which
    have no annotations, like most functions of TensorFlow.

    Args:
      obj: A function, a class or a compiled function.
    """
    target = unwrap(obj)[1]
    spec = _inspect.getfullargspec(target)
    own = str(getattr(target, "__module__", "")).startswith("gradtape.")
    return spec._replace(annotations={}) if own else spec


class ArgSpec(NamedTuple):
    """The arguments of a function.

    Attributes:
      args: Their names.
      varargs: The name of `*args`, or None.
      keywords: The name of `**kwargs`, or None.
      defaults: The defaults of the last arguments, or None.
    """

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(obj: Any) -> ArgSpec:
    """Returns the arguments of the function under the decorators, keyword-only ones last.

    Args:
      obj: A function, a class or a compiled function.
    """
    spec = getfullargspec(obj)
    defaults = (*(spec.defaults or ()), *(spec.kwonlydefaults or {}).values())
    return ArgSpec([*spec.args, *spec.kwonlyargs], spec.varargs, spec.varkw, defaults or None)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Returns the arguments of a call by their names, with defaults for those that are not given.

    Unlike Python's function of this name, it accepts names that the function lacks.

    Args:
      *func_and_positional: The function, then the positional arguments.
      **named: The named arguments.
    """
    func, *positional = func_and_positional
    if ismethod(func):
        positional = [func.__self__, *positional]
    spec = getfullargspec(func)
    defaults = spec.defaults or ()
    optional = dict(zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True))
    free = [name for name in spec.args if name not in named]
    given = dict(zip(free, positional, strict=False))
    return optional | (spec.kwonlydefaults or {}) | named | given

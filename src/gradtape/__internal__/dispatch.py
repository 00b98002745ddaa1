"""Other implementations of functions for other types: `tf.__internal__.dispatch`."""

from gradtape._src.compat.internals.dispatch import GlobalOpDispatcher as GlobalOpDispatcher
from gradtape._src.compat.internals.dispatch import OpDispatcher as OpDispatcher
from gradtape._src.compat.internals.dispatch import add_dispatch_support as add_dispatch_support

"""A conditional over two functions: `tf.__internal__.smart_cond`."""

from gradtape._src.compat.contexts import smart_cond as smart_cond

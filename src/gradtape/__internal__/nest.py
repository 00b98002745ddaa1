"""Functions of nested structures: `tf.__internal__.nest`."""

from gradtape._src.compat.python.nest import flatten_up_to as flatten_up_to
from gradtape._src.compat.python.nest import (
    get_traverse_shallow_structure as get_traverse_shallow_structure,
)
from gradtape._src.compat.python.nest import is_attrs as is_attrs
from gradtape._src.compat.python.nest import is_mapping as is_mapping
from gradtape._src.compat.python.nest import list_to_tuple as list_to_tuple
from gradtape._src.compat.python.nest import map_structure_up_to as map_structure_up_to
from gradtape._src.compat.python.nest import sequence_like as sequence_like
from gradtape._src.compat.python.nest import yield_flat_paths as yield_flat_paths

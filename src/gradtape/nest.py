"""`tf.nest`: nested structures."""

from gradtape._src.base.nest import assert_same_structure as assert_same_structure
from gradtape._src.base.nest import flatten as flatten
from gradtape._src.base.nest import is_nested as is_nested
from gradtape._src.base.nest import map_structure as map_structure
from gradtape._src.base.nest import pack_sequence_as as pack_sequence_as

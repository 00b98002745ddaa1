"""Text, bytes and what older programs need: `tf.compat`."""

from gradtape._src.compat.compat import as_bytes as as_bytes
from gradtape._src.compat.compat import as_str as as_str
from gradtape._src.compat.compat import as_str_any as as_str_any
from gradtape._src.compat.compat import as_text as as_text
from gradtape._src.compat.compat import bytes_or_text_types as bytes_or_text_types
from gradtape._src.compat.compat import complex_types as complex_types
from gradtape._src.compat.compat import dimension_at_index as dimension_at_index
from gradtape._src.compat.compat import dimension_value as dimension_value
from gradtape._src.compat.compat import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from gradtape._src.compat.compat import forward_compatible as forward_compatible
from gradtape._src.compat.compat import integral_types as integral_types
from gradtape._src.compat.compat import path_to_str as path_to_str
from gradtape._src.compat.compat import real_types as real_types
from gradtape.compat import v1 as v1
from gradtape.compat import v2 as v2

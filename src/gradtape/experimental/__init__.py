"""`tf.experimental`."""

from gradtape._data.optional import Optional as Optional
from gradtape.experimental import dtensor as dtensor

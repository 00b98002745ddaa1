"""Tables that change: `tf.lookup.experimental`."""

from gradtape._src.text.lookup_mutable import DenseHashTable as DenseHashTable
from gradtape._src.text.lookup_mutable import MutableHashTable as MutableHashTable

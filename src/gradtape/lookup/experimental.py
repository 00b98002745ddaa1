"""Tables that change: `tf.lookup.experimental`."""

from gradtape._text.lookup_mutable import DenseHashTable as DenseHashTable
from gradtape._text.lookup_mutable import MutableHashTable as MutableHashTable

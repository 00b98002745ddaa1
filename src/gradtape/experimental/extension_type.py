"""Functions of extension types: `tf.experimental.extension_type`."""

from gradtape._src.ops.types.extension_type import as_dict as as_dict

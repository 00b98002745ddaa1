"""State of Python objects in checkpoints: `tf.train.experimental`."""

from gradtape._src.saving.views import PythonState as PythonState

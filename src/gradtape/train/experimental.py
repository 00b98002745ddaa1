"""`tf.train.experimental`."""

from gradtape._saving.views import PythonState as PythonState

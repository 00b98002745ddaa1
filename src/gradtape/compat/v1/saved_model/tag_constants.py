"""`tf.compat.v1.saved_model.tag_constants`: names of the purposes of graphs."""

from gradtape._src.saving.saved_model import SERVING as SERVING
from gradtape._src.sessions.files.signatures import GPU as GPU
from gradtape._src.sessions.files.signatures import TPU as TPU
from gradtape._src.sessions.files.signatures import TRAINING as TRAINING

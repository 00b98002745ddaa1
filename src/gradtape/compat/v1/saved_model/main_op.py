"""`tf.compat.v1.saved_model.main_op`: operations that initialize a loaded model."""

from gradtape._src.sessions.files.saved_models import main_op as main_op
from gradtape._src.sessions.files.saved_models import main_op_with_restore as main_op_with_restore

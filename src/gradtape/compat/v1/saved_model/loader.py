"""`tf.compat.v1.saved_model.loader`: reads saved models into sessions."""

from gradtape._src.sessions.files.saved_models import load as load
from gradtape._src.sessions.files.saved_models import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)

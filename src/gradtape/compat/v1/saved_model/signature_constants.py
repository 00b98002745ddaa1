"""`tf.compat.v1.saved_model.signature_constants`: names in signatures."""

from gradtape._src.saving.saved_model import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from gradtape._src.saving.saved_model import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from gradtape._src.sessions.files.signatures import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from gradtape._src.sessions.files.signatures import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from gradtape._src.sessions.files.signatures import (
    CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES,
)
from gradtape._src.sessions.files.signatures import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from gradtape._src.sessions.files.signatures import PREDICT_INPUTS as PREDICT_INPUTS
from gradtape._src.sessions.files.signatures import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from gradtape._src.sessions.files.signatures import REGRESS_INPUTS as REGRESS_INPUTS
from gradtape._src.sessions.files.signatures import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from gradtape._src.sessions.files.signatures import REGRESS_OUTPUTS as REGRESS_OUTPUTS

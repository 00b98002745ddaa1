"""`tf.saved_model`: objects with their variables and functions in a directory."""

from gradtape._src.saving.loading import LoadOptions as LoadOptions
from gradtape._src.saving.loading import load as load
from gradtape._src.saving.saved_model import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from gradtape._src.saving.saved_model import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from gradtape._src.saving.saved_model import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from gradtape._src.saving.saved_model import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from gradtape._src.saving.saved_model import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from gradtape._src.saving.saved_model import SERVING as SERVING
from gradtape._src.saving.saved_model import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from gradtape._src.saving.saved_model import VARIABLES_FILENAME as VARIABLES_FILENAME
from gradtape._src.saving.saved_model import SaveOptions as SaveOptions
from gradtape._src.saving.saved_model import contains_saved_model as contains_saved_model
from gradtape._src.saving.saved_model import save as save
from gradtape._src.sessions.files.signatures import ASSETS_KEY as ASSETS_KEY
from gradtape._src.sessions.files.signatures import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from gradtape._src.sessions.files.signatures import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from gradtape._src.sessions.files.signatures import (
    CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES,
)
from gradtape._src.sessions.files.signatures import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from gradtape._src.sessions.files.signatures import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from gradtape._src.sessions.files.signatures import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from gradtape._src.sessions.files.signatures import GPU as GPU
from gradtape._src.sessions.files.signatures import PREDICT_INPUTS as PREDICT_INPUTS
from gradtape._src.sessions.files.signatures import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from gradtape._src.sessions.files.signatures import REGRESS_INPUTS as REGRESS_INPUTS
from gradtape._src.sessions.files.signatures import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from gradtape._src.sessions.files.signatures import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from gradtape._src.sessions.files.signatures import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)
from gradtape._src.sessions.files.signatures import TPU as TPU
from gradtape._src.sessions.files.signatures import TRAINING as TRAINING
from gradtape._src.text.assets import Asset as Asset
from gradtape.saved_model import experimental as experimental

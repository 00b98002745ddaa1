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
from gradtape._src.text.assets import Asset as Asset
from gradtape.saved_model import experimental as experimental

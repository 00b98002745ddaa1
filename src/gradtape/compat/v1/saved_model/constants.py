"""`tf.compat.v1.saved_model.constants`: names of files and collections."""

from gradtape._src.saving.saved_model import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from gradtape._src.saving.saved_model import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from gradtape._src.saving.saved_model import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from gradtape._src.saving.saved_model import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from gradtape._src.saving.saved_model import VARIABLES_FILENAME as VARIABLES_FILENAME
from gradtape._src.sessions.files.signatures import ASSETS_KEY as ASSETS_KEY
from gradtape._src.sessions.files.signatures import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from gradtape._src.sessions.files.signatures import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from gradtape._src.sessions.files.signatures import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from gradtape._src.sessions.files.signatures import MAIN_OP_KEY as MAIN_OP_KEY
from gradtape._src.sessions.files.signatures import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)

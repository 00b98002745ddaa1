"""`tf.compat.v1.saved_model`: saved models of sessions."""

import typing as _typing

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.files.saved_models import Builder as Builder
from gradtape._src.sessions.files.saved_models import load as load
from gradtape._src.sessions.files.saved_models import main_op_with_restore as main_op_with_restore
from gradtape._src.sessions.files.saved_models import (
    maybe_saved_model_directory as _contains_saved_model,
)
from gradtape._src.sessions.files.saved_models import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from gradtape._src.sessions.files.saved_models import simple_save as simple_save
from gradtape._src.sessions.files.signatures import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from gradtape._src.sessions.files.signatures import MAIN_OP_KEY as MAIN_OP_KEY
from gradtape._src.sessions.files.signatures import build_signature_def as build_signature_def
from gradtape._src.sessions.files.signatures import build_tensor_info as build_tensor_info
from gradtape._src.sessions.files.signatures import (
    classification_signature_def as classification_signature_def,
)
from gradtape._src.sessions.files.signatures import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
from gradtape._src.sessions.files.signatures import is_valid_signature as is_valid_signature
from gradtape._src.sessions.files.signatures import predict_signature_def as predict_signature_def
from gradtape._src.sessions.files.signatures import (
    regression_signature_def as regression_signature_def,
)
from gradtape.compat.v1.saved_model import builder as builder
from gradtape.compat.v1.saved_model import constants as constants
from gradtape.compat.v1.saved_model import loader as loader
from gradtape.compat.v1.saved_model import main_op as main_op
from gradtape.compat.v1.saved_model import signature_constants as signature_constants
from gradtape.compat.v1.saved_model import signature_def_utils as signature_def_utils
from gradtape.compat.v1.saved_model import tag_constants as tag_constants
from gradtape.compat.v1.saved_model import utils as utils

contains_saved_model = _contains_saved_model


def __getattr__(name: str) -> _typing.Any:
    return _shared("saved_model", name)


def __dir__() -> list[str]:
    return _listed("saved_model", globals())

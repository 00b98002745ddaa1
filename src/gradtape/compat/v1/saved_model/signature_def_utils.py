"""`tf.compat.v1.saved_model.signature_def_utils`: messages of signatures."""

from gradtape._src.sessions.files.signatures import build_signature_def as build_signature_def
from gradtape._src.sessions.files.signatures import (
    classification_signature_def as classification_signature_def,
)
from gradtape._src.sessions.files.signatures import is_valid_signature as is_valid_signature
from gradtape._src.sessions.files.signatures import predict_signature_def as predict_signature_def
from gradtape._src.sessions.files.signatures import (
    regression_signature_def as regression_signature_def,
)

"""`tf.compat.v1.saved_model.utils`: descriptions of tensors."""

from gradtape._src.sessions.files.signatures import build_tensor_info as build_tensor_info
from gradtape._src.sessions.files.signatures import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)

"""`tf.compat.v1.image`: images, with TensorFlow 1's arguments."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.images import ResizeMethod as ResizeMethod
from gradtape._src.sessions.older.images import crop_and_resize as crop_and_resize
from gradtape._src.sessions.older.images import draw_bounding_boxes as draw_bounding_boxes
from gradtape._src.sessions.older.images import extract_glimpse as extract_glimpse
from gradtape._src.sessions.older.images import resize as resize
from gradtape._src.sessions.older.images import resize_area as resize_area
from gradtape._src.sessions.older.images import resize_bicubic as resize_bicubic
from gradtape._src.sessions.older.images import resize_bilinear as resize_bilinear
from gradtape._src.sessions.older.images import resize_nearest_neighbor as resize_nearest_neighbor
from gradtape._src.sessions.older.images import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)


def __getattr__(name: str) -> _Any:
    return _shared("image", name)


def __dir__() -> list[str]:
    return _listed("image", globals())

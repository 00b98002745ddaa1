"""`tf.image`: images."""

from gradtape._ops.image import adjust_brightness as adjust_brightness
from gradtape._ops.image import adjust_contrast as adjust_contrast
from gradtape._ops.image import central_crop as central_crop
from gradtape._ops.image import convert_image_dtype as convert_image_dtype
from gradtape._ops.image import crop_to_bounding_box as crop_to_bounding_box
from gradtape._ops.image import flip_left_right as flip_left_right
from gradtape._ops.image import flip_up_down as flip_up_down
from gradtape._ops.image import pad_to_bounding_box as pad_to_bounding_box
from gradtape._ops.image import resize_with_crop_or_pad as resize_with_crop_or_pad
from gradtape._ops.image import rot90 as rot90
from gradtape._ops.image import transpose as transpose
from gradtape._ops.pooling import extract_patches as extract_patches

"""Images: changing, scaling, reading and writing them: `tf.image`."""

from gradtape._src.files.images import adjust_jpeg_quality as adjust_jpeg_quality
from gradtape._src.files.images import decode_and_crop_jpeg as decode_and_crop_jpeg
from gradtape._src.files.images import decode_bmp as decode_bmp
from gradtape._src.files.images import decode_gif as decode_gif
from gradtape._src.files.images import decode_image as decode_image
from gradtape._src.files.images import decode_jpeg as decode_jpeg
from gradtape._src.files.images import decode_png as decode_png
from gradtape._src.files.images import decode_webp as decode_webp
from gradtape._src.files.images import encode_jpeg as encode_jpeg
from gradtape._src.files.images import encode_png as encode_png
from gradtape._src.files.images import extract_jpeg_shape as extract_jpeg_shape
from gradtape._src.files.images import is_jpeg as is_jpeg
from gradtape._src.files.images import random_jpeg_quality as random_jpeg_quality
from gradtape._src.files.images import (
    stateless_random_jpeg_quality as stateless_random_jpeg_quality,
)
from gradtape._src.ops.image.adjust import adjust_brightness as adjust_brightness
from gradtape._src.ops.image.adjust import adjust_contrast as adjust_contrast
from gradtape._src.ops.image.adjust import central_crop as central_crop
from gradtape._src.ops.image.adjust import convert_image_dtype as convert_image_dtype
from gradtape._src.ops.image.adjust import crop_to_bounding_box as crop_to_bounding_box
from gradtape._src.ops.image.adjust import flip_left_right as flip_left_right
from gradtape._src.ops.image.adjust import flip_up_down as flip_up_down
from gradtape._src.ops.image.adjust import pad_to_bounding_box as pad_to_bounding_box
from gradtape._src.ops.image.adjust import resize_with_crop_or_pad as resize_with_crop_or_pad
from gradtape._src.ops.image.adjust import rot90 as rot90
from gradtape._src.ops.image.adjust import transpose as transpose
from gradtape._src.ops.image.boxes import (
    combined_non_max_suppression as combined_non_max_suppression,
)
from gradtape._src.ops.image.boxes import draw_bounding_boxes as draw_bounding_boxes
from gradtape._src.ops.image.boxes import extract_glimpse as extract_glimpse
from gradtape._src.ops.image.boxes import non_max_suppression as non_max_suppression
from gradtape._src.ops.image.boxes import (
    non_max_suppression_overlaps as non_max_suppression_overlaps,
)
from gradtape._src.ops.image.boxes import non_max_suppression_padded as non_max_suppression_padded
from gradtape._src.ops.image.boxes import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from gradtape._src.ops.image.color import adjust_gamma as adjust_gamma
from gradtape._src.ops.image.color import adjust_hue as adjust_hue
from gradtape._src.ops.image.color import adjust_saturation as adjust_saturation
from gradtape._src.ops.image.color import grayscale_to_rgb as grayscale_to_rgb
from gradtape._src.ops.image.color import hsv_to_rgb as hsv_to_rgb
from gradtape._src.ops.image.color import rgb_to_grayscale as rgb_to_grayscale
from gradtape._src.ops.image.color import rgb_to_hsv as rgb_to_hsv
from gradtape._src.ops.image.color import rgb_to_yiq as rgb_to_yiq
from gradtape._src.ops.image.color import rgb_to_yuv as rgb_to_yuv
from gradtape._src.ops.image.color import yiq_to_rgb as yiq_to_rgb
from gradtape._src.ops.image.color import yuv_to_rgb as yuv_to_rgb
from gradtape._src.ops.image.quality import image_gradients as image_gradients
from gradtape._src.ops.image.quality import per_image_standardization as per_image_standardization
from gradtape._src.ops.image.quality import psnr as psnr
from gradtape._src.ops.image.quality import sobel_edges as sobel_edges
from gradtape._src.ops.image.quality import ssim as ssim
from gradtape._src.ops.image.quality import ssim_multiscale as ssim_multiscale
from gradtape._src.ops.image.quality import total_variation as total_variation
from gradtape._src.ops.image.random_changes import random_brightness as random_brightness
from gradtape._src.ops.image.random_changes import random_contrast as random_contrast
from gradtape._src.ops.image.random_changes import random_crop as random_crop
from gradtape._src.ops.image.random_changes import random_flip_left_right as random_flip_left_right
from gradtape._src.ops.image.random_changes import random_flip_up_down as random_flip_up_down
from gradtape._src.ops.image.random_changes import random_hue as random_hue
from gradtape._src.ops.image.random_changes import random_saturation as random_saturation
from gradtape._src.ops.image.random_changes import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from gradtape._src.ops.image.random_changes import (
    stateless_random_brightness as stateless_random_brightness,
)
from gradtape._src.ops.image.random_changes import (
    stateless_random_contrast as stateless_random_contrast,
)
from gradtape._src.ops.image.random_changes import stateless_random_crop as stateless_random_crop
from gradtape._src.ops.image.random_changes import (
    stateless_random_flip_left_right as stateless_random_flip_left_right,
)
from gradtape._src.ops.image.random_changes import (
    stateless_random_flip_up_down as stateless_random_flip_up_down,
)
from gradtape._src.ops.image.random_changes import stateless_random_hue as stateless_random_hue
from gradtape._src.ops.image.random_changes import (
    stateless_random_saturation as stateless_random_saturation,
)
from gradtape._src.ops.image.random_changes import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from gradtape._src.ops.image.resize import ResizeMethod as ResizeMethod
from gradtape._src.ops.image.resize import crop_and_resize as crop_and_resize
from gradtape._src.ops.image.resize import resize as resize
from gradtape._src.ops.image.resize import resize_with_pad as resize_with_pad
from gradtape._src.ops.nn.image_patches import extract_patches as extract_patches

"""Files, records and what strings hold: `tf.io`."""

from gradtape._src.files.bytes import decode_base64 as decode_base64
from gradtape._src.files.bytes import decode_compressed as decode_compressed
from gradtape._src.files.bytes import decode_raw as decode_raw
from gradtape._src.files.bytes import encode_base64 as encode_base64
from gradtape._src.files.bytes import match_filenames_once as match_filenames_once
from gradtape._src.files.bytes import matching_files as matching_files
from gradtape._src.files.bytes import read_file as read_file
from gradtape._src.files.bytes import write_file as write_file
from gradtape._src.files.csv import decode_csv as decode_csv
from gradtape._src.files.features import FixedLenFeature as FixedLenFeature
from gradtape._src.files.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from gradtape._src.files.features import RaggedFeature as RaggedFeature
from gradtape._src.files.features import SparseFeature as SparseFeature
from gradtape._src.files.features import VarLenFeature as VarLenFeature
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
from gradtape._src.files.parsing import parse_example as parse_example
from gradtape._src.files.parsing import parse_sequence_example as parse_sequence_example
from gradtape._src.files.parsing import parse_single_example as parse_single_example
from gradtape._src.files.parsing import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from gradtape._src.files.records import TFRecordOptions as TFRecordOptions
from gradtape._src.files.records import TFRecordWriter as TFRecordWriter
from gradtape._src.files.serialized import decode_json_example as decode_json_example
from gradtape._src.files.serialized import deserialize_many_sparse as deserialize_many_sparse
from gradtape._src.files.serialized import serialize_many_sparse as serialize_many_sparse
from gradtape._src.files.serialized import serialize_sparse as serialize_sparse
from gradtape._src.files.serialized import write_graph as write_graph
from gradtape._src.files.tensors import parse_tensor as parse_tensor
from gradtape._src.files.tensors import serialize_tensor as serialize_tensor
from gradtape.io import gfile as gfile

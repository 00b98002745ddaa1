"""Files, records and what strings hold: `tf.io`."""

from gradtape._files.bytes import decode_base64 as decode_base64
from gradtape._files.bytes import decode_compressed as decode_compressed
from gradtape._files.bytes import decode_raw as decode_raw
from gradtape._files.bytes import encode_base64 as encode_base64
from gradtape._files.bytes import matching_files as matching_files
from gradtape._files.bytes import read_file as read_file
from gradtape._files.bytes import write_file as write_file
from gradtape._files.csv import decode_csv as decode_csv
from gradtape._files.records import TFRecordOptions as TFRecordOptions
from gradtape._files.records import TFRecordWriter as TFRecordWriter
from gradtape._files.tensors import parse_tensor as parse_tensor
from gradtape._files.tensors import serialize_tensor as serialize_tensor
from gradtape.io import gfile as gfile

"""`tf.audio`: sound in WAV files."""

from gradtape._src.files.audio import decode_wav as decode_wav
from gradtape._src.files.audio import encode_wav as encode_wav

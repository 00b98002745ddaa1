"""Strings: their parts, patterns and numbers: `tf.strings`."""

from gradtape._src.text.ngrams import ngrams as ngrams
from gradtape._src.text.numbers import as_string as as_string
from gradtape._src.text.numbers import to_hash_bucket as to_hash_bucket
from gradtape._src.text.numbers import to_hash_bucket_fast as to_hash_bucket_fast
from gradtape._src.text.numbers import to_hash_bucket_strong as to_hash_bucket_strong
from gradtape._src.text.numbers import to_number as to_number
from gradtape._src.text.regex_functions import regex_full_match as regex_full_match
from gradtape._src.text.regex_functions import regex_replace as regex_replace
from gradtape._src.text.scripts import unicode_script as unicode_script
from gradtape._src.text.strings import bytes_split as bytes_split
from gradtape._src.text.strings import format as format
from gradtape._src.text.strings import join as join
from gradtape._src.text.strings import length as length
from gradtape._src.text.strings import lower as lower
from gradtape._src.text.strings import reduce_join as reduce_join
from gradtape._src.text.strings import split as split
from gradtape._src.text.strings import strip as strip
from gradtape._src.text.strings import substr as substr
from gradtape._src.text.strings import unsorted_segment_join as unsorted_segment_join
from gradtape._src.text.strings import upper as upper
from gradtape._src.text.unicode import unicode_decode as unicode_decode
from gradtape._src.text.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from gradtape._src.text.unicode import unicode_encode as unicode_encode
from gradtape._src.text.unicode import unicode_split as unicode_split
from gradtape._src.text.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from gradtape._src.text.unicode import unicode_transcode as unicode_transcode

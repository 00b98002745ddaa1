"""Strings: `tf.strings`."""

from gradtape._ops.ngrams import ngrams as ngrams
from gradtape._ops.string_numbers import as_string as as_string
from gradtape._ops.string_numbers import to_hash_bucket as to_hash_bucket
from gradtape._ops.string_numbers import to_hash_bucket_fast as to_hash_bucket_fast
from gradtape._ops.string_numbers import to_hash_bucket_strong as to_hash_bucket_strong
from gradtape._ops.string_numbers import to_number as to_number
from gradtape._ops.strings import bytes_split as bytes_split
from gradtape._ops.strings import format as format
from gradtape._ops.strings import join as join
from gradtape._ops.strings import length as length
from gradtape._ops.strings import lower as lower
from gradtape._ops.strings import reduce_join as reduce_join
from gradtape._ops.strings import split as split
from gradtape._ops.strings import strip as strip
from gradtape._ops.strings import substr as substr
from gradtape._ops.strings import unsorted_segment_join as unsorted_segment_join
from gradtape._ops.strings import upper as upper
from gradtape._ops.strings_regex import regex_full_match as regex_full_match
from gradtape._ops.strings_regex import regex_replace as regex_replace
from gradtape._ops.strings_unicode import unicode_decode as unicode_decode
from gradtape._ops.strings_unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from gradtape._ops.strings_unicode import unicode_encode as unicode_encode
from gradtape._ops.strings_unicode import unicode_split as unicode_split
from gradtape._ops.strings_unicode import unicode_split_with_offsets as unicode_split_with_offsets
from gradtape._ops.strings_unicode import unicode_transcode as unicode_transcode

"""Tables: `tf.lookup`."""

from gradtape._ops.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from gradtape._ops.lookup import StaticHashTable as StaticHashTable
from gradtape._ops.lookup import StaticVocabularyTable as StaticVocabularyTable
from gradtape._ops.lookup import TextFileIndex as TextFileIndex
from gradtape._ops.lookup import TextFileInitializer as TextFileInitializer
from gradtape.lookup import experimental as experimental

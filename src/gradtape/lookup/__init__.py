"""Tables: `tf.lookup`."""

from gradtape._text.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from gradtape._text.lookup import StaticHashTable as StaticHashTable
from gradtape._text.lookup import StaticVocabularyTable as StaticVocabularyTable
from gradtape._text.lookup import TextFileIndex as TextFileIndex
from gradtape._text.lookup import TextFileInitializer as TextFileInitializer
from gradtape.lookup import experimental as experimental

"""Tables from keys to values: `tf.lookup`."""

from gradtape._src.text.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from gradtape._src.text.lookup import StaticHashTable as StaticHashTable
from gradtape._src.text.lookup import StaticVocabularyTable as StaticVocabularyTable
from gradtape._src.text.lookup import TextFileIndex as TextFileIndex
from gradtape._src.text.lookup import TextFileInitializer as TextFileInitializer
from gradtape.lookup import experimental as experimental

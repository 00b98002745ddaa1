"""`tf.queue`: queues of tensors between threads."""

from gradtape._src.data.queues import FIFOQueue as FIFOQueue
from gradtape._src.data.queues import PaddingFIFOQueue as PaddingFIFOQueue
from gradtape._src.data.queues import PriorityQueue as PriorityQueue
from gradtape._src.data.queues import QueueBase as QueueBase
from gradtape._src.data.queues import RandomShuffleQueue as RandomShuffleQueue

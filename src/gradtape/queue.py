"""`tf.queue`: queues of tensors between threads."""

from gradtape._src.data.queues.fifo import FIFOQueue as FIFOQueue
from gradtape._src.data.queues.fifo import PaddingFIFOQueue as PaddingFIFOQueue
from gradtape._src.data.queues.fifo import QueueBase as QueueBase
from gradtape._src.data.queues.ordered import PriorityQueue as PriorityQueue
from gradtape._src.data.queues.ordered import RandomShuffleQueue as RandomShuffleQueue

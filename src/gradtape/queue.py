"""`tf.queue`: queues of tensors between threads."""

from gradtape._src.data.queues import FIFOQueue as FIFOQueue
from gradtape._src.data.queues import QueueBase as QueueBase

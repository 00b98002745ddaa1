"""`tf.queue`: queues of tensors between threads."""

from gradtape._data.queues import FIFOQueue as FIFOQueue
from gradtape._data.queues import QueueBase as QueueBase

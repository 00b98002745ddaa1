"""`MultiWorkerMirroredStrategy`: replicas in several processes."""

from __future__ import annotations

import importlib.util
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.distribute.cluster import CommunicationOptions, TFConfigClusterResolver, place_in
from gradtape._src.distribute.context import device_names
from gradtape._src.distribute.single_process import checked_devices
from gradtape._src.distribute.strategy import Strategy


@export(
    "distribute.MultiWorkerMirroredStrategy", "distribute.experimental.MultiWorkerMirroredStrategy"
)
class MultiWorkerMirroredStrategy(Strategy):
    """Runs one replica on each device of each process; all replicas have the same variables.

    Every process runs the same program. The strategy must be made before anything else uses JAX; it
    waits for the other processes.

    Args:
      cluster_resolver: An object that describes the processes. Defaults to the description in the
        environment variable TF_CONFIG. The processes meet at the first worker's address.
      communication_options: A `CommunicationOptions`.

    Raises:
      ValueError: The description of the cluster is not valid, or differs between processes.
      RuntimeError: JAX is already in use.
      ImportError: There are several processes, and JAX is not installed.
      UnavailableError: The other processes cannot be reached.

    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()  # TF_CONFIG is not set
    >>> len(strategy.extended.worker_devices) == strategy.num_replicas_in_sync
    True
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        super().__init__()
        self.cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        options = communication_options or CommunicationOptions()
        place = place_in(self.cluster_resolver)
        if place is None:
            self.extended._devices = tuple(checked_devices(None))
            self._local_replicas = len(self.extended._devices)
            return
        if importlib.util.find_spec("jax") is None:
            raise ImportError(
                "MultiWorkerMirroredStrategy: processes talk to one another through JAX, which is "
                "not installed: pip install 'gradtape[xla]'"
            )
        from gradtape._src.distribute.processes import joined  # loads JAX

        addresses, index = place
        self._processes = joined(addresses, index, options.timeout_seconds)
        names = checked_devices(None)  # not imported earlier, since it may start JAX
        self._local_replicas = len(names)
        self._processes.begin(len(names))
        self._first_replica = index * len(names)
        here, there = device_names(1)[0], self.cluster_resolver
        stem = f"/job:{there.task_type}/replica:0/task:{there.task_id}"
        self.extended._devices = tuple(
            [stem + name.removeprefix(here.rpartition("/device")[0]) for name in names]
        )

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas in all processes."""
        return self._local_replicas * (1 if self._processes is None else self._processes.count)

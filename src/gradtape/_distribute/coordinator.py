"""Holds the processes of a `MultiWorkerMirroredStrategy` together; a program of its own.

The first worker starts it, and it outlives that worker while others live: JAX ends every process
that loses its coordinator, at once and without an exception. It ends when all workers have left or
have been silent for long.

    python coordinator.py ADDRESS WORKERS TIMEOUT PATIENCE
"""

import importlib
import sys
import time

BEATS = "gradtape/beats/"
LEFT = "left"


def serve(address: str, workers: int, timeout: int, patience: int) -> None:
    """Runs until nobody needs it.

    Args:
      address: Where the workers come.
      workers: How many.
      timeout: The seconds of silence after which a worker is held for dead.
      patience: The seconds that workers may take to come.
    """
    jaxlib = importlib.import_module("jaxlib._jax")
    port = address.rpartition(":")[2]
    # The last place is this program's own, to read the workers' beats.
    service = jaxlib.get_distributed_runtime_service(
        f"[::]:{port}",
        workers + 1,
        heartbeat_timeout=timeout,
        cluster_register_timeout=patience,
        shutdown_timeout=5,
        recoverable=True,
    )
    client = jaxlib.get_distributed_runtime_client(
        f"127.0.0.1:{port}",
        workers,
        init_timeout=patience,
        heartbeat_timeout=timeout,
        shutdown_on_destruction=False,
    )
    client.connect()
    heard: dict[str, tuple[str, float]] = {}
    started = time.monotonic()
    while True:
        now = time.monotonic()
        for key, beat in client.key_value_dir_get(BEATS):
            if heard.get(key, ("", 0.0))[0] != beat:
                heard[key] = (beat, now)
        live = [b for b, at in heard.values() if b != LEFT and now - at < 3 * timeout]
        if not live and (len(heard) == workers or now - started > patience):
            break
        time.sleep(0.5)
    client.shutdown()
    service.shutdown()


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:5]))

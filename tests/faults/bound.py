"""A worker of two, as a program of its own: prints the addresses that it waits at.

python bound.py INDEX PORT
"""

import json
import os
import socket
import sys
from pathlib import Path


def listening():
    """The addresses at which this process waits for connections, as Linux tells them."""
    own = {str(f.readlink()) for f in Path("/proc/self/fd").iterdir() if f.is_symlink()}
    found = set()
    for name, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in own:
                raw = bytes.fromhex(fields[1].partition(":")[0])
                words = [raw[i : i + 4][::-1] for i in range(0, len(raw), 4)]
                found.add(socket.inet_ntop(family, b"".join(words)))
    return sorted(found)


def main():
    import gradtape as tf
    from gradtape._src.distribute import processes

    index, port = map(int, sys.argv[1:])
    workers = [f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"]
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    found, begin = [], processes.Processes.begin

    def observed(self, local):  # when everything is connected, and JAX's coordinator still runs
        self.summed([processes.np.ones(3)])
        found.extend(listening())
        begin(self, local)

    processes.Processes.begin = observed
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    total = strategy.run(
        lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.constant([1.0, 2.0]))
    )
    print(json.dumps({"addresses": found, "total": total.numpy().tolist()}))


if __name__ == "__main__":
    main()

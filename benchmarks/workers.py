"""Measures several worker processes on one machine: scaling, traffic, restarts after losses.

    python benchmarks/workers.py scaling [--networks digits transformer] [--workers 1 2 4]
    python benchmarks/workers.py restarts [--kills 50] [--workers 2]

`scaling` runs each network with a batch that is divided among the workers (strong), and with a
batch that grows with their number (weak). It compares the bytes that they send with those of a ring
all-reduce.
`restarts` ends workers at random moments while `gradtape launch` starts them again, and compares
the weights with those of an uninterrupted run.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from options import positive

PROGRAM = Path(__file__).with_name("worker_program.py")
ROWS = {"digits": 512, "transformer": 32}
"""The rows of a batch: of all workers when it is divided, of each when it grows."""


def command(workers, *arguments, restarts=0):
    first = [sys.executable, "-m", "gradtape", "launch", "-n", str(workers)]
    return [*first, "--restarts", str(restarts), str(PROGRAM), *map(str, arguments)]


def results(output):
    """Returns each worker's results, from the lines that the launcher printed."""
    lines = [re.sub(r"^\[\d+\] ", "", line) for line in output.splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{")]


def ring_bytes(workers, parameters):
    """Returns the bytes that all workers send in a ring all-reduce of float32 gradients.

    Each worker sends (n - 1) / n of its gradients twice: to add the parts, and to share the sums.
    """
    return 2 * (workers - 1) * 4 * parameters


def scaling(networks, counts, steps):
    print("| Network | Workers | Batch | Step, ms | Times one worker | Sent, MB | Of the ring's |")
    print("|---|---|---|---|---|---|---|")
    for network in networks:
        for kind in ("strong", "weak"):
            alone = None
            for n in counts:
                batch = ROWS[network] * (n if kind == "weak" else 1)
                ran = subprocess.run(  # noqa: S603 (made here)
                    command(n, network, "--batch", batch, "--steps", steps),
                    capture_output=True,
                    text=True,
                    check=False,
                )
                found = results(ran.stdout)
                if len(found) != n:
                    raise SystemExit(f"{network} with {n} workers failed:\n{ran.stderr[-2000:]}")
                step = max(worker["median_s"] for worker in found)
                alone = alone or step
                sent, ring = found[0]["bytes_per_step"], ring_bytes(n, found[0]["parameters"])
                part = f"{sent / ring:.3f}" if ring else "-"
                print(
                    f"| {network}, {kind} | {n} | {batch} | {1e3 * step:.1f} | {step / alone:.2f} "
                    f"| {sent / 1e6:.2f} | {part} |",
                    flush=True,
                )


def restarts(kills, workers, steps):
    """Ends workers at random moments, `kills` times in all.

    Raises:
      SystemExit: A run failed, or ended with other weights.
    """
    generator = random.Random(0)  # noqa: S311 (no secret)
    network = ("digits", "--batch", 64)
    with tempfile.TemporaryDirectory() as folder:
        plain = subprocess.run(  # noqa: S603 (made here)
            command(workers, *network, "--steps", steps),
            capture_output=True,
            text=True,
            check=True,
        )
        expected = results(plain.stdout)
        done = 0
        while done < kills:
            place = Path(folder) / str(done)
            started = subprocess.Popen(  # noqa: S603 (made here)
                command(workers, *network, "--steps", steps, "--folder", place, restarts=kills),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            killed = []
            wanted = (generator, killed, steps, kills - done)
            killer = threading.Thread(target=_kill, args=(started, place, *wanted))
            killer.start()
            out, err = started.communicate()
            killer.join()
            found = results(out)[-workers:]
            if started.returncode:
                raise SystemExit(f"the run failed after {len(killed)} kills:\n{err[-3000:]}")
            sums = {round(worker["sum"], 2) for worker in (*found, *expected)}
            if len(sums) != 1:
                raise SystemExit(f"other weights after {len(killed)} kills: {sums}")
            done += len(killed)
            print(f"{len(killed)} kills survived at steps {killed}, {done} in all", flush=True)


def _kill(started, folder, generator, killed, steps, most):
    """Kills a worker every few seconds, at most `most` times, while the training makes progress."""
    while started.poll() is None and len(killed) < most:
        before = _last_step(folder)
        while started.poll() is None and _last_step(folder) == before:
            time.sleep(0.005)
        time.sleep(generator.uniform(0.0, 0.3))  # the signal can arrive at any point of a step
        running = _workers_of(started.pid)
        if running and _last_step(folder) < steps - 1:
            try:
                os.kill(generator.choice(running), signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed.append(_last_step(folder))


def _last_step(folder):
    found = [int(path.stem.removeprefix("ckpt-")) for path in folder.glob("*/ckpt-*.index")]
    return max(found, default=0)


def _workers_of(launcher):
    children = Path(f"/proc/{launcher}/task/{launcher}/children")
    try:
        return [int(number) for number in children.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True)
    first = modes.add_parser("scaling", help="step times and bytes sent")
    first.add_argument("--networks", nargs="+", choices=ROWS, default=list(ROWS))
    first.add_argument("--workers", nargs="+", type=positive, default=[1, 2, 4])
    first.add_argument("--steps", type=positive, default=30)
    second = modes.add_parser("restarts", help="workers that are killed at random moments")
    second.add_argument("--kills", type=positive, default=50)
    second.add_argument("--workers", type=positive, default=2)
    second.add_argument("--steps", type=positive, default=60)
    options = parser.parse_args()
    if options.mode == "scaling":
        if options.steps < 3:
            parser.error("--steps: at least 3, since the first two steps are not timed")
        scaling(options.networks, options.workers, options.steps)
    else:
        restarts(options.kills, options.workers, options.steps)


if __name__ == "__main__":
    main()

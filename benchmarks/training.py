"""Compares Keras' `fit` and the digits demo on gradtape, TensorFlow, JAX and PyTorch.

    python benchmarks/training.py --peer tensorflow=/path/to/python --peer torch=... --peer jax=...

The contenders take turns, once for every seed; each trains in a process of its own, on one core and
with one thread. The result is the least time of an epoch after the first, or of a step. It is
processor time, which depends least on other programs; with `--clock wall`, it is wall time. A
Python given for a peer needs Keras and scikit-learn. `--save FILE` stores all results as JSON, and
continues with the results that the file already has.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from learners import NETWORKS, TITLES
from options import containing, peers, positive
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

HERE = pathlib.Path(__file__).parent
CONTENDERS = [  # (label, library, mode)
    ("gradtape", "gradtape", "eager"),
    ("gradtape, set_jit", "gradtape", "automatic"),
    ("gradtape + XLA", "gradtape", "compiled"),
    ("TensorFlow", "tensorflow", "function"),
    ("TensorFlow + XLA", "tensorflow", "compiled"),
    ("JAX", "jax", "compiled"),
    ("PyTorch", "torch", "eager"),
]
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
console = Console()


def taking_part(given, wanted):
    """Returns (label, library, mode, Python) of the available contenders."""
    chosen = []
    for label, library, mode in CONTENDERS:
        if wanted and label not in wanted:
            continue
        here = importlib.util.find_spec(library) is not None
        python = given.get(library, sys.executable if here else None)
        xla = library == "gradtape" and mode != "eager"
        if xla and not importlib.util.find_spec("jax"):
            continue
        if python:
            chosen.append((label, library, mode, python))
    return chosen


def trained(library, mode, python, names, seed, core):
    """Returns the results of one training process; None if it failed."""
    command = [python, str(HERE / "learners.py"), library, mode, "--seed", str(seed)]
    done = subprocess.run(  # noqa: S603  (our own program)
        [*command, "--only", *names],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, **ONE_THREAD),
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    if done.returncode:
        console.print(f"[red]{library} {mode}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def cells(answers, name, clock):
    """Returns the least time per step and per epoch in milliseconds, and the accuracies."""
    runs = [answer["found"][name] for answer in answers if name in answer["found"]]
    if not runs:
        return ["", "", ""]
    epochs = [epoch for run in runs for epoch in run["epochs"][1:] or run["epochs"]]
    least, steps = min(epoch[clock] for epoch in epochs), runs[0]["steps"]
    if name not in NETWORKS:
        return [f"{1e3 * least:.2f}", "", ""]
    accuracies = " ".join(f"{run['accuracy']:.1%}" for run in runs)
    return [f"{1e3 * least / steps:.2f}", f"{1e3 * least:.0f}", accuracies]


def table(results, labels, names, clock):
    """Returns a row for each task and contender."""
    out = Table(title=f"least {('wall', 'processor')[clock]} time, milliseconds")
    for column in ("task", "contender", "step", "epoch", "accuracy, by seed"):
        out.add_column(column, justify="left" if column in ("task", "contender") else "right")
    for name in names:
        for label in labels:
            out.add_row(TITLES[name], label, *cells(list(results[label].values()), name, clock))
        out.add_section()
    return out


def main():
    """Measures the selected tasks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--contender", action="append", choices=[c[0] for c in CONTENDERS])
    parser.add_argument("--only", default="", help="just the tasks with this in their name")
    parser.add_argument("--seeds", type=positive, default=3)
    parser.add_argument("--clock", choices=["wall", "processor"], default="processor")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()

    names = containing(parser, options.only, TITLES)
    given = peers(parser, options.peer, sorted({library for _, library, _ in CONTENDERS}))
    chosen = taking_part(given, options.contender)
    if not chosen:
        parser.error(f"--contender: {', '.join(options.contender)} needs a Python, by --peer")
    results = {label: {} for label, *_ in chosen}
    if options.save and options.save.exists():
        results |= json.loads(options.save.read_text())
    with Progress(console=console) as progress:
        task = progress.add_task("training", total=options.seeds * len(chosen))
        for seed in range(options.seeds):
            for turn, (label, library, mode, python) in enumerate(chosen):
                progress.update(task, description=f"{label}, seed {seed}")
                known = results[label].get(str(seed), {"found": {}})["found"]
                if missing := [name for name in names if name not in known]:
                    core = turn % os.cpu_count()
                    answer = trained(library, mode, python, missing, seed, core)
                    if answer:
                        results[label][str(seed)] = answer | {"found": known | answer["found"]}
                    if options.save:
                        options.save.write_text(json.dumps(results, indent=1) + "\n")
                progress.advance(task)
    clock = ["wall", "processor"].index(options.clock)
    console.print(table(results, [label for label, *_ in chosen], names, clock))
    versions = [next(iter(r.values()))["versions"] for r in results.values() if r]
    console.print(", ".join(sorted({f"{k} {v}" for known in versions for k, v in known.items()})))


if __name__ == "__main__":
    main()

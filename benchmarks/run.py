"""Compares gradtape with its peers and with derivatives written by hand in NumPy.

    python benchmarks/run.py                              # gradtape and NumPy
    python benchmarks/run.py --peer torch=/path/to/python --peer jax=... --peer tensorflow=...
    python benchmarks/run.py --check                      # fails if gradtape got slow

The contenders take turns several times, each in a process of its own, so that a busy moment of the
machine affects all of them. The result is the least time. A peer that this Python can import takes
part without an option. `--save FOLDER` writes the results as JSON and as pictures.

The check compares gradtape's processor time with NumPy's, by turns in the same process. The limits
of the ratios are defined with the workloads. The check needs no peer, and uses no absolute time.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import image_workloads  # noqa: F401  (adds its workloads to the table)
import model_workloads  # noqa: F401
from contender import CLOCKS, identity, timed
from options import containing, peers, positive
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from workloads import WORKLOADS

HERE = pathlib.Path(__file__).parent
MODES = {  # (label, library, mode), eager ones first
    "numpy": [("NumPy by hand", "numpy", "eager")],
    "gradtape": [
        ("gradtape", "gradtape", "eager"),
        ("gradtape, set_jit", "gradtape", "kernels"),
        ("gradtape, function", "gradtape", "function"),
        ("gradtape + XLA", "gradtape", "compiled"),
    ],
    "tensorflow": [
        ("TensorFlow", "tensorflow", "eager"),
        ("TensorFlow, function", "tensorflow", "function"),
        ("TensorFlow + XLA", "tensorflow", "compiled"),
    ],
    "torch": [("PyTorch", "torch", "eager")],
    "jax": [("JAX", "jax", "eager"), ("jax.jit", "jax", "compiled")],
}
PICTURES = [  # (file, gradtape's contender, its peers other than NumPy)
    ("eager", "gradtape", ["TensorFlow", "PyTorch", "JAX"]),
    ("function", "gradtape, function", ["TensorFlow, function", "PyTorch", "jax.jit"]),
    ("compiled", "gradtape + XLA", ["TensorFlow + XLA", "jax.jit"]),
]
NEED_JAX = {("gradtape", "kernels"), ("gradtape", "compiled")}
console = Console()


def contenders(given):
    """Returns (label, library, mode, Python) of gradtape, NumPy and the available peers."""
    chosen = []
    for library, modes in MODES.items():
        here = importlib.util.find_spec(library) is not None
        python = given.get(library, sys.executable if here else None)
        for label, _, mode in modes if python else []:
            if (library, mode) in NEED_JAX and not importlib.util.find_spec("jax"):
                continue
            chosen.append((label, library, mode, python))
    return chosen


def environment(threads):
    """Returns the environment of a process with a number of threads; 0 leaves it to each library.

    TensorFlow and XLA ignore the variables of BLAS.
    """
    found = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if threads:
        names = [f"{b}_NUM_THREADS" for b in ("OMP", "OPENBLAS", "MKL")]
        names.append("TF_NUM_INTRAOP_THREADS")
        found |= dict.fromkeys(names, str(threads)) | {"TF_NUM_INTEROP_THREADS": "1"}
    if threads == 1:
        flags = [found.get("XLA_FLAGS", ""), "--xla_cpu_multi_thread_eigen=false"]
        found["XLA_FLAGS"] = " ".join(flags).strip()
    return found


def run(library, mode, python, names, options):
    """Returns a contender's times, from a new process; None for a workload that failed."""
    command = [python, str(HERE / "contender.py"), library, mode, "--seconds", str(options.seconds)]
    done = subprocess.run(  # noqa: S603  (our own program)
        [*command, "--clock", options.clock, "--only", *names],
        capture_output=True,
        text=True,
        env=environment(options.threads),
        check=False,
    )
    if done.returncode:
        console.print(f"[red]{library} {mode}: {done.stderr.strip().splitlines()[-1]}")
        return {"version": "", "seconds": {}}
    return json.loads(done.stdout.splitlines()[-1])


def measure(chosen, names, options):
    """Returns `{label: {name: [least, median]}}` over all rounds, and `{label: version}`."""
    found, versions = {label: {} for label, *_ in chosen}, {}
    with Progress(console=console) as progress:
        task = progress.add_task("measuring", total=options.rounds * len(chosen))
        for _ in range(options.rounds):
            for label, library, mode, python in chosen:
                progress.update(task, description=label)
                answer = run(library, mode, python, names, options)
                versions[label] = answer["version"]
                for name, (least, median) in answer["seconds"].items():
                    before = found[label].get(name, [least, median])
                    found[label][name] = [min(before[0], least), min(before[1], median)]
                progress.advance(task)
    return found, versions


def shown(seconds):
    """Formats a time in a suitable unit."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} µs"


def table(found, names):
    """Returns a table of the times, with a row for each workload."""
    out = Table(title="least time of a call")
    out.add_column("workload")
    for label in found:
        out.add_column(label, justify="right")
    for name in names:
        cells = [shown(found[label][name][0]) if name in found[label] else "" for label in found]
        out.add_row(WORKLOADS[name].title, *cells)
    return out


def picture(found, names, labels, ours, path):
    """Draws each contender's time as a multiple of gradtape's, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.42 * len(names) + 1.4), layout="constrained")
    places = range(len(names), 0, -1)
    axes.axvline(1, color="black", linewidth=2)
    for label, marker in zip([x for x in labels if x != ours], "osD^v", strict=False):
        points = [
            (found[label][name][0] / found[ours][name][0], place)
            for name, place in zip(names, places, strict=True)
            if name in found[label] and name in found[ours]
        ]
        if points:
            axes.plot(*zip(*points, strict=True), marker, label=label, alpha=0.85)
    axes.set_yticks(list(places), [WORKLOADS[name].title for name in names])
    axes.set_xscale("log")
    axes.set_xlabel(f"time as a multiple of {ours}'s (right of the line: slower)")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=4, frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def machine():
    """Describes the machine on which the figures were made."""
    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.system(),
        "when": time.strftime("%Y-%m-%d"),
    }


def save(folder, found, versions, names):
    """Writes the results and the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {"machine": machine(), "versions": versions, "seconds": found}
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n")
    for name, ours, others in PICTURES:
        here = [label for label in (ours, "NumPy by hand", *others) if label in found]
        if ours in found and len(here) > 1:
            picture(found, names, here, ours, folder / f"{name}.svg")


def check(names, seconds):
    """Compares gradtape with NumPy in this process; returns the workloads above their limits."""
    import gradtape

    out = Table(title="processor time of gradtape over that of NumPy by hand")
    for column in ("workload", "ratio", "limit"):
        out.add_column(column, justify="left" if column == "workload" else "right")
    slow = []
    for name in names:
        workload = WORKLOADS[name]
        ours, floor = workload.ways["tf"](gradtape, identity), workload.ways["numpy"]()
        pairs = [
            [timed(work, seconds / 4, time.process_time)[0] for work in (ours, floor)]
            for _ in range(4)
        ]
        ratio = min(a for a, _ in pairs) / min(b for _, b in pairs)
        over = ratio > workload.limit
        slow += [name] * over
        colour = "red" if over else "green"
        out.add_row(workload.title, f"[{colour}]{ratio:.2f}", f"{workload.limit:g}")
    console.print(out)
    return slow


def main():
    """Measures or checks the selected workloads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--only", default="", help="just the workloads with this in their name")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="for a workload in a round")
    parser.add_argument("--threads", type=int, default=0, help="0: each library's own choice")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--save", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="the short form, against NumPy")
    options = parser.parse_args()

    titles = {name: workload.title for name, workload in WORKLOADS.items()}
    names = containing(parser, options.only, titles)
    if options.check:
        slow = check(names, options.seconds)
        sys.exit(f"slower than allowed: {', '.join(slow)}" if slow else 0)
    chosen = contenders(peers(parser, options.peer, MODES))
    found, versions = measure(chosen, names, options)
    console.print(table(found, names))
    console.print(", ".join(f"{label} {version}" for label, version in versions.items()))
    if options.save:
        save(options.save, found, versions, names)
        console.print(f"written to {options.save}")


if __name__ == "__main__":
    main()

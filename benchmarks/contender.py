"""Times the workloads with one library and mode in a process of its own, and prints JSON.

python benchmarks/contender.py gradtape eager --only chain
"""

import argparse
import importlib
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import image_workloads  # noqa: F401  (adds its workloads to the table)
import model_workloads  # noqa: F401
from options import chosen
from workloads import WORKLOADS

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def identity(function):
    """Returns a function unchanged, in place of a compiler."""
    return function


def works(library, mode):
    """Returns the function of each workload, by name."""
    if library == "numpy":
        return {name: w.ways["numpy"] for name, w in WORKLOADS.items() if "numpy" in w.ways}
    module = importlib.import_module(library)
    if library in ("torch", "jax"):
        extra = [mode == "compiled"] if library == "jax" else []
        return {
            name: lambda make=w.ways[library]: make(module, *extra)
            for name, w in WORKLOADS.items()
            if library in w.ways
        }
    if mode == "kernels":
        module.config.optimizer.set_jit(True)
    compiled = {
        "eager": identity,
        "kernels": identity,
        "function": module.function,
        "compiled": module.function(jit_compile=True),
    }[mode]
    return {name: lambda make=w.ways["tf"]: make(module, compiled) for name, w in WORKLOADS.items()}


def timed(work, seconds, clock=time.perf_counter):
    """Returns the least and the median time of a call, from many calls in `seconds` seconds."""
    work()
    work()
    start = time.perf_counter()
    begin = clock()
    work()
    repeat = max(1, min(1000, int(2e-3 / max(clock() - begin, 1e-7))))
    times = []
    while len(times) < 5 or time.perf_counter() - start < seconds:
        begin = clock()
        for _ in range(repeat):
            work()
        times.append((clock() - begin) / repeat)
    return min(times), statistics.median(times)


def main():
    """Times the selected workloads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("mode")
    parser.add_argument("--only", nargs="+", default=list(WORKLOADS))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    options = parser.parse_args()
    found = {}
    ways = works(options.library, options.mode)
    for name in chosen(parser, options.only, WORKLOADS):
        if name in ways:
            least, median = timed(ways[name](), options.seconds, CLOCKS[options.clock])
            per = WORKLOADS[name].per
            found[name] = [least / per, median / per]
    version = getattr(sys.modules[options.library], "__version__", "")
    print(json.dumps({"version": str(version), "seconds": found}))


if __name__ == "__main__":
    main()

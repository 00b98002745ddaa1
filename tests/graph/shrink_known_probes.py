"""Takes out of known_probes.py the programs that print what they print under TensorFlow.

    PYTHONPATH=src:tests python tests/graph/shrink_known_probes.py

It adds none: a probe that has begun to print something else is a fault, which is reported.
"""

from __future__ import annotations

import sys
from pathlib import Path

from graph import known_probes
from graph.probing import captured, difference, expected, programs, recorded

import gradtape as tf
from gradtape._src.compute import devices


def main() -> int:
    """Renews the file; fails if a program that is not listed prints something else."""
    theirs = recorded()
    wrong = set()
    devices.requested_processors[:] = [4]  # processors, as in the test
    for program in programs():
        tf.random.set_seed(None)
        if difference(captured(program, tf), expected(theirs[program.name])):
            wrong.add(program.name)
        tf.config.run_functions_eagerly(False)
        tf.compat.v1.enable_tensor_equality()
    kept = sorted(wrong & known_probes.KNOWN)
    with Path(known_probes.__file__).open("w") as file:
        file.write(f'"""{known_probes.__doc__}"""\n\nKNOWN = frozenset(\n    {{\n')
        file.writelines(f'        "{name}",\n' for name in kept)
        file.write("    }\n)\n")
    print(f"{len(kept)} of {len(theirs)} are known to differ, {len(known_probes.KNOWN)} before")
    for name in sorted(wrong - known_probes.KNOWN):
        print("prints something else and is not listed:", name)
    return bool(wrong - known_probes.KNOWN)


if __name__ == "__main__":
    sys.exit(main())

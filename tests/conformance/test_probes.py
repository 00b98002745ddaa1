"""Small programs whose output on the real TensorFlow was recorded, in a folder beside ours.

A result must print as it did there, numbers to a relative 1e-5. An exception must be of the same
type; its message may be worded otherwise, since ours also say how to mend it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gradtape

pytestmark = pytest.mark.slow

PROBES = Path(__file__).parents[3] / "shared/conformance/semantics"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|inf|nan)(?![\w])")
ENTRY = re.compile(r"^\[([^\]]*)\] (->|!!) ", re.MULTILINE)

OUTPUT = "ours has the target's shape, or is an error; in TensorFlow that depends on the operation"

# Differences that are meant, by probe and label, each with its reason.
ACCEPTED = {
    ("probe2", "og list"): OUTPUT,
    ("probe2", "og scalar broadcast?"): OUTPUT,
    ("probe2", "og wrong shape"): OUTPUT,
    ("probe2", "og (1,2) shape"): OUTPUT,
    ("probe2", "og None entry"): "ours takes None for no gradient, wherever in the list it stands",
    ("probe4", "forward acc bad shape"): "ours compares the shapes at once, not at the first use",
    ("probe3", "jac parallel_iter nonpersist"): "ours has no loop that could fail",
    ("probe3", "cumprod zero"): "TensorFlow divides by the zero; ours is the derivative",
    ("probe4", "cg python float"): "ours gives a tensor where a rule returned a number",
    ("probe4", "tensor setitem"): "ours has the method, whose error says what to use in its place",
    ("probe4", "RegisterGradient twice"): "the message names a file of TensorFlow's",
    ("probe5", "IndexedSlices arithmetic"): "ours has no attributes that exist in graphs alone",
    ("probe5", "Variable created from tensor"): "shows the class path of the tape",
    ("probe5", "int output"): "ours gives None: the places of the greatest have no derivative",
    ("probe5", "keras vars"): "names of Keras' variables depend on how many layers there were",
    ("probe5", "red"): "shows a docstring",
    ("probe5", "repr tape"): "shows the module of the tape",
    ("probe5", "watch keras var"): "random weights; ours watches Keras' variables",
}


def entries(text):
    """By label: whether it was an exception, and what was shown."""
    parts = ENTRY.split(text)[1:]
    found = {}
    for label, kind, shown in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found.setdefault(label, []).append((kind == "!!", shown.rstrip()))
    return found


def plain(shown):
    """Without addresses, class paths, and what TensorFlow adds to long arrays."""
    shown = re.sub(r"0x[0-9a-f.]+", "0x...", shown)
    return re.sub(r"\b(?:tensorflow|gradtape|keras)(?:\.\w+)+\.(\w+)", r"\1", shown)


def same(ours, theirs):
    """Whether two entries say the same."""
    if ours[0] != theirs[0]:
        return False
    a, b = plain(ours[1]), plain(theirs[1])
    if ours[0]:
        return a.split(":")[0].split(".")[-1] == b.split(":")[0].split(".")[-1]
    if " ".join(NUMBER.sub("#", a).split()) != " ".join(NUMBER.sub("#", b).split()):
        return False
    return [float(n) for n in NUMBER.findall(a)] == pytest.approx(
        [float(n) for n in NUMBER.findall(b)], rel=1e-5, abs=1e-6, nan_ok=True
    )


def run(probe):
    source = str(Path(gradtape.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    result = subprocess.run(
        [sys.executable, "-W", "ignore", f"{probe}.py", "gradtape"],
        cwd=PROBES,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout


@pytest.mark.skipif(not PROBES.exists(), reason="the recordings are not here")
@pytest.mark.parametrize("probe", [f"probe{n}" for n in range(1, 6)])
def test_probe(probe):
    ours = entries(run(probe))
    theirs = entries((PROBES / f"{probe}.tensorflow-2.21.txt").read_text())
    assert list(ours) == list(theirs)
    different = [
        f"[{label}]\n  ours:   {a[1]}\n  theirs: {b[1]}"
        for label, recorded in theirs.items()
        if (probe, label) not in ACCEPTED
        for a, b in zip(ours[label], recorded, strict=True)
        if not same(a, b)
    ]
    assert not different, f"{len(different)} differences:\n" + "\n".join(different)

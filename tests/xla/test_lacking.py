"""docs/xla.md names every operation that XLA lacks, and no other."""

from __future__ import annotations

import gc
import importlib
import pkgutil
from pathlib import Path

import pytest

import gradtape as tf
from gradtape._src import ops, raw

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

QUANTIZED = "arithmetic on quantized tensors"
REFUSED = {
    "Dequantize": "`quantization.dequantize`",
    "DrawBoundingBoxesV2": "`image.draw_bounding_boxes`",
    "ExtractGlimpseV2": "`image.extract_glimpse`",
    "IsotonicSegments": "`nn.isotonic_regression`",
    "QuantizeDownAndShrinkRange": QUANTIZED,
    "QuantizeV2": "`quantization.quantize`",
    "QuantizedAvgPool": QUANTIZED,
    "QuantizedBiasAdd": QUANTIZED,
    "QuantizedConv2D": QUANTIZED,
    "QuantizedMatMul": QUANTIZED,
    "QuantizedMaxPool": QUANTIZED,
    "QuantizedMul": QUANTIZED,
    "QuantizedRelu": QUANTIZED,
    "QuantizedRelu6": QUANTIZED,
    "RequantizationRange": QUANTIZED,
    "Requantize": QUANTIZED,
    "RandomIndexShuffle": "`random.experimental.index_shuffle`",
    "UnicodeScript": "strings",
    "Where": "`where(condition)`",
}
CALLED_BACK = {"MatrixLogarithm": "`logm`", "MatrixSquareRoot": "`sqrtm`"}


OURS = ("gradtape", "numpy", "_operator", "")
"""The modules of kernels."""
GRAPHS = ("gradtape._src.graph.", "gradtape._src.sessions.", "gradtape._src.distribute.")
"""The modules of operations that exist only in graphs, which no program contains."""


def _ours():
    """Every primitive of the package; tests make others."""
    from gradtape._src.core.primitive import Primitive

    for root in (ops, raw):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            importlib.import_module(found.name)
    gc.unfreeze()  # of what conftest.py froze, `get_objects` says nothing
    primitives = [x for x in gc.get_objects() if isinstance(x, Primitive)]
    return [
        p
        for p in primitives
        if p.name != "CustomGradient"  # a record on tapes, never an operation of a program
        and not p.name.startswith("String")
        and (module := getattr(p.kernel, "__module__", "")).partition(".")[0] in OURS
        and not module.startswith(GRAPHS)
        and not type(p).__module__.startswith(GRAPHS)
    ]


def test_the_list_is_that_of_the_kernels():
    from gradtape._src.declare.xla_kernels import HostKernel
    from gradtape._src.xla.kernels.lookup import kernel_of

    primitives = _ours()
    assert {p.name for p in primitives if kernel_of(p) is None} == set(REFUSED)
    asked = {p.name for p in primitives if isinstance(kernel_of(p), HostKernel)}
    assert asked == set(CALLED_BACK)


def test_the_page_names_them():
    page = (Path(__file__).parents[2] / "docs" / "xla.md").read_text()
    refused = next(line for line in page.splitlines() if line.endswith("names the line |"))
    called = next(line for line in page.splitlines() if "calls NumPy or SciPy" in line)
    assert [name for name in REFUSED.values() if name not in refused] == []
    assert [name for name in CALLED_BACK.values() if name not in called] == []


def test_identities_of_gradients_compile():
    run = tf.function(lambda x: tf.raw_ops.PreventGradient(input=x), jit_compile=True)
    assert run(tf.constant([1.0, 2.0])).numpy().tolist() == [1, 2]

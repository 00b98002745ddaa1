"""Constants, assertions, operations that print, and those with other results than ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradtape._src.base.errors import PermissionDeniedError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import each_run
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.files.tensors import make_ndarray
from gradtape._src.graphdef.attributes import Unsupported
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.control.assertions import Assert
from gradtape._src.ops.control.printing import print_
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.nn.fractional_pooling import fractional_avg_pool, fractional_max_pool
from gradtape._src.ops.nn.isotonic_regression import isotonic_regression
from gradtape._src.ops.nn.sampled_losses import (
    all_candidate_sampler,
    compute_accidental_hits,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)

_STREAMS: dict[str, Callable[[], Any]] = {
    "stdout": lambda: sys.stdout,
    "stderr": lambda: sys.stderr,
}


def constant(message: Any) -> Tensor:
    """Converts a `TensorProto` to a tensor."""
    array = make_ndarray(message)
    return Tensor(array if array.dtype == object else array[()])


@maker("Const")
def _const(node: Node) -> Kernel:
    message = node.attributes["value"]
    value = constant(message)
    node.surroundings.hold(value)
    return lambda _: [value]


@maker("Assert")
def _assert(node: Node) -> Kernel:
    count = int(node.attributes["summarize"])

    def run(values: list[Any]) -> list[Any]:
        condition, *data = values
        Assert(condition, data, summarize=count)
        return []

    return run


@maker("PrintV2")
def _print(node: Node) -> Kernel:
    stream, end = node.attributes.text("output_stream"), node.attributes.text("end")
    if stream.startswith("file://") and not node.surroundings.allow_io:
        return refusing(node)

    def run(values: list[Any]) -> list[Any]:
        _print_text(values[0], stream, end)
        return []

    return run


@each_run("PrintV2")
def _print_text(text: Any, stream: str, end: str) -> None:
    """Prints a string that is known when the graph runs."""
    out = stream if stream.startswith("file://") else _STREAMS.get(stream, lambda: None)()
    shown = convert_to_tensor(text)._value.item().decode(errors="replace")
    print_(shown, output_stream=out, end=end)


@maker("Print")
def _print_v1(node: Node) -> Kernel:
    message = node.attributes.text("message")

    def run(values: list[Any]) -> list[Any]:
        print_(message, *values[1:], sep="")
        return values[:1]

    return run


def refusing(node: Node) -> Kernel:
    """Returns a kernel for operations that use files, which raises PermissionDeniedError."""

    def run(_: list[Any]) -> list[Any]:
        raise PermissionDeniedError(
            None,
            None,
            f"the node {node.name!r} ({node.operation}) of a loaded model reads or writes files. "
            "Where you trust the model's author, load it with "
            "tf.saved_model.LoadOptions(allow_io=True)",
        )

    return run


@maker("Placeholder", "PlaceholderV2")
def _placeholder(node: Node) -> Kernel:
    def run(_: list[Any]) -> list[Any]:
        raise ValueError(f"the placeholder {node.name!r} of a loaded graph was not fed")

    return run


@kernel("Identity", "IdentityN", "PlaceholderWithDefault", "Snapshot", "RefIdentity")
def _identity(values: list[Any]) -> list[Any]:
    return values


@kernel("GuaranteeConst")
def _guarantee(values: list[Any]) -> list[Any]:
    return values


@kernel("FakeParam")
def _fake(_: list[Any]) -> list[Any]:
    return [None]


@maker("PyFunc", "PyFuncStateless", "EagerPyFunc")
def _python(node: Node) -> Kernel:
    raise Unsupported("Python functions are not part of a saved model")


@kernel("ConcatOffset")
def _offsets(values: list[Any]) -> list[Any]:
    axis, *shapes = map(convert_to_tensor, values)
    at, count = int(axis), len(shapes[0])
    zero = shapes[0][0] * 0
    places, total = [], zero
    for shape in shapes:
        places.append(stack([total if i == at % count else zero for i in range(count)]))
        total += shape[at]
    return places


@maker("IsotonicRegression")
def _fit(node: Node) -> Kernel:
    kind = node.attributes["output_dtype"]

    def run(values: list[Any]) -> list[Any]:
        found = isotonic_regression(cast(values[0], kind))
        return [found.output, found.segments]

    return run


# Samples of classes, and pooling of random regions.


@maker("LogUniformCandidateSampler", "UniformCandidateSampler")
def _drawn(node: Node) -> Kernel:
    function: Any = deferrable(_SAMPLERS[node.operation])
    given = _given(node, "num_true", "num_sampled", "unique", "range_max")
    return lambda values: list(function(values[0], *given, _seed(node)))


_SAMPLERS = {
    "LogUniformCandidateSampler": log_uniform_candidate_sampler,
    "UniformCandidateSampler": uniform_candidate_sampler,
}


@maker("AllCandidateSampler")
def _all_classes(node: Node) -> Kernel:
    function: Any = deferrable(all_candidate_sampler)
    given = _given(node, "num_true", "num_sampled", "unique")
    return lambda values: list(function(values[0], *given))


@maker("ComputeAccidentalHits")
def _hits(node: Node) -> Kernel:
    function: Any = deferrable(compute_accidental_hits)
    count = int(node.attributes["num_true"])
    return lambda values: list(function(*values, count))


@maker("FractionalMaxPool", "FractionalAvgPool")
def _pool(node: Node) -> Kernel:
    is_max = node.operation == "FractionalMaxPool"
    function: Any = deferrable(fractional_max_pool if is_max else fractional_avg_pool)
    given = _given(node, "pooling_ratio", "pseudo_random", "overlapping")
    return lambda values: list(function(values[0], *given, _seed(node)))


def _given(node: Node, *names: str) -> list[Any]:
    return [node.attributes[name] for name in names]


def _seed(node: Node) -> int:
    return int(node.attributes["seed2"] or node.attributes["seed"])

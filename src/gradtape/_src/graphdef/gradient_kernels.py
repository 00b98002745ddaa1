"""Operations that compute the gradients of other operations, such as `ReluGrad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.export import RAW_OPS
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.elementwise.casting import cast


def pulled(function: Callable[[Tensor], Any], x: Any, cotangent: Any) -> Tensor:
    """Returns the vector-Jacobian product of a function.

    Args:
      function: The function.
      x: The argument of the function.
      cotangent: The gradient with respect to its result.
    """
    place = convert_to_tensor(x)
    with GradientTape() as tape:
        tape.watch(place)
        result = function(place)
    found = tape.gradient(result, place, cotangent, unconnected_gradients="zero")
    assert isinstance(found, Tensor)
    return found


def _given(node: Node, *names: str) -> dict[str, Any]:
    """Converts attributes to arguments of raw operations."""
    found = {}
    for name in names:
        value = node.attributes.get(name)
        if value is not None:
            found[name] = value.decode() if isinstance(value, bytes) else value
    return found


def _raw(name: str) -> Callable[..., Any]:
    op = RAW_OPS[name]

    def run(**given: Any) -> Any:
        return op.function(**{op.renamed.get(k, k): v for k, v in given.items()})

    return run


_WINDOWS = ("strides", "padding", "explicit_paddings", "data_format", "dilations")


@maker("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter")
def _filter(node: Node) -> Kernel:
    name = node.operation.removesuffix("V2").removesuffix("BackpropFilter")
    attributes = _windows(node, name)

    def run(values: list[Any]) -> list[Any]:
        x, sizes, g = values
        dtype = convert_to_tensor(x).dtype
        start = zeros(sizes, dtype)
        conv = _raw(name)
        return [pulled(lambda w: conv(input=x, filter=w, **attributes), start, g)]

    return run


def _windows(node: Node, name: str) -> dict[str, Any]:
    """Returns the attributes of a convolution that the raw operation supports."""
    found = _given(node, *_WINDOWS)
    if name != "Conv2D":
        found.pop("explicit_paddings", None)
    return found


@maker("DepthwiseConv2dNativeBackpropInput")
def _input(node: Node) -> Kernel:
    attributes = _windows(node, "DepthwiseConv2dNative")

    def run(values: list[Any]) -> list[Any]:
        sizes, w, g = values
        start = zeros(sizes, convert_to_tensor(w).dtype)
        conv = _raw("DepthwiseConv2dNative")
        return [pulled(lambda x: conv(input=x, filter=w, **attributes), start, g)]

    return run


@maker("MaxPoolGrad", "MaxPool3DGrad")
def _max_pool(node: Node) -> Kernel:
    attributes = _given(node, "ksize", "strides", "padding", "data_format")
    pool = _raw(node.operation.removesuffix("Grad"))

    def run(values: list[Any]) -> list[Any]:
        x, _, g = values
        return [pulled(lambda x: pool(input=x, **attributes), x, g)]

    return run


@maker("MaxPoolGradGrad")
def _max_pool_twice(node: Node) -> Kernel:
    attributes = _given(node, "ksize", "strides", "padding", "data_format")

    def run(values: list[Any]) -> list[Any]:
        x, _, g = values

        def put(h: Tensor) -> Tensor:
            return pulled(lambda x: _raw("MaxPool")(input=x, **attributes), x, h)

        pooled = _raw("MaxPool")(input=x, **attributes)
        start = zeros(shape_of(pooled), pooled.dtype)
        return [pulled(put, start, g)]

    return run


@maker("AvgPoolGrad", "AvgPool3DGrad")
def _avg_pool(node: Node) -> Kernel:
    attributes = _given(node, "ksize", "strides", "padding", "data_format")
    name = node.operation.removesuffix("Grad")
    key = "value" if name == "AvgPool" else "input"

    def run(values: list[Any]) -> list[Any]:
        shape, g = values
        start = zeros(shape, convert_to_tensor(g).dtype)
        return [pulled(lambda x: _raw(name)(**{key: x}, **attributes), start, g)]

    return run


@maker("ResizeBilinearGrad", "ResizeBicubicGrad")
def _resize(node: Node) -> Kernel:
    attributes = _given(node, "align_corners", "half_pixel_centers")
    name = node.operation.removesuffix("Grad")

    def run(values: list[Any]) -> list[Any]:
        g, images = values
        size = shape_of(g)[1:3]
        resize = _raw(name)
        return [pulled(lambda x: resize(images=x, size=size, **attributes), images, g)]

    return run


@maker("StridedSliceGrad")
def _strided_slice(node: Node) -> Kernel:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    attributes = _given(node, *masks)

    def run(values: list[Any]) -> list[Any]:
        shape, begin, end, strides, g = values
        start = zeros(shape, convert_to_tensor(g).dtype)
        take = _raw("StridedSlice")
        given = {"begin": begin, "end": end, "strides": strides, **attributes}
        return [pulled(lambda x: take(input=x, **given), start, g)]

    return run


@maker("MirrorPadGrad")
def _mirror_pad(node: Node) -> Kernel:
    attributes = _given(node, "mode")

    def run(values: list[Any]) -> list[Any]:
        g, paddings = values
        pads = convert_to_tensor(paddings)._numpy().tolist()
        own = zip(shape_of(g), pads, strict=True)
        start = zeros([n - a - b for n, (a, b) in own], convert_to_tensor(g).dtype)
        pad = _raw("MirrorPad")
        return [pulled(lambda x: pad(input=x, paddings=paddings, **attributes), start, g)]

    return run


@maker("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _batch_norm(node: Node) -> Kernel:
    attributes = _given(node, "epsilon", "data_format", "is_training")
    trains = bool(attributes["is_training"])

    def run(values: list[Any]) -> list[Any]:
        g, x, scale, first, second = values[:5]
        x, scale = convert_to_tensor(x), convert_to_tensor(scale)
        offset = zeros(shape_of(scale), scale.dtype)
        moments = (offset, offset) if trains else (first, second)
        normalize = _raw("FusedBatchNorm")
        with GradientTape() as tape:
            tape.watch([x, scale, offset])
            parts = {"x": x, "scale": scale, "offset": offset}
            parts |= {"mean": moments[0], "variance": moments[1]}
            y = normalize(**parts, **attributes)[0]
        found = tape.gradient(y, [x, scale, offset], cast(g, y.dtype))
        return [*found, zeros([0], scale.dtype), zeros([0], scale.dtype)]

    return run

"""Rules for variables, effects and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.core.variable import Variable
from gradtape._src.graph.nested.whole_calls import Call
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule


@rule("ReadVariableOp")
def _read(p: Part, *handle: Value, variable: Variable | None = None) -> Any:
    if variable is None:  # in a graph of TensorFlow 1
        return p.op("ReadVariableOp", *handle, dtype=dtype_name(p.outputs[0].np_dtype))
    return p.read(variable)


@rule("AssignVariableOp")
def _assign(p: Part, *given: Value, variable: Variable | None = None) -> Any:
    if variable is None:  # in a graph of TensorFlow 1
        p.op("AssignVariableOp", *given)
    else:
        p.assign(variable, *given)
    return ()


@rule("MutexLock")
def _section(p: Part) -> Any:
    return ()  # A loaded graph excludes others if it assigns variables.


# Placeholders and other operations of TensorFlow 1.


@rule("VarHandleOp")
def _handle(p: Part, *, shared_name: str, dtype: Any, shape: Any) -> Any:
    return p.op("VarHandleOp", shared_name=shared_name, dtype=dtype.name, shape=shape)


@rule("AssignAddVariableOp", "AssignSubVariableOp")
def _changed(p: Part, handle: Value, value: Value) -> Any:
    assert p.node is not None
    p.op(p.node.primitive.name, handle, value)
    return ()


@rule("VarIsInitializedOp")
def _is_initialized(p: Part, handle: Value) -> Any:
    return p.op("VarIsInitializedOp", handle)


@rule("NoOp")
def _no_op(p: Part) -> Any:
    p.op("NoOp")
    return ()


@rule("Const")
def _const(p: Part, *, value: Any) -> Any:
    return p.op("Const", value=np.asarray(value), dtype=dtype_name(value.dtype))


@rule("Placeholder")
def _placeholder(p: Part, *, placeholder: Any) -> Any:
    shape = placeholder.shape
    known = None if shape.rank is None else shape.as_list()
    return p.op("Placeholder", dtype=placeholder.dtype.name, shape=known)


@rule("PlaceholderWithDefault")
def _with_default(p: Part, x: Value) -> Any:
    return p.op("PlaceholderWithDefault", x, shape=p.outputs[0].shape)


# Random numbers.


class _Drawn:
    """A draw of random numbers.

    Args:
      part: The part that is being built.
      xs: The operation's inputs.

    Attributes:
      seed: The two numbers of the seed; None if the draw uses a stream of the process.
      arguments: The arguments of the draw; those that the graph computes are `Value`s.
    """

    def __init__(self, part: Part, xs: tuple[Value, ...]) -> None:
        assert part.node is not None
        draw: Any = part.node.primitive
        self.part = part
        self.seed = _seed(part, xs[0]) if draw.seeds else None
        self.arguments: list[Any] = draw.arguments_of(xs[draw.seeds :], {})
        self._stream = draw.stream
        self.dtype = dtype_name(part.outputs[0].np_dtype)

    def shape(self, less: Any = ()) -> Value:
        """Returns the shape of the result without its last axes, whose lengths are in `less`."""
        whole = self.part.outputs[0].shape
        return self.part.ints(whole[: len(whole) - len(less)])

    def seeds(self) -> dict[str, int]:
        """Returns the attributes `seed` and `seed2` for an operation that uses a stream."""
        stream = self._stream
        if type(stream) is tuple and stream[-1] is not None:
            return {"seed2": int(stream[-1])}
        entropy = getattr(stream, "entropy", None)
        if entropy:
            first, *rest = [int(n) % (1 << 63) for n in entropy]
            return {"seed": first, "seed2": rest[-1] if rest else 0}
        return {}

    def made_seed(self) -> Value:
        """Returns the two numbers of the seed; if there is no seed, a new node draws them."""
        if self.seed is not None:
            return self.seed
        low, high = (self.part.const(n, "int32") for n in (0, np.iinfo(np.int32).max))
        shape = self.part.const([2], "int32")
        seed: Value = self.part.op("RandomUniformInt", shape, low, high, **self.seeds())
        return seed

    def stateless(self, kind: str, *more: Any, **attributes: Any) -> Value:
        """Adds a draw by key and counter, with `more` inputs after those of all draws."""
        key, counter = self.part.op("StatelessRandomGetKeyCounter", self.made_seed())
        algorithm = self.part.const(_ANY_ALGORITHM, "int32")
        drawn: Value = self.part.op(
            kind, self.shape(), key, counter, algorithm, *more, **attributes
        )
        return drawn


_ANY_ALGORITHM = 3


def _seed(p: Part, x: Value) -> Value:
    if x.dtype == "uint32":
        made: Value = p.op("Bitcast", x, type="int32")
        return made
    return x if x.dtype in ("int32", "int64") else p.cast(x, "int64")


def _simple(name: str, stateful: str, stateless: str) -> None:
    @rule(name)
    def export(p: Part, *xs: Value, **shapes: Any) -> Any:
        drawn = _Drawn(p, xs)
        if drawn.seed is None:
            return p.op(stateful, drawn.shape(), dtype=drawn.dtype, **drawn.seeds())
        return drawn.stateless(stateless, dtype=drawn.dtype)


_simple("draw_normal", "RandomStandardNormal", "StatelessRandomNormalV2")
_simple("draw_uniform", "RandomUniform", "StatelessRandomUniformV2")
_simple("draw_truncated", "TruncatedNormal", "StatelessTruncatedNormalV2")


@rule("draw_integers")
def _integers(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    _, low, high, _ = drawn.arguments
    kind = drawn.dtype if drawn.dtype in ("int32", "int64") else "int64"
    low, high = (p.cast(x, kind) if isinstance(x, Value) else p.const(x, kind) for x in (low, high))
    if drawn.seed is None:
        made = p.op("RandomUniformInt", drawn.shape(), low, high, **drawn.seeds())
    else:
        made = drawn.stateless("StatelessRandomUniformIntV2", low, high)
    return p.cast(made, drawn.dtype)


@rule("draw_bits")
def _bits(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    return drawn.stateless("StatelessRandomUniformFullIntV2", dtype=drawn.dtype)


def _value(p: Part, x: Any) -> Value:
    return x if isinstance(x, Value) else p.value(x)


@rule("draw_gamma")
def _gamma(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    alpha = _value(p, drawn.arguments[1])
    return drawn.stateless("StatelessRandomGammaV3", alpha)


@rule("draw_poisson")
def _poisson(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    rate = _value(p, drawn.arguments[1])
    return p.op("StatelessRandomPoisson", drawn.shape(), drawn.made_seed(), rate, dtype=drawn.dtype)


@rule("draw_binomial")
def _binomial(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    count, chance = (p.cast(_value(p, x), "float64") for x in drawn.arguments[1:3])
    return p.op(
        "StatelessRandomBinomial",
        drawn.shape(),
        drawn.made_seed(),
        count,
        chance,
        dtype=drawn.dtype,
    )


@rule("draw_classes")
def _classes(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    logits = _value(p, drawn.arguments[0])
    count = p.number(p.outputs[0].shape[-1])
    kind = drawn.dtype if drawn.dtype in ("int32", "int64") else "int64"
    if drawn.seed is None:
        made = p.op("Multinomial", logits, count, output_dtype=kind, **drawn.seeds())
    else:
        made = p.op("StatelessMultinomial", logits, count, drawn.seed, output_dtype=kind)
    return p.cast(made, drawn.dtype)


@rule("permutation")
def _permutation(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    x = drawn.arguments[0]
    if drawn.seed is None and isinstance(x, Value):
        return p.op("RandomShuffle", x, **drawn.seeds())
    whole = (
        p.op("Range", p.const(0, "int32"), p.number(x), p.const(1, "int32"))
        if np.ndim(x) == 0 and not isinstance(x, Value)
        else _value(p, x)
    )
    if drawn.seed is None:
        return p.cast(p.op("RandomShuffle", whole, **drawn.seeds()), drawn.dtype)
    n = p.outputs[0].shape[0]
    keys = p.op("StatelessRandomUniform", p.ints([n]), drawn.seed, dtype="float32")
    order = p.op("TopKV2", keys, p.number(n))[1]
    return p.cast(p.op("GatherV2", whole, order, p.const(0, "int32")), drawn.dtype)


@rule("key")
def _key(p: Part, *xs: Value, **shapes: Any) -> Any:
    drawn = _Drawn(p, xs)
    return p.op("Bitcast", drawn.made_seed(), type="uint32")


@rule("FoldKey")
def _fold_key(p: Part, key: Value, *, n: int) -> Any:
    """Derives another key from a key and the number `n`."""
    seed = p.op("AddV2", p.op("Bitcast", key, type="int32"), p.const([n + 1, 7 * n + 3], "int32"))
    made = p.op("StatelessRandomUniformFullInt", p.const([2], "int32"), seed, dtype="int32")
    return p.op("Bitcast", made, type="uint32")


@rule("Assert")
def _assert(p: Part, *xs: Value, of: Call) -> Any:
    name, (args, kwargs) = of.function.__name__, of.arguments_for(list(xs))
    if name == "Assert":
        given = {**dict(zip(("condition", "data", "summarize"), args, strict=False)), **kwargs}
        shown = [_value_of(p, x) for x in given["data"]] or [p.const("", "string")]
        how = {} if given.get("summarize") is None else {"summarize": given["summarize"]}
        p.effect("Assert", _value_of(p, given["condition"]), shown, **how)
        return ()
    if name == "_check_all":
        p.effect("Assert", _all(p, *args[1:4]), [_value_of(p, x) for x in args[2:4]])
        return ()
    if name == "_check_sign":
        p.effect("Assert", _all(p, args[1], args[2], 0), [_value_of(p, args[2])])
        return ()
    if name == "_check_that_one_holds":
        any_holds = p.op("Any", p.op("Pack", [_value_of(p, x) for x in args[0]]), p.ints([0]))
        p.effect("Assert", any_holds, [p.const("None of conditions evaluated as True", "string")])
        return ()
    raise p.unknown("a check of this kind")


_COMPARISONS = {
    "==": "Equal",
    "!=": "NotEqual",
    "<": "Less",
    "<=": "LessEqual",
    ">": "Greater",
    ">=": "GreaterEqual",
}


def _all(p: Part, symbol: str, a: Any, b: Any) -> Value:
    """Returns a bool scalar: whether a comparison holds for all elements."""
    if symbol not in _COMPARISONS:
        raise p.unknown(f"a check that x {symbol} y")
    x = _value_of(p, a)
    y = b if isinstance(b, Value) else p.const(np.asarray(_raw_value(b)), x.dtype)
    holds = p.op(_COMPARISONS[symbol], x, y)
    flat = p.op("Reshape", holds, p.const([-1], "int32"))
    whole: Value = p.op("All", flat, p.const([0], "int32"))
    return whole


def _raw_value(x: Any) -> Any:
    return x._value if hasattr(x, "_value") else x


def _value_of(p: Part, x: Any) -> Value:
    if isinstance(x, Value):
        return x
    value = np.asarray(_raw_value(x))
    return p.const(value, "string" if value.dtype.kind in "US" else value.dtype)


@rule("PrintV2")
def _print(p: Part, *xs: Value, of: Call) -> Any:
    args, kwargs = of.arguments_for(list(xs))
    stream = kwargs.get("output_stream")
    name = stream if isinstance(stream, str) else getattr(stream, "name", "<stderr>")
    target = {"<stdout>": "stdout", "<stderr>": "stderr"}.get(name, name)
    shown = [x for x in args if isinstance(x, Value)]
    template = kwargs.get("sep", " ").join("{}" if isinstance(x, Value) else str(x) for x in args)
    text = p.op(
        "StringFormat",
        shown,
        template=template,
        placeholder="{}",
        summarize=kwargs.get("summarize", 3),
    )
    p.effect("PrintV2", text, output_stream=target, end=kwargs.get("end", "\n"))
    return ()


@rule("Print")
def _print_of_version_1(p: Part, *xs: Value, of: Call) -> Any:
    args, _ = of.arguments_for(list(xs))
    data, message, left, summarize = args
    shown, count = [_value_of(p, x) for x in data], -1 if left.count is None else left.count
    nothing = p.const(0, "int32")
    p.effect("Print", nothing, shown, message=message, first_n=count, summarize=summarize)
    return ()


@rule("Timestamp")
def _timestamp(p: Part, of: Call) -> Any:
    return p.effect("Timestamp")


@rule("RandomIndexShuffle")
def _index_shuffle(p: Part, index: Value, seed: Value, most: Value, *, rounds: int) -> Any:
    return p.op("RandomIndexShuffle", index, seed, most, rounds=rounds)


@rule("CountUpTo")
def _counted(p: Part, x: Value, most: Value) -> Any:
    """Returns a number after a check that it is less than the limit.

    TensorFlow's own operation takes a variable, and adds to it.
    """
    shown = [p.const("Reached the limit", "string"), most]
    done = p.effect("Assert", p.op("Less", x, most), shown)
    return p.op("Identity", x, after=[done])

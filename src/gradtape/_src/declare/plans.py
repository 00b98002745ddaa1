"""Plans of the general family: the parameter names of rules decide which values are kept.

Recording and pull-back happen for every operation of a program. So the code that gathers a rule's
arguments is generated once per combination of tracked inputs, on first use, without loops over
names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.primitive import Plan, Primitive, Rule
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Lengths

ITSELF = object()
"""Marks an input in which an operation is linear, so that the operation is its own push-forward."""


def argument_names(function: Callable[..., Any], skip: int = 0) -> tuple[str, ...]:
    """Returns the names of a function's positional arguments."""
    code = function.__code__
    return code.co_varnames[skip : code.co_argcount]


class GeneralPlan(Plan):
    """A plan whose records keep only the values that the rules of the tracked inputs name.

    A record's static facts are the tuple `(shapes and dtypes, parameters, specs of outputs)`, where
    the specs are None for one output, and True if all outputs are kept. If the kernel takes any
    number of inputs, which share one dtype, the first item is about the output alone, and the
    inputs' shapes and their dtype are two more items.

    Args:
      primitive: The operation.
      inputs: The names of its inputs; a single name if `variadic`.
      variadic: Whether the kernel takes any number of inputs.
      vjps: The rules of the tracked inputs, by position.
      jvps: The push-forward rules, each a function or `ITSELF`; None if a tracked input has no
        rule.
      sparse: Whether the pull-backs accept an `IndexedSlices`.

    Attributes:
      tensors: The kept tensors: positions of inputs, and -1 for the output.
      places: The index of each name in the joined sequence of kept tensors, facts and parameters.
    """

    __slots__ = ("facts", "inputs", "jvps", "places", "tensors", "variadic", "vjps")

    def __init__(
        self,
        primitive: Primitive,
        inputs: Sequence[str],
        variadic: bool,
        vjps: Mapping[int, Rule],
        jvps: Mapping[int, Any] | None,
        sparse: bool,
    ) -> None:
        self.inputs, self.variadic, self.vjps, self.jvps = inputs, variadic, vjps, jvps
        wanted = [n for rule in vjps.values() for n in argument_names(rule, 1)]
        if jvps is None:
            wanted += ["out_shape", "out_dtype"]
        else:
            wanted += [n for i in jvps for n in self._needed(i)]
        names = [*dict.fromkeys(wanted)]
        kept = [n for n in names if n in inputs or n == "out"]
        self.facts = [n for n in names if n not in kept and self._is_fact(n)]
        rest = [n for n in names if n not in kept and n not in self.facts]
        self.tensors = [-1 if n == "out" else inputs.index(n) for n in kept]
        self.places = {n: i for i, n in enumerate((*kept, *self.facts, *rest))}
        super().__init__(
            primitive,
            self._first("keep"),
            self._first("vjp"),
            None if jvps is None else self._first("jvp"),
            vjp_raw=self._first("vjp_raw"),
            sparse=sparse,
        )

    def _needed(self, i: int) -> Sequence[str]:
        """Returns the parameters that the push-forward of input `i` names."""
        assert self.jvps is not None
        if self.jvps[i] is not ITSELF:
            return argument_names(self.jvps[i], 1)
        return [n for j, n in enumerate(self.inputs) if j != i]

    def _is_fact(self, name: str) -> bool:
        """Whether a name refers to a shape or dtype rather than a parameter."""
        stem, _, what = name.rpartition("_")
        return what in ("shape", "dtype") and (stem in self.inputs or stem == "out")

    # Code generation.

    def _first(self, name: str) -> Callable[..., Any]:
        """Returns a function that generates the code on its first call, and runs it."""

        def first(*args: Any) -> Any:
            self.write()
            return getattr(self, name)(*args)

        return first

    def write(self) -> None:
        """Generates the code of the rules, which otherwise happens when one is first called."""
        scope: dict[str, Any] = {"specs": _specs, "filled": _filled, "zeros": _zeros}
        scope |= {"added": add_tangents, "bind": self.primitive.bind}
        scope.update({f"vjp{i}": rule for i, rule in self.vjps.items()})
        code = self._keep() + self._vjp("vjp") + self._vjp("vjp_raw")
        if self.jvps is not None:
            scope.update({f"jvp{i}": rule for i, rule in self.jvps.items()})
            code += self._jvp()
        place = f"{__file__} (plan of {self.primitive.name})"  # no line of the program
        exec(compile(code, place, "exec"), scope)  # noqa: S102 (of the names in declarations)
        for name in ("keep", "vjp", "vjp_raw", "jvp"):
            if name in scope:
                setattr(self, name, scope[name])

    def _keep(self) -> str:
        if self.variadic:
            facts = _listed(_fact(n) for n in self.facts if n[:3] == "out")
            shared = "[x._value.shape for x in inputs], inputs[0]._value.dtype"
            return f"""
def keep(inputs, out, params):
    return {"tuple(inputs)" if self.tensors else "()"}, ({facts}, params, None, {shared})
"""
        used = {self.inputs[i] for i in self.tensors if i >= 0}
        used |= {n.rpartition("_")[0] for n in self.facts}
        names = [f"in_{n}" if n in used else "_" for n in self.inputs]
        spread = ["*out" if i < 0 else f"in_{self.inputs[i]}" for i in self.tensors]
        whole = _listed(_fact(n, several=n[:3] == "out") for n in self.facts)
        specs = True if -1 in self.tensors else "specs(out)"
        return f"""
def keep(inputs, out, params):
    {_listed(names)} = inputs
    if type(out) is tuple:
        return {_listed(spread)}, ({whole}, params, {specs})
    return {self.kept}
"""

    @property
    def kept(self) -> str:
        """The code of what is kept if there is one output."""
        saved = ["out" if i < 0 else f"in_{self.inputs[i]}" for i in self.tensors]
        return f"{_listed(saved)}, ({_listed(_fact(n) for n in self.facts)}, params, None)"

    def _unpacked(self, raw: bool) -> str:
        """Returns the code that assigns kept tensors, facts and parameters to the rules' names."""
        if self.variadic:
            saved = f"a_{self.inputs[0]} = {'[x._value for x in saved]' if raw else 'saved'}"
            own = [n for n in self.facts if n[:3] == "out"]
            lines = [f"a_{n} = {n[-5:]}" for n in self.facts if n not in own]
            lines += [f"{_listed(f'a_{n}' for n in own)} = facts", saved]
            return "\n    ".join(["", "facts, params, several, shape, dtype = static", *lines])
        facts = f"{_listed(f'a_{n}' for n in self.facts)} = facts"
        kept = ["a_out" if i < 0 else f"a_{self.inputs[i]}" for i in self.tensors]
        values = "".join([f"\n    {n} = {n}._value" for n in kept if n != "a_out"] if raw else [])
        if "a_out" not in kept:
            return f"""
    facts, params, several = static
    {_listed(kept)} = saved
    {facts}{values}"""
        starred = _listed("*a_out" if n == "a_out" else n for n in kept)
        outs, out = (
            ("tuple([y._value for y in a_out])", "a_out._value")
            if raw
            else ("tuple(a_out)", "a_out")
        )
        return f"""
    facts, params, several = static
    {facts}
    if several is None:
        {_listed(kept)} = saved
        a_out = {out}
    else:
        {starred} = saved
        a_out = {outs}{values}"""

    def _arguments(self, names: Sequence[str]) -> str:
        """Returns the code of all arguments of a rule but the cotangent or tangent."""
        known = {*self.facts, *(["out"] if -1 in self.tensors else [])}
        known |= {self.inputs[i] for i in self.tensors if i >= 0}
        return "".join([f", a_{n}" if n in known else f", params[{n!r}]" for n in names])

    def _vjp(self, name: str) -> str:
        head = f"\ndef {name}(g, ids, saved, static):{self._unpacked(raw=name == 'vjp_raw')}"
        calls = {
            i: f"vjp{i}(g{self._arguments(argument_names(rule, 1))})"
            for i, rule in self.vjps.items()
        }
        if self.variadic:
            return f"{head}\n    return {calls[0]}\n"
        alone = len(calls) == 1
        given = [
            (calls[i] if alone else f"{calls[i]} if ids[{i}] else None") if i in calls else "None"
            for i in range(max(calls) + 1)
        ]
        return f"{head}{self._fill()}\n    return {_listed(given)}\n"

    def _fill(self) -> str:
        """Returns the code that makes zeros for lacking cotangents that the rules need."""
        needed = self.primitive.needed
        if needed == 0:
            return ""
        missing = " or ".join([f"g[{k}] is None" for k in range(needed or 0)])
        return f"""
    if several is not None{f" and ({missing})" if missing else ""}:
        g = filled(g, {"specs(a_out)" if -1 in self.tensors else "several"})"""

    def _jvp(self) -> str:
        head = f"\ndef jvp(tangents, saved, static):{self._unpacked(raw=False)}"
        assert self.jvps is not None
        if self.variadic:
            return f"""{head}
    filled = [zeros(own, dtype) if t is None else t for t, own in zip(tangents, shape)]
    return bind(*filled, **params)
"""
        code = [head, "    total = None"]
        for i in self.jvps:
            if self.jvps[i] is ITSELF:
                inputs = ["t" if j == i else f"a_{n}" for j, n in enumerate(self.inputs)]
                part = f"bind({', '.join(inputs)}, **params)"
            else:
                part = f"jvp{i}(t{self._arguments(self._needed(i))})"
            code += [f"    t = tangents[{i}]", "    if t is not None:", f"        t = {part}"]
            code += ["        total = t if total is None else added(total, t)"]
        return "\n".join([*code, "    return total", ""])


def _fact(name: str, several: bool = False) -> str:
    """Returns the code of a shape or dtype, or of a list of those of several outputs."""
    stem, _, what = name.rpartition("_")
    if several:
        return f"[x._value.{what} for x in out]"
    return f"{'out' if stem == 'out' else f'in_{stem}'}._value.{what}"


def _listed(code: Any) -> str:
    """Returns the code of a tuple, of the items that are not empty."""
    return f"({''.join([f'{item}, ' for item in code if item])})"


def _specs(outs: Sequence[Any]) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    values = [y._value if type(y) is Tensor else y for y in outs]
    return [(v.shape, v.dtype) for v in values]


zeros_of_unknown_length: ExtensionPoint[Any] = ExtensionPoint("zeros of unknown shape")
"""Provided by `declare.structural`."""


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    if isinstance(shape, Lengths):
        return zeros_of_unknown_length.get()(shape, dtype)
    return np.zeros(shape, dtype)[()]


def _filled(g: Sequence[Any], specs: Sequence[Any]) -> list[Any]:
    """Returns the cotangents of several outputs, with zeros for None."""
    return [_zeros(*spec) if d is None else d for d, spec in zip(g, specs, strict=True)]


def add_tangents(a: Any, b: Any) -> Any:
    """Returns the sum of two contributions, each of them one value or a tuple of outputs."""
    return tuple(x + y for x, y in zip(a, b, strict=True)) if type(a) is tuple else a + b

"""The fast path of a tracer: operations that were used with such shapes and dtypes before."""

from __future__ import annotations

import weakref
from typing import Any

from gradtape._src.core.primitive import Primitive
from gradtape._src.core.recorder import Recorder
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.graph.ir.graph import (
    NUMBERS,
    KnownSpec,
    Node,
    Symbol,
    new_symbol,
    spec_of,
)
from gradtape._src.graph.ir.origins import Origins

new = object.__new__  # takes half as long as a call of the class


class KnownOperations(Recorder):
    """Adds operations whose outputs have known specs to a graph.

    Attributes:
      nodes: The operations so far.
      constants: Weak references to tensors whose values became a part of the graph.
      origins: Finds the origins of operations.
      first_id: The first id of the tensors that are made while the function is traced.
    """

    nodes: list[Node]
    constants: dict[int, weakref.ref[Tensor]]
    origins: Origins
    first_id: int

    def process_known(
        self,
        primitive: Primitive,
        params: dict[str, Any],
        x: Tensor,
        y: Tensor | None = None,
        *others: Tensor,
    ) -> Symbol | tuple[Symbol, ...] | None:
        """Adds an operation on symbols of this graph that was used with such specs before.

        One of two inputs may be a constant.

        Returns:
          Its output or outputs; None if it is another operation.
        """
        # Nearly all operations take this path, which therefore avoids calls of other functions.
        a = x._value
        own = type(a) is Symbol and a.owner is self
        if y is None:
            entries: tuple[Any, ...] = (a,)
            key: Any = a.spec if own else None
        elif others:
            entries = tuple([each._value for each in (x, y, *others)])
            if not all([type(v) is Symbol and v.owner is self for v in entries]):  # noqa: C419
                return None
            key = tuple([v.spec for v in entries])
        else:
            b = y._value
            entries = a, b
            if own and type(b) is Symbol and b.owner is self:
                key = a.spec, b.spec
            elif primitive.specs_by_shape and (own or type(b) is Symbol):
                key = self._spec(x), self._spec(y)
            else:
                return None
        try:
            spec = primitive.specs[(key, *params.items()) if params else key]
        except (KeyError, TypeError):
            return None
        line = self.origins.replayed or self.origins.find(2)
        if type(spec) is not KnownSpec:
            outputs = tuple([new_symbol(each, self) for each in spec])
            self.nodes.append(Node(primitive, entries, params, outputs, True, line=line))
            return outputs
        made = new(Symbol)
        made.shape, dtype = spec
        made.dtype = made.np_dtype = dtype
        made.spec, made.owner, made.elements = spec, self, None
        node = new(Node)  # inlined from `new_node`
        node.primitive = primitive
        node.inputs = entries
        node.params = params
        node.outputs = (made,)
        node.several = node.stateful = False
        node.line = line
        self.nodes.append(node)
        return made

    def _spec(self, x: Tensor) -> KnownSpec | None:
        """Returns the spec of a symbol, or of a value that becomes a part of the graph; or None."""
        value = x._value
        if type(value) is Symbol:
            return value.spec if value.owner is self else None
        if x._id == -1:  # a Python number beside a float32 tensor
            return NUMBERS.get(type(value))
        if 0 < x._id < self.first_id or not isinstance(value, CONCRETE):
            return None
        self.constants.setdefault(id(x), weakref.ref(x))
        return spec_of(value.shape, value.dtype)

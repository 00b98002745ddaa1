"""Steps of optimizers and updates of rows on variables of TensorFlow 1, references to tensors."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.graphdef.nodes import Kernel, Node, maker
from gradtape._src.graphdef.raw_kernels import raw_kernel
from gradtape._src.raw.op_definitions import is_defined, op_definition

_PREFIX = "Resource"


def _changing(name: str, op: RawOp) -> None:
    """Makes the kernel of an operation on a reference, from the raw operation on a resource."""
    first, of_resource = op_definition(name).inputs[0], op_definition(op.name).inputs[0]
    renamed = op.renamed | {first.name: op.renamed.get(of_resource.name, of_resource.name)}
    here = RawOp(op.name, op.function, renamed, op.ignored | {"use_locking"}, False)

    @maker(name)
    def make(node: Node) -> Kernel:
        run = raw_kernel(node, here)

        def change(values: list[Any]) -> list[Any]:
            """Changes the variable, and returns it."""
            run(values)
            return values[:1]

        return change


for _op in list(RAW_OPS.values()):
    _name = _op.name.removeprefix(_PREFIX)
    if _op.name != _name and is_defined(_name) and op_definition(_name).inputs[0].is_ref:
        _changing(_name, _op)

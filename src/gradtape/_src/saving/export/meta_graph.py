"""The graph around the functions of a model: variables, signatures, saving and restoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.core.variable import Variable
from gradtape._src.graphdef_export.nodes import Nodes, Value, shape_proto
from gradtape._src.messages import protos
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.saving.export.saved_functions import SavedFunction

PREDICT = "tensorflow/serving/predict"
INIT = "__saved_model_init_op"
_PRODUCER = 2474  # the version of the format of graphs


class MetaGraph:
    """The nodes of a model's graph.

    Args:
      meta: The message that they go into.
    """

    def __init__(self, meta: protos.MetaGraphDef) -> None:
        self._meta = meta
        self._nodes = Nodes(is_function=False)
        self._handles: dict[int, Value] = {}

    def constant(self, value: np.ndarray[Any, Any]) -> str:
        """The name of a node that gives a constant."""
        made: Value = self._nodes.op("Const", name="Const", value=value, dtype=value.dtype)
        self._handles[id(value)] = made
        return made.node

    def _captured(self, x: Any) -> Value:
        found = self._handles.get(id(x))
        if found is None:
            found = self._handles[id(x)] = self._handle(x)
        return found

    def _handle(self, variable: Variable) -> Value:
        name = variable._shared_name
        made: Value = self._nodes.op(
            "VarHandleOp",
            name=_plain(name),
            shared_name=name,
            shape=variable.shape.as_list(),
            dtype=variable.dtype.name,
        )
        return made

    def signature(self, key: str, function: SavedFunction) -> None:
        """Adds a signature, which calls a function."""
        made = self._meta.signature_def[key]
        made.method_name = PREDICT
        given = []
        for spec in function.specs():
            x = self._nodes.op(
                "Placeholder",
                name=f"{_plain(key)}_{_plain(str(spec.name))}",
                dtype=spec.dtype.name,
                shape=_shape(spec),
            )
            made.inputs[str(spec.name)].CopyFrom(_info(x, spec))
            given.append(x)
        results = function.results()
        outs = self._nodes.op(
            "StatefulPartitionedCall",
            [*given, *[self._captured(x) for x in function.captures]],
            Tout=[spec.dtype.name for spec in results],
            f=function.name,
        )
        for x, spec in zip(outs, results, strict=True):
            made.outputs[str(spec.name)].CopyFrom(_info(x, spec))

    def saver(self, variables: Mapping[str, Variable]) -> None:
        """Adds what saves and restores the variables, by their keys in a checkpoint."""
        nodes = self._nodes
        path = nodes.op("Placeholder", name="saver_filename", dtype="string", shape=[])
        handles = [self._captured(v) for v in variables.values()]
        kinds = [v.dtype.name for v in variables.values()]
        keys = nodes.op(
            "Const", name="save/keys", value=np.array([*variables], object), dtype="string"
        )
        slices = np.full(len(variables), "", object)
        whole = nodes.op("Const", name="save/slices", value=slices, dtype="string")
        restored: list[Any] = []
        written: list[str] = []
        if variables:
            values = [
                nodes.op("ReadVariableOp", handle, name="save/Read", dtype=kind)
                for handle, kind in zip(handles, kinds, strict=True)
            ]
            written = [nodes.op("SaveV2", path, keys, whole, values, name="save/Save")]
            restored = nodes.op("RestoreV2", path, keys, whole, name="save/Restore", dtypes=kinds)
        saved = nodes.op("Identity", path, name="save/control_dependency", after=written)
        assigned = [
            nodes.op("AssignVariableOp", handle, value, name="save/Assign")
            for handle, value in zip(handles, restored, strict=True)
        ]
        done = nodes.op("NoOp", name="save/restore_all", after=assigned)
        saver = self._meta.saver_def
        saver.filename_tensor_name = f"{path.node}:0"
        saver.save_tensor_name, saver.restore_op_name = f"{saved.node}:0", done
        saver.version = protos.SaverDef.V2

    def finish(self, functions: Sequence[Any]) -> None:
        """Enters the nodes and functions in the message."""
        ready = self._nodes.op("NoOp", name="NoOp")
        self._meta.collection_def["saved_model_main_op"].node_list.value.append(ready)
        init = self._meta.signature_def[INIT].outputs[INIT]
        init.name, init.tensor_shape.unknown_rank = ready, True
        graph = self._meta.graph_def
        graph.versions.producer = _PRODUCER
        graph.node.extend(self._nodes.made)
        graph.library.function.extend(functions)


def _plain(name: str) -> str:
    """A name that a node may have."""
    allowed = [c if (c.isalnum() and c.isascii()) or c in "._/-" else "_" for c in name]
    made = "".join(allowed) or "node"
    return made if made[0].isalnum() or made[0] == "." else f"n{made}"


def _shape(spec: TensorSpec) -> Any:
    return None if spec.shape.rank is None else spec.shape.as_list()


def _info(x: Value, spec: TensorSpec) -> protos.TensorInfo:
    return protos.TensorInfo(
        name=f"{x.node}:{x.place}",
        dtype=spec.dtype.as_datatype_enum,
        tensor_shape=shape_proto(_shape(spec)),
    )

"""The main graph of a saved model: variables, signatures, and nodes that save and restore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from gradtape._src.core.variable import Variable
from gradtape._src.graphdef_export.nodes import Nodes, Value, shape_proto
from gradtape._src.graphdef_export.tables import table_handle
from gradtape._src.messages import protos
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec
from gradtape._src.saving.export.saved_functions import SavedFunction
from gradtape._src.saving.export.structured_values import components, composite
from gradtape._src.text.assets import Asset

PREDICT = "tensorflow/serving/predict"
INIT = "__saved_model_init_op"
_PRODUCER = 2474  # the version of the graph format


class MetaGraph:
    """The main graph of a saved model.

    Args:
      meta: The message that the nodes are written to.
    """

    def __init__(self, meta: protos.MetaGraphDef) -> None:
        self._meta = meta
        self._nodes = Nodes(is_function=False)
        self._handles: dict[int, Value] = {}
        self._tables: dict[int, str] = {}
        self._ready: list[str] = []

    def constant(self, value: np.ndarray[Any, Any]) -> str:
        """Adds a constant, and returns the name of its node."""
        made: Value = self._nodes.op("Const", name="Const", value=value, dtype=value.dtype)
        self._handles[id(value)] = made
        return made.node

    def _captured(self, x: Any) -> Value:
        found = self._handles.get(id(x))
        if found is None:
            found = self._handles[id(x)] = self._handle(x)
        return found

    def table_name(self, table: Any) -> str:
        """Returns the shared name by which operations refer to a table."""
        return self._tables.setdefault(id(table), f"table_{uuid4().hex}")

    def filled(self, function: str, uses: Sequence[Any], is_stateful: bool) -> None:
        """Adds a call of a function that fills a table when the model is loaded."""
        if not is_stateful:
            return
        made = self._nodes.op(
            "StatefulPartitionedCall",
            [self._captured(x) for x in uses],
            after=list(self._ready),
            Tout=["int32"],
            f=function,
        )
        self._ready.append(made[0].node)

    def asset(self, asset: Asset, filename: str) -> int:
        """Adds an asset file to the model, and returns its number.

        A variable holds its path, which the loader of the model sets.
        """
        nodes = self._nodes
        path = nodes.op("Placeholder", name="asset_path_initializer", dtype="string", shape=[])
        name = f"asset_path_{len(self._meta.asset_file_def)}"
        handle = nodes.op("VarHandleOp", name=name, shared_name=name, shape=[], dtype="string")
        self._ready.append(nodes.op("AssignVariableOp", handle, path))
        self._handles[id(asset)] = nodes.op(
            "ReadVariableOp", handle, dtype="string", after=self._ready[-1:]
        )
        file = self._meta.asset_file_def.add(filename=filename)
        file.tensor_info.name = f"{path.node}:0"
        return len(self._meta.asset_file_def) - 1

    def _handle(self, thing: Any) -> Value:
        if not isinstance(thing, Variable):
            return table_handle(self._nodes, thing, self.table_name(thing))
        variable, name = thing, thing._shared_name
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
        following = iter(outs)
        for name, spec in function.outputs.items():
            parts = [(next(following), part) for part in components(spec)]
            made.outputs[name].CopyFrom(_result_info(parts, spec))

    def saver(self, variables: Mapping[str, Variable], tables: Mapping[str, Any]) -> None:
        """Adds nodes that save and restore variables and tables, given their checkpoint keys."""
        nodes = self._nodes
        path = nodes.op("Placeholder", name="saver_filename", dtype="string", shape=[])
        values, assigns = self._saved_variables(variables)
        for key, table in tables.items():
            handle, dtypes = self._captured(table), (table.key_dtype, table.value_dtype)
            kinds = [dtype.name for dtype in dtypes]
            found = nodes.op("LookupTableExportV2", handle, Tkeys=kinds[0], Tvalues=kinds[1])
            values |= {
                f"{key}-{part}": x for part, x in zip(("keys", "values"), found, strict=True)
            }
            assigns.append(("LookupTableImportV2", handle, 2))
        names = np.array([*values], object)
        keys = nodes.op("Const", name="save/keys", value=names, dtype="string")
        slices = np.full(len(values), "", object)
        whole = nodes.op("Const", name="save/slices", value=slices, dtype="string")
        restored: list[Any] = []
        written: list[str] = []
        if values:
            written = [nodes.op("SaveV2", path, keys, whole, [*values.values()], name="save/Save")]
            kinds = [x.dtype for x in values.values()]
            restored = nodes.op("RestoreV2", path, keys, whole, name="save/Restore", dtypes=kinds)
        saved = nodes.op("Identity", path, name="save/control_dependency", after=written)
        following = iter(restored)
        assigned = [
            nodes.op(kind, handle, *[next(following) for _ in range(count)], name="save/Assign")
            for kind, handle, count in assigns
        ]
        done = nodes.op("NoOp", name="save/restore_all", after=assigned)
        saver = self._meta.saver_def
        saver.filename_tensor_name = f"{path.node}:0"
        saver.save_tensor_name, saver.restore_op_name = f"{saved.node}:0", done
        saver.version = protos.SaverDef.V2

    def _saved_variables(
        self, variables: Mapping[str, Variable]
    ) -> tuple[dict[str, Value], list[tuple[str, Value, int]]]:
        """Returns the values of variables, and a function that adds nodes to restore them."""
        handles = [self._captured(v) for v in variables.values()]
        values = {
            key: self._nodes.op("ReadVariableOp", handle, name="save/Read", dtype=v.dtype.name)
            for (key, v), handle in zip(variables.items(), handles, strict=True)
        }
        return values, [("AssignVariableOp", handle, 1) for handle in handles]

    def finish(self, functions: Sequence[Any], gradients: Mapping[str, str]) -> None:
        """Writes the nodes and functions to the message.

        Args:
          functions: The definitions of the functions.
          gradients: The names of the functions that compute custom gradients, by the name that the
            nodes refer to.
        """
        ready = self._nodes.op("NoOp", name="NoOp", after=self._ready)
        self._meta.collection_def["saved_model_main_op"].node_list.value.append(ready)
        init = self._meta.signature_def[INIT].outputs[INIT]
        init.name, init.tensor_shape.unknown_rank = ready, True
        graph = self._meta.graph_def
        graph.versions.producer = _PRODUCER
        graph.node.extend(self._nodes.made)
        graph.library.function.extend(functions)
        for operation, function in gradients.items():
            graph.library.registered_gradients.add(
                registered_op_type=operation, gradient_func=function
            )


def _plain(name: str) -> str:
    """Returns a text as a valid node name."""
    allowed = [c if (c.isalnum() and c.isascii()) or c in "._/-" else "_" for c in name]
    made = "".join(allowed) or "node"
    return made if made[0].isalnum() or made[0] == "." else f"n{made}"


def _shape(spec: TensorSpec | SparseTensorSpec) -> Any:
    return None if spec.shape.rank is None else spec.shape.as_list()


def _result_info(parts: Sequence[tuple[Value, TensorSpec]], spec: TypeSpec) -> protos.TensorInfo:
    """Describes a result of a signature, which may consist of several tensors."""
    if isinstance(spec, TensorSpec):
        return _info(*parts[0])
    if isinstance(spec, SparseTensorSpec):
        names = [f"{x.node}:{x.place}" for x, _ in parts]
        made = protos.TensorInfo(
            dtype=spec.dtype.as_datatype_enum, tensor_shape=shape_proto(_shape(spec))
        )
        made.coo_sparse.indices_tensor_name, made.coo_sparse.values_tensor_name = names[:2]
        made.coo_sparse.dense_shape_tensor_name = names[2]
        return made
    made = protos.TensorInfo()
    made.composite_tensor.type_spec.CopyFrom(composite(spec))
    made.composite_tensor.components.extend([_info(*part) for part in parts])
    return made


def _info(x: Value, spec: TensorSpec) -> protos.TensorInfo:
    return protos.TensorInfo(
        name=f"{x.node}:{x.place}",
        dtype=spec.dtype.as_datatype_enum,
        tensor_shape=shape_proto(_shape(spec)),
    )

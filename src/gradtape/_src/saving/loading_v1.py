"""Models of TensorFlow 1, which consist of a graph with signatures and have no objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gradtape._src.base.dtypes import as_dtype, string
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.files.damaged_input import reading
from gradtape._src.graphdef.attributes import Attributes, dtype_of_number, shape_of_message
from gradtape._src.graphdef.bodies import (
    Body,
    Functions,
    GraphReader,
    Problem,
    UnavailableError,
    by_name,
    recovered_nodes,
)
from gradtape._src.graphdef.nodes import Surroundings, needed
from gradtape._src.graphdef.state_kernels import new_variable
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.raw.op_definitions import op_definition
from gradtape._src.saving.bundle import CheckpointReader
from gradtape._src.saving.functions.graph_functions import GraphRun, asset_path, warn_of
from gradtape._src.saving.functions.loaded_objects import SignatureMap, UserObject
from gradtape._src.saving.functions.restored import RestoredConcrete, UnavailableFunction
from gradtape._src.saving.functions.structured_values import Parameters

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
ASSETS = "saved_model_assets"
INIT = "__saved_model_init_op"


class LoadedGraph(UserObject):
    """A model of TensorFlow 1.

    Attributes:
      signatures: The signatures by name.
      variables: The variables of the model.
      asset_paths: The paths of the asset files.
    """

    def __init__(
        self, meta: protos.MetaGraphDef, directory: Path, allow_io: bool, skip: bool
    ) -> None:
        super().__init__()
        self._surroundings = Surroundings(str(directory / "assets"), allow_io)
        self._functions = Functions(meta.graph_def.library.function, self._surroundings)
        self._nodes = by_name(meta.graph_def.node)
        self._assets = [(f.tensor_info.name, asset_path(directory, f)) for f in assets_of(meta)]
        self._problems: dict[Problem, None] = {}
        self.asset_paths = [convert_to_tensor(str(path), string) for _, path in self._assets]
        self.tensorflow_version = meta.meta_info_def.tensorflow_version
        self.variables = self._restored(meta, directory, skip)
        self.signatures = SignatureMap()
        for name, signature in meta.signature_def.items():
            if name != INIT:
                self.signatures[name] = self._signature(name, signature)

    def _restored(self, meta: protos.MetaGraphDef, directory: Path, skip: bool) -> list[Variable]:
        """Returns the graph's variables with their values."""
        prefix = directory / "variables" / "variables"
        reader = None if skip or not Path(f"{prefix}.index").exists() else CheckpointReader(prefix)
        trained, parts = _variable_names(meta, "trainable_variables"), _parts(meta)
        found = {}
        for node in meta.graph_def.node:
            if node.op in _VARIABLES:
                attributes = Attributes(node.attr, op_definition(node.op))
                key = attributes.text("shared_name") or node.name
                part = parts.get(node.name)
                made = self._variable(reader, key, attributes, node.name in trained, part)
                self._surroundings.resources["variable", key] = found[node.name] = made
        order = [*_variable_names(meta, "variables"), *found]
        return [found[name] for name in dict.fromkeys(order) if name in found]

    @staticmethod
    def _variable(
        reader: CheckpointReader | None,
        key: str,
        attributes: Attributes,
        trainable: bool,
        part: protos.SaveSliceInfoDef | None,
    ) -> Variable:
        """Returns a variable with its value in the checkpoint, or zero if it has no value there.

        A variable may be a part of a larger one, under whose name the checkpoint has all parts.
        """
        dtype, shape = attributes["dtype"], attributes["shape"]
        saved = key if part is None else part.full_name
        entry = None if reader is None else reader.entry(saved)
        if reader is None or entry is None:
            return new_variable(dtype, shape, key)
        of_part = None if part is None else TensorShape(list(part.var_shape))
        if entry.dtype is not dtype or not shape.is_compatible_with(of_part or entry.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {entry.shape} and dtype "
                f"{entry.dtype.name} when attempting to restore variable with shape {shape} and "
                f"dtype {dtype.name} and name {key}: `variables` belongs to another model."
            )
        value = reader.read(saved)
        if part is not None:
            value = value[_place(part, value.shape)]
        whole = None if shape.is_fully_defined() else shape
        tensor = value if dtype is string else Tensor(value[()])
        return Variable(tensor, trainable=trainable, name=key, shape=whole)

    def _body(self, feeds: Sequence[str], fetches: Sequence[str], kept: Sequence[str]) -> Body:
        """Returns the nodes that compute `fetches` from `feeds` and asset paths."""
        reader = GraphReader(", ".join([*fetches, *kept]), self._functions, self._surroundings)
        given = [*feeds, *[name for name, _ in self._assets]]
        for place, name in enumerate(given):
            reader.feed(name, place)
        nodes = recovered_nodes(needed(self._nodes, [*fetches, *kept], given))
        return reader.body(len(given), nodes, fetches, kept, effects=False)

    def _signature(self, name: str, signature: protos.SignatureDef) -> Any:
        feeds, arguments = _tensors(signature.inputs)
        fetches, results = _tensors(signature.outputs)
        return self._concrete(name, feeds, arguments, fetches, results)

    def _concrete(
        self, name: str, feeds: list[str], arguments: Any, fetches: list[str], results: Any
    ) -> RestoredConcrete | UnavailableFunction:
        try:
            body = self._body(feeds, fetches, [])
        except UnavailableError as error:
            self._problems.update(dict.fromkeys(error.problems))
            return UnavailableFunction(name, error.message)
        specs = list(arguments.values())
        plain = [x if isinstance(x, TensorSpec) else None for x in specs]
        known = plain if len(plain) == len(feeds) else [None] * len(feeds)
        run = GraphRun(name, body, known, lambda: self.asset_paths, traced=True)
        parameters = Parameters(list(arguments))
        return RestoredConcrete(
            parameters, ((), arguments), results, run, self.variables, name, by_name=True
        )

    def prune(self, feeds: Any, fetches: Any, name: str = "pruned") -> Callable[..., Any]:
        """Returns a function that computes some tensors of the graph from others.

        Args:
          feeds: The names of the tensors that the function takes.
          fetches: The names of the tensors that it returns: a name, a list or a dictionary of
            names.
          name: The name of the function.

        Returns:
          The function, which takes the tensors in the order of `feeds`.

        Raises:
          UnimplementedError: gradtape can't run a node that is needed.
          ValueError: There are no such tensors.
        """
        taken = [_named(x) for x in ([feeds] if isinstance(feeds, str) else feeds)]
        single = isinstance(fetches, str)
        wanted = {"result": fetches} if single else fetches
        wanted = wanted if isinstance(wanted, dict) else dict(enumerate(wanted))
        body = self._body(taken, [_named(x) for x in wanted.values()], [])
        run = GraphRun(name, body, [None] * len(taken), lambda: self.asset_paths, traced=True)

        def pruned(*tensors: Any) -> Any:
            if len(tensors) != len(taken):
                raise TypeError(f"{name} expects {len(taken)} tensors, got {len(tensors)}")
            outs = run([convert_to_tensor(x) for x in tensors])
            if single:
                return outs[0]
            found = dict(zip(wanted, outs, strict=True))
            return found if isinstance(fetches, dict) else list(found.values())

        return pruned

    def initialize(self, operation: str) -> None:
        """Runs an operation that fills tables.

        Args:
          operation: The name of the operation.
        """
        try:
            body = self._body([], [], [operation])
        except UnavailableError as error:
            self._problems.update(dict.fromkeys(error.problems))
            return
        body.run(self.asset_paths)
        resources = self._surroundings.resources
        self._tables = [x for (kind, _), x in resources.items() if kind == "table"]


def _named(x: Any) -> str:
    """Returns the name of a tensor, with its output number."""
    return x if isinstance(x, str) else str(x.name)


def assets_of(meta: protos.MetaGraphDef) -> list[protos.AssetFileDef]:
    """Returns the asset files of the graph, with the tensors that take their paths.

    Args:
      meta: The message of the model.
    """
    found = list(meta.asset_file_def)
    if not found and ASSETS in meta.collection_def:
        held = meta.collection_def[ASSETS].any_list.value
        found = [parsed(protos.AssetFileDef, x.value) for x in held]
    return found


def _variable_names(meta: protos.MetaGraphDef, collection: str) -> list[str]:
    """Returns the nodes of the variables in a collection."""
    if collection not in meta.collection_def:
        return []
    data = meta.collection_def[collection].bytes_list.value
    return [parsed(protos.VariableDef, x).variable_name.partition(":")[0] for x in data]


def _parts(meta: protos.MetaGraphDef) -> dict[str, protos.SaveSliceInfoDef]:
    """Maps the nodes of partitioned variables to the variable and the part that each node holds."""
    found = {}
    for held in meta.collection_def.values():
        for data in held.bytes_list.value:
            with suppress(DecodeError):
                variable = parsed(protos.VariableDef, data)
                if variable.HasField("save_slice_info_def"):
                    name = variable.variable_name.partition(":")[0]
                    found[name] = variable.save_slice_info_def
    return found


def _place(part: protos.SaveSliceInfoDef, whole: tuple[int, ...]) -> tuple[slice, ...]:
    """Returns the slices at which a part is in its variable.

    Raises:
      DecodeError: The part is not inside the variable.
    """
    pairs = list(zip(part.var_offset, part.var_shape, strict=False))
    fits = len(pairs) == len(whole) == len(part.var_offset) == len(part.var_shape)
    if not fits or any(not 0 <= a <= a + n <= m for (a, n), m in zip(pairs, whole, strict=True)):
        raise DecodeError(f"a part of the variable {part.full_name!r} is outside of it")
    return tuple([slice(a, a + n) for a, n in pairs])


def _tensors(infos: Any) -> tuple[list[str], dict[str, Any]]:
    """Returns the graph's names of a signature's tensors, and their specs by signature name."""
    names: list[str] = []
    specs: dict[str, Any] = {}
    for key in sorted(infos):
        info = infos[key]
        shape, dtype = shape_of_message(info.tensor_shape), dtype_of_number(info.dtype)
        if info.HasField("coo_sparse"):
            parts = info.coo_sparse
            names += [parts.indices_tensor_name, parts.values_tensor_name]
            names.append(parts.dense_shape_tensor_name)
            specs[key] = SparseTensorSpec(shape, as_dtype(dtype))
        elif info.HasField("composite_tensor"):
            raise DecodeError(f"the tensor {key!r} of a signature is of several")
        else:
            names.append(info.name)
            specs[key] = TensorSpec(shape, dtype, key)
    return names, specs


def load_graph(
    meta: protos.MetaGraphDef, directory: Path, allow_io: bool, skip: bool
) -> LoadedGraph:
    """Returns the object for a model of TensorFlow 1.

    Args:
      meta: The message of the model.
      directory: The model's directory.
      allow_io: Whether the functions may access files other than assets.
      skip: Whether to leave the variables zero.
    """
    with reading(f"The saved model at {directory}"):
        loaded = LoadedGraph(meta, directory, allow_io, skip)
        operation = init_operation(meta)
        if operation is not None:
            loaded.initialize(operation)
    warn_of(loaded._problems, directory)
    return loaded


def init_operation(meta: protos.MetaGraphDef) -> str | None:
    """Returns the name of the operation to run when a model is loaded, or None.

    Args:
      meta: The message of the model.
    """
    if INIT in meta.signature_def:
        outputs = meta.signature_def[INIT].outputs
        return str(outputs[INIT].name) if INIT in outputs else None
    for name in ("saved_model_main_op", "legacy_init_op"):
        if name in meta.collection_def:
            found = list(meta.collection_def[name].node_list.value)
            return str(found[0]) if found else None
    return None

"""Initial values of variables from a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.saving.state import load_checkpoint
from gradtape._src.sessions.files.saved_parts import by_name, each_variable
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import kept_graph


@export("compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Makes the initializers of variables in a graph assign values of a checkpoint.

    Args:
      ckpt_dir_or_file: The path of a checkpoint, or of a directory, whose last checkpoint is used.
      assignment_map: A dictionary from names of tensors in the checkpoint to variables or their
        names. A name that ends in a slash stands for a scope, and "/" for the whole checkpoint:
        each variable in the scope of the graph gets the value of the same name in the scope of the
        checkpoint.

    Raises:
      ValueError: A name is missing in the checkpoint or the graph, or a shape differs.
      NotFoundError: There is no such checkpoint.

    >>> import tempfile
    >>> v1, path = tf.compat.v1, tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     v = v1.get_variable("old", initializer=5.0)
    ...     session.run(v.initializer)
    ...     _ = v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     v = v1.get_variable("new", initializer=0.0)
    ...     v1.train.init_from_checkpoint(path, {"old": v})
    ...     session.run(v.initializer)
    ...     float(session.run(v))
    5.0
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    if not isinstance(assignment_map, Mapping):
        assignment_map = dict(assignment_map)
    for name, target in assignment_map.items():
        if isinstance(target, str) and target.endswith("/"):
            pairs = _of_scope(name, target, shapes)
        else:
            pairs = [(name, target)]
        for key, found in pairs:
            variable = _variable(found) if isinstance(found, str) else found
            for _, part, place in each_variable(by_name({key: variable})):
                _begin_with(part, key, place, reader, shapes)


def _of_scope(name: str, scope: str, shapes: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Returns the variables of a scope with the names of their values in the checkpoint."""
    if not name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {name}. Should "
            "be 'scope/': 'other_scope/'."
        )
    found = []
    for own, variable in by_name(kept_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)).items():
        if own.startswith(scope) or scope == "/":
            key = name.removeprefix("/") + own.removeprefix(scope)
            if key not in shapes:
                raise ValueError(
                    f"Tensor {key} (in {scope}) is not found in the checkpoint, which has "
                    f"{sorted(shapes)[:10]}."
                )
            found.append((key, variable))
    return found


def _variable(name: str) -> Any:
    known = kept_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    for variable in known:
        if str(variable.name).partition(":")[0] == name:
            return variable
    if name in (whole := by_name(known)):
        return whole[name]
    raise ValueError(f"Variable {name} is not found in the graph.")


def _begin_with(
    variable: Any, key: str, place: Any, reader: Any, shapes: Mapping[str, Any]
) -> None:
    """Makes the initializer of a variable assign a value of a checkpoint."""
    if key not in shapes:
        raise ValueError(
            f"Tensor {key!r} is not found in the checkpoint, which has {sorted(shapes)[:10]}."
        )
    shape = variable.shape if place is None else TensorShape(place.full_shape)
    if not shape.is_compatible_with(TensorShape(shapes[key])):
        raise ValueError(
            f"Shape of variable {variable.name} ({shape}) doesn't match with shape of "
            f"tensor {key} ({shapes[key]}) from checkpoint reader."
        )
    read = reader.get_tensor(key) if place is None else reader.read_slice(key, place.place)
    value = convert_to_tensor(read, variable.dtype)
    if not isinstance(variable, GraphVariable):
        variable.assign(value)
        return
    variable.begins_with(value)

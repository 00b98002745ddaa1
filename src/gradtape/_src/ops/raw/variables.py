"""Raw operations on variables, which take a variable's `handle`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.resource_handles import variable_of as represented
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.array.shaping import broadcast_to, reshape
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.ops.raw.small_operations import tensor_strided_slice_update


def variable_of(handle: Any, operation: str) -> Variable:
    """Returns the variable that a handle stands for.

    Args:
      handle: A variable's `handle`, or the variable.
      operation: The raw operation's name, for the error.

    Raises:
      InvalidArgumentError: `handle` is a tensor.
      TypeError: `handle` is a value that could become a tensor.
      ValueError: `handle` is something else.
    """
    found = handle if isinstance(handle, Variable) else represented(handle)
    if found is None:
        if type(convert_to_tensor(handle)) is not type(handle):
            raise TypeError(
                f"Cannot convert {handle!r} to EagerTensor of dtype resource [Op:{operation}]"
            )
        raise invalid(f"a variable's handle is needed, got {handle!r} [Op:{operation}]")
    return found


@raw_op("ReadVariableOp")
def read_variable(resource: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Returns the value of a variable.

    Raises:
      InvalidArgumentError: The dtype of the variable differs from `dtype`.
    """
    variable, wanted = variable_of(resource, "ReadVariableOp"), as_dtype(dtype)
    if variable.dtype != wanted:
        raise invalid(
            f"Trying to read variable with wrong dtype. Expected {wanted.name} got "
            f"{variable.dtype.name} [Op:ReadVariableOp]",
            About.DTYPES,
        )
    return variable.read_value()


@raw_op("AssignVariableOp", ignored=("validate_shape",), differentiable=False)
def assign_variable(resource: Any, value: Any, name: str | None = None) -> None:
    """Assigns a value to a variable."""
    variable_of(resource, "AssignVariableOp").assign(value, read_value=False)


@raw_op("AssignAddVariableOp", differentiable=False)
def assign_add_variable(resource: Any, value: Any, name: str | None = None) -> None:
    """Adds a value to a variable."""
    variable_of(resource, "AssignAddVariableOp").assign_add(value, read_value=False)


@raw_op("AssignSubVariableOp", differentiable=False)
def assign_sub_variable(resource: Any, value: Any, name: str | None = None) -> None:
    """Subtracts a value from a variable."""
    variable_of(resource, "AssignSubVariableOp").assign_sub(value, read_value=False)


@raw_op("VariableShape", differentiable=False)
def variable_shape(input: Any, out_type: Any = int32, name: str | None = None) -> Tensor:
    """Returns the shape of a variable's value."""
    return lengths_of(variable_of(input, "VariableShape").read_value(), out_type)


@raw_op("VarIsInitializedOp", differentiable=False)
def is_initialized(resource: Any, name: str | None = None) -> Tensor:
    """Returns True: a variable has a value from the beginning."""
    variable_of(resource, "VarIsInitializedOp")
    return convert_to_tensor(True)


@raw_op("ResourceGather", ignored=("validate_indices",))
def gather_rows(
    resource: Any, indices: Any, dtype: Any, batch_dims: int = 0, name: str | None = None
) -> Tensor:
    """Returns rows of a variable, selected by indices."""
    variable = variable_of(resource, "ResourceGather")
    if not batch_dims:
        return gather(variable, indices)
    return gather(variable.read_value(), indices, axis=batch_dims, batch_dims=batch_dims)


@raw_op("ResourceGatherNd")
def gather_places(resource: Any, indices: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Returns elements or slices of a variable, selected by index vectors."""
    return gather_nd(variable_of(resource, "ResourceGatherNd"), indices)


def raw_rows(method: Callable[..., Any], operation: str) -> None:
    """Declares a method of variables as the raw operation that changes rows."""
    name_of_method = method.__name__

    def change(resource: Any, indices: Any, updates: Any, name: str | None = None) -> None:
        """Changes rows of a variable; a scalar changes all their elements."""
        variable = variable_of(resource, operation)
        places = reshape(convert_to_tensor(indices), [-1])
        changes = convert_to_tensor(updates, variable.dtype)
        shape = [lengths_of(places)[0], *shape_of(variable.read_value())[1:]]
        changes = reshape(changes, shape) if shape_of(changes) else broadcast_to(changes, shape)
        getattr(variable, name_of_method)(IndexedSlices(changes, places))

    raw_op(operation, differentiable=False)(change)


def raw_places(method: Callable[..., Any], operation: str) -> None:
    """Declares a method of variables as the raw operation that changes elements or slices."""
    name_of_method = method.__name__

    def change(ref: Any, indices: Any, updates: Any, name: str | None = None) -> None:
        """Changes elements or slices of a variable."""
        variable = variable_of(ref, operation)
        getattr(variable, name_of_method)(indices, updates)

    raw_op(operation, ignored=("use_locking", "bad_indices_policy"), differentiable=False)(change)


raw_rows(Variable.scatter_add, "ResourceScatterAdd")
raw_rows(Variable.scatter_sub, "ResourceScatterSub")
raw_rows(Variable.scatter_mul, "ResourceScatterMul")
raw_rows(Variable.scatter_div, "ResourceScatterDiv")
raw_rows(Variable.scatter_max, "ResourceScatterMax")
raw_rows(Variable.scatter_min, "ResourceScatterMin")
raw_rows(Variable.scatter_update, "ResourceScatterUpdate")
raw_places(Variable.scatter_nd_add, "ResourceScatterNdAdd")
raw_places(Variable.scatter_nd_sub, "ResourceScatterNdSub")
raw_places(Variable.scatter_nd_max, "ResourceScatterNdMax")
raw_places(Variable.scatter_nd_min, "ResourceScatterNdMin")
raw_places(Variable.scatter_nd_update, "ResourceScatterNdUpdate")


@raw_op("ResourceStridedSliceAssign", differentiable=False)
def assign_slice(
    ref: Any,
    begin: Any,
    end: Any,
    strides: Any,
    value: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> None:
    """Replaces a slice of a variable."""
    variable = variable_of(ref, "ResourceStridedSliceAssign")
    masks = [begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask]
    whole: Any = tensor_strided_slice_update
    new = whole(variable.read_value(), begin, end, strides, value, *masks)
    variable.assign(new, read_value=False)

"""The base class of optimizers in Keras before TensorFlow 2.11, which libraries still subclass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras
import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.dtypes import int64
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.trackable import AutoTrackable
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable


class LegacyOptimizer(AutoTrackable):
    """Applies gradients by the methods of a subclass.

    A subclass implements the update in `_resource_apply_dense(grad, var)`, and the update of the
    rows of `IndexedSlices` in `_resource_apply_sparse(grad, var, indices)`. It adds its slots,
    additional variables for each variable, in `_create_slots`, and prepares an update in
    `_prepare`.

    Args:
      name: The optimizer's name.
    """

    def __init__(self, name: str) -> None:
        self._name, self._use_locking = name, True
        self._iterations = Variable(np.int64(0), trainable=False, dtype=int64, name="iter")
        self._slots: dict[int, dict[str, Variable]] = {}

    @property
    def iterations(self) -> Variable:
        """The number of updates until now."""
        return self._iterations

    def add_slot(self, var: Variable, slot_name: str, initializer: Any = "zeros") -> Variable:
        """Returns the slot of a variable, which is made at the first call.

        Args:
          var: The variable.
          slot_name: The slot's name.
          initializer: An initializer or its name, or the initial value.
        """
        slots = self._slots.setdefault(var._id, {})
        if slot_name not in slots:
            value = initializer
            if isinstance(initializer, str) or callable(initializer):
                value = keras.initializers.get(initializer)(var.shape, dtype=var.dtype.name)
            slots[slot_name] = Variable(value, trainable=False, dtype=var.dtype, name=slot_name)
        return slots[slot_name]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """Returns the slot of a variable.

        Raises:
          KeyError: The variable has no such slot.
        """
        return self._slots[var._id][slot_name]

    def minimize(
        self,
        loss: Tensor | Callable[[], Tensor],
        var_list: Sequence[Any] | Callable[[], Sequence[Any]],
        grad_loss: Any = None,
        name: str | None = None,
        tape: GradientTape | None = None,
    ) -> Variable:
        """Computes the gradients of a loss, and applies them.

        Args:
          loss: A function that returns the loss; or the loss, if there is a tape.
          var_list: The variables, or a function that returns them.
          grad_loss: The gradient with respect to the loss. Defaults to ones.
          name: A name for the operation.
          tape: The tape that recorded the loss.

        Returns:
          `iterations`.

        Raises:
          ValueError: `loss` is a tensor, and there is no tape.
        """
        variables, pairs = gradients_of(loss, var_list, tape, grad_loss)
        return self.apply_gradients(zip(pairs, variables, strict=True), name)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Variable]], name: str | None = None
    ) -> Variable:
        """Applies gradients to variables.

        Args:
          grads_and_vars: Pairs of a gradient and a variable; those without a gradient are left out.
          name: A name for the operation.

        Returns:
          `iterations`.

        Raises:
          ValueError: No pair has a gradient.
        """
        pairs = [(grad, var) for grad, var in grads_and_vars if grad is not None]
        if not pairs:
            raise ValueError("apply_gradients: no gradient was given for any variable")
        variables = [var for _, var in pairs]
        self._create_slots(variables)
        self._prepare(variables)
        for grad, var in pairs:
            if isinstance(grad, IndexedSlices):
                self._resource_apply_sparse(grad.values, var, grad.indices)
            else:
                self._resource_apply_dense(grad, var)
        return self._iterations.assign_add(1)

    def get_config(self) -> dict[str, object]:
        """Returns the arguments of this optimizer."""
        return {"name": self._name}

    def variables(self) -> list[Variable]:
        """Returns the counter of updates and all slots."""
        return [self._iterations, *(v for slots in self._slots.values() for v in slots.values())]

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Adds the slots of a subclass; by default, there are no slots."""

    def _prepare(self, var_list: Sequence[Variable]) -> None:
        """Prepares an update; by default, does nothing."""

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no `_resource_apply_dense`")

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no `_resource_apply_sparse`")

    def _resource_scatter_add(self, x: Variable, i: Tensor, v: Tensor) -> Variable:
        return x.scatter_add(IndexedSlices(v, i))

    def _resource_scatter_update(self, x: Variable, i: Tensor, v: Tensor) -> Variable:
        return x.scatter_update(IndexedSlices(v, i))


def gradients_of(
    loss: Tensor | Callable[[], Tensor],
    var_list: Sequence[Any] | Callable[[], Sequence[Any]],
    tape: GradientTape | None,
    grad_loss: Any = None,
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Returns the variables and the gradients of a loss, computed as `minimize` of Keras 2 does."""
    if not callable(loss) and tape is None:
        raise ValueError(
            f"minimize: a loss that is a tensor needs the `tape` that recorded it; got {loss}"
        )
    with GradientTape() if tape is None else tape as watching:
        value = loss() if callable(loss) else loss
        variables = var_list() if callable(var_list) else var_list
    return variables, watching.gradient(value, variables, grad_loss)

"""Adagrad with dual averaging: `tf.compat.v1.train.AdagradDAOptimizer`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.ops.elementwise.arithmetic import sign
from gradtape._src.ops.elementwise.powers import sqrt
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.sessions.training.optimizer import Optimizer, Part


@export("compat.v1.train.AdagradDAOptimizer")
class AdagradDAOptimizer(Optimizer):
    """Adagrad that computes variables from the sum of all gradients (Duchi et al., 2011).

    Args:
      learning_rate: The learning rate.
      global_step: The variable that counts the updates.
      initial_gradient_squared_accumulator_value: The initial value of the sums of squares.
      l1_regularization_strength: The factor of the absolute values.
      l2_regularization_strength: The factor of the squares.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.

    Raises:
      ValueError: The initial value is not positive.
    """

    slot_names = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._steps = learning_rate, global_step
        self._first = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _start(self, slot: str) -> float:
        return self._first if slot == "gradient_squared_accumulator" else 0.0

    def _apply(self, part: Part) -> None:
        sums, squares = (self._slot(name, part) for name in self.slot_names)
        rate, steps = part.number(self._learning_rate), part.number(self._steps) + 1
        total = part.read(sums) + part.gradient
        curved = part.read(squares) + part.gradient * part.gradient
        kept = sign(total) * maximum(abs(total) - self._l1 * steps, 0.0)
        part.write(sums, total)
        part.write(squares, curved)
        part.write(part.variable, -rate * kept / (self._l2 * steps * rate + sqrt(curved)))

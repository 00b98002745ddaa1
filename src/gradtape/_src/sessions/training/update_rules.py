"""The optimizers of `tf.compat.v1.train`, each with its update rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.ops.elementwise.arithmetic import sign
from gradtape._src.ops.elementwise.powers import pow, rsqrt, sqrt
from gradtape._src.ops.elementwise.selection import maximum, where
from gradtape._src.sessions.training.optimizer import Optimizer, Part, new_number


@export("compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """Gradient descent: subtracts the gradient times the learning rate.

    Args:
      learning_rate: The learning rate, a number or tensor.
      use_locking: Accepted for compatibility.
      name: The name of the operations.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply(self, part: Part) -> None:
        rate = part.number(self._learning_rate)
        part.write(part.variable, part.read(part.variable) - part.gradient * rate)


@export("compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: subtracts a decaying sum of the gradients.

    Args:
      learning_rate: The learning rate.
      momentum: The decay rate of the sum.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.
      use_nesterov: Whether to use Nesterov momentum.
    """

    slot_names = ("momentum",)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _apply(self, part: Part) -> None:
        rate, momentum = part.number(self._learning_rate), part.number(self._momentum)
        slot = self._slot("momentum", part)
        whole = part.read(slot) * momentum + part.gradient
        step = whole * rate
        if self._use_nesterov:
            step = part.gradient * rate + whole * momentum * rate
        before = part.read(part.variable)
        part.write(slot, whole)
        part.write(part.variable, before - step)


@export("compat.v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """The Adam optimizer (Kingma and Ba, 2015).

    Args:
      learning_rate: The learning rate.
      beta1: The decay rate of the mean of gradients.
      beta2: The decay rate of the mean of squared gradients.
      epsilon: A small constant that is added to the divisor to avoid division by 0.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.
      use_own_namescope_for_non_slot_vars: See `Optimizer`.
    """

    slot_names = ("m", "v")
    by_rows = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._learning_rate, self._epsilon = learning_rate, epsilon
        self._betas = (beta1, beta2)
        self._powers: tuple[Any, Any] | None = None

    def _prepare(self, variables: Sequence[Any]) -> None:
        if self._powers is None:
            first, second = self._betas
            self._powers = (
                new_number(self, first, "beta1_power"),
                new_number(self, second, "beta2_power"),
            )
        super()._prepare(variables)

    def _apply(self, part: Part) -> None:
        assert self._powers is not None
        b1, b2 = [part.number(b) for b in self._betas]
        p1, p2 = [part.number(p) for p in self._powers]
        rate = part.number(self._learning_rate) * sqrt(1 - p2) / (1 - p1)
        m, v, g = self._slot("m", part), self._slot("v", part), part.gradient
        new_m = part.read(m) * b1 + g * (1 - b1)
        new_v = part.read(v) * b2 + g * g * (1 - b2)
        before = part.read(part.variable)
        part.write(m, new_m)
        part.write(v, new_v)
        part.write(part.variable, before - rate * new_m / (sqrt(new_v) + self._epsilon))

    def _finish(self) -> list[Any]:
        assert self._powers is not None
        pairs = zip(self._powers, self._betas, strict=True)
        return [power.assign(convert_to_tensor(power) * beta) for power, beta in pairs]


@export("compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(Optimizer):
    """Adagrad: divides gradients by the root of the sum of their squares (Duchi et al., 2011).

    Args:
      learning_rate: The learning rate.
      initial_accumulator_value: The initial value of the sums of squares.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.
    """

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value

    def _start(self, slot: str) -> float:
        return self._first

    def _apply(self, part: Part) -> None:
        slot, g = self._slot("accumulator", part), part.gradient
        total = part.read(slot) + g * g
        before = part.read(part.variable)
        part.write(slot, total)
        part.write(part.variable, before - part.number(self._learning_rate) * g * rsqrt(total))


@export("compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer):
    """RMSProp: divides gradients by the root of a moving average of their squares (Hinton).

    Args:
      learning_rate: The learning rate.
      decay: The decay rate of the mean.
      momentum: The fraction of the last step that is added to the next one.
      epsilon: A small constant that is added to the divisor to avoid division by 0.
      use_locking: Accepted for compatibility.
      centered: Whether the square of the mean gradient is subtracted from the mean of squares.
      name: The name of the operations and slots.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        self.slot_names = ("rms", "mg", "momentum") if centered else ("rms", "momentum")
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon, self._centered = momentum, epsilon, centered

    def _start(self, slot: str) -> float:
        return 1.0 if slot == "rms" else 0.0

    def _apply(self, part: Part) -> None:
        g, decay = part.gradient, part.number(self._decay)
        rms, momentum = self._slot("rms", part), self._slot("momentum", part)
        before, squares = part.read(part.variable), part.read(rms)
        squares = squares + (g * g - squares) * (1 - decay)
        divisor = squares + self._epsilon
        step = part.read(momentum) * part.number(self._momentum)
        if self._centered:
            slot = self._slot("mg", part)
            mean = part.read(slot)
            mean = mean + (g - mean) * (1 - decay)
            divisor = divisor - mean * mean
            part.write(slot, mean)
        step = step + part.number(self._learning_rate) * g * rsqrt(divisor)
        part.write(rms, squares)
        part.write(momentum, step)
        part.write(part.variable, before - step)


@export("compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer):
    """Adadelta: steps whose size depends on the previous steps (Zeiler, 2012).

    Args:
      learning_rate: The learning rate.
      rho: The decay rate of the means.
      epsilon: A small constant that is added to the divisor to avoid division by 0.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.
    """

    slot_names = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _apply(self, part: Part) -> None:
        g, rho, epsilon = part.gradient, part.number(self._rho), part.number(self._epsilon)
        squares, steps = self._slot("accum", part), self._slot("accum_update", part)
        mean = part.read(squares) * rho + g * g * (1 - rho)
        before, last = part.read(part.variable), part.read(steps)
        step = sqrt(last + epsilon) * rsqrt(mean + epsilon) * g
        part.write(squares, mean)
        part.write(steps, last * rho + step * step * (1 - rho))
        part.write(part.variable, before - step * part.number(self._learning_rate))


@export("compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(Optimizer):
    """Follow the regularized leader (McMahan et al., 2013).

    Args:
      learning_rate: The learning rate.
      learning_rate_power: The exponent by which the learning rate decreases, zero or negative.
      initial_accumulator_value: The initial value of the sums of squares.
      l1_regularization_strength: The strength of the L1 penalty.
      l2_regularization_strength: The strength of the L2 penalty.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.
      accum_name: The name of the slot for the sums of squares.
      linear_name: The name of the slot for the linear terms.
      l2_shrinkage_regularization_strength: The strength of an L2 penalty that is added to the
        gradient.
      beta: A number that makes the first steps smaller. Defaults to 0.
    """

    slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._power = learning_rate, learning_rate_power
        self._first = initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, beta or 0.0

    def _start(self, slot: str) -> float:
        return self._first if slot == "accum" else 0.0

    def _apply(self, part: Part) -> None:
        accum, linear = self._slot("accum", part), self._slot("linear", part)
        g, x, rate = part.gradient, part.read(part.variable), part.number(self._learning_rate)
        before, along = part.read(accum), part.read(linear)
        total = before + g * g
        new, old = pow(total, -self._power), pow(before, -self._power)
        along = along + (g + 2 * self._shrinkage * x) - (new - old) / rate * x
        curved = (new + self._beta) / rate + 2 * self._l2
        beyond = maximum(along * sign(along) - self._l1, 0)
        part.write(accum, total)
        part.write(linear, along)
        part.write(part.variable, where(beyond > 0, -sign(along) * beyond / curved, 0 * x))


class _Proximal(Optimizer):
    """A step of gradient descent, after which the penalties' proximal operator is applied."""

    _l1: Any
    _l2: Any

    def _shrunk(self, part: Part, value: Any, rate: Any) -> Any:
        """Returns a value moved towards zero by both penalties."""
        l1, l2 = part.number(self._l1), part.number(self._l2)
        return sign(value) * maximum(abs(value) - rate * l1, 0.0) / (1.0 + rate * l2)


@export("compat.v1.train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(_Proximal):
    """Gradient descent with penalties on the absolute values and squares of variables.

    Args:
      learning_rate: The learning rate.
      l1_regularization_strength: The factor of the absolute values.
      l2_regularization_strength: The factor of the squares.
      use_locking: Accepted for compatibility.
      name: The name of the operations.
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _apply(self, part: Part) -> None:
        rate = part.number(self._learning_rate)
        moved = part.read(part.variable) - part.gradient * rate
        part.write(part.variable, self._shrunk(part, moved, rate))


@export("compat.v1.train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_Proximal):
    """Adagrad with penalties on the absolute values and squares of variables.

    Args:
      learning_rate: The learning rate.
      initial_accumulator_value: The first value of the sums of squares.
      l1_regularization_strength: The factor of the absolute values.
      l2_regularization_strength: The factor of the squares.
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.
    """

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError("initial_accumulator_value must be positive")
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _start(self, slot: str) -> float:
        return self._first

    def _apply(self, part: Part) -> None:
        slot = self._slot("accumulator", part)
        whole = part.read(slot) + part.gradient * part.gradient
        part.write(slot, whole)
        rate = part.number(self._learning_rate) * rsqrt(whole)
        moved = part.read(part.variable) - part.gradient * rate
        part.write(part.variable, self._shrunk(part, moved, rate))

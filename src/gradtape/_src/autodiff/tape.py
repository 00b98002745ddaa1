"""`GradientTape`: records operations, and differentiates what it recorded."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from contextvars import Token
from typing import Any, Self, TypeVar, overload

from gradtape._src.autodiff.arguments import (
    GRADIENT_INSIDE,
    UnconnectedGradients,
    answers,
    id_of,
    inner_leaf,
    not_watchable,
    seeds,
    source_leaves,
    target_leaves,
    unconnected_choice,
    watchable_in,
)
from gradtape._src.autodiff.exits import TapeExit
from gradtape._src.autodiff.tape_jacobians import TapeJacobians
from gradtape._src.autodiff.tape_tools import TapeTools
from gradtape._src.autodiff.walk import pull_back, relevant
from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import ExitOf, Setting, abandoned
from gradtape._src.core import recorder
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.primitive import FLOAT32, Outputs, Plan, Primitive, Record, record
from gradtape._src.core.recorder import STACK, Recorder, active_tapes, next_id
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import filter_methods
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import check_used_inside

K = TypeVar("K")
_log = logging.getLogger("tensorflow")  # the logger that programs configure


@export("GradientTape", "autodiff.GradientTape", direct=True)
@wrappable("__enter__", "__exit__", "_stop", "reset", "watch", "gradient")
class GradientTape(TapeJacobians, TapeTools, Recorder):
    """Records operations for automatic differentiation.

    An operation is recorded if one of its inputs is watched: a trainable variable from its first
    read on, a tensor after a call of `watch`, and every value that is computed from either.

    Args:
      persistent: Whether gradients may be computed more than once.
      watch_accessed_variables: Whether trainable variables are watched when they are read.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    is_tape = True

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._token: Token[tuple[Any, ...] | None] | None = None
        self._state = _NEW
        self.ids: set[int] = set()
        self.records: list[Record] = []
        self._roots: set[int] = set()
        self._variables: dict[int, Variable] = {}

    def add(self, record: Record) -> None:
        """Appends a record and tracks its outputs.

        Args:
          record: The derivative rules of an operation, the id of the output or the ids of several
            ones, the ids of the inputs with 0 for those that are not watched, and the tensors and
            other values that the derivative needs.
        """
        out = record[1]
        if type(out) is tuple:
            self.ids.update(out)
            self.ids.discard(0)
        else:
            self.ids.add(out)
        self.records.append(record)

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        """Runs an operation, and records it if an input is watched.

        Args:
          primitive: The operation.
          inputs: The tensors that go in.
          params: The operation's other parameters.

        Returns:
          The output, or a tuple of several outputs.
        """
        out = primitive.bind(*inputs, **params)
        record((self,), primitive, inputs, out, params)
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        """Records an operation that has run, if an input is watched.

        Args:
          plan: The operation's derivative rules.
          inputs: The inputs.
          outputs: The tensors that came out.
        """
        ids = tuple([i if i in self.ids else 0 for i in (getattr(x, "_id", 0) for x in inputs)])
        if any(ids):
            for y in outputs:
                if not y._id and y.dtype.differentiable:
                    y._id = next_id()
            saved, static = plan.keep(inputs, outputs, None)
            self.add((plan, tuple([y._id for y in outputs]), ids, saved, static))

    def _follows(self, value: Any) -> bool:
        """Whether the tape watches a value, or a value from which it was computed."""
        reads = self._watch_accessed_variables and isinstance(value, Variable) and value.trainable
        return value._id in self.ids or reads

    def variable_read(self, variable: Variable, asked: bool = False) -> None:
        """Watches a trainable variable that is read for the first time.

        Args:
          variable: The variable.
          asked: Whether the program asks to watch it, so that it may be any variable.
        """
        if (i := variable._id) not in self._variables and (
            asked or (self._watch_accessed_variables and variable._trainable)
        ):
            self._variables[i] = variable
            value = variable.__dict__.get("_value")
            if getattr(value, "dtype", None) is FLOAT32 or variable.dtype.differentiable:
                self.ids.add(i)
                self._roots.add(i)

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        if self._state is _NEW:
            self._state = _USED
        self.by_with = isinstance(self.__weakref__, TapeExit)  # type: ignore[attr-defined]
        self._recording = True
        self._token = recorder.push(self)
        return self

    __exit__ = ExitOf(TapeExit)

    def _stop(self, paused: bool = False) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        recorder.remove(self)
        self._recording = False  # only now, since an interrupt may come before this line

    def watch(self, tensor: Any) -> None:
        """Makes the tape follow what is computed from a tensor from now on.

        Args:
          tensor: A tensor, ragged tensor, operator, variable, or nested structure of them.

        Raises:
          ValueError: The structure holds something else.
          AttributeError: The tape was never entered.
        """
        for given in (tensor,) if type(tensor) is Tensor else watchable_in(tensor):
            x = inner_leaf(given)
            if x is None:
                raise not_watchable(given)
            if self._state is _NEW:
                raise AttributeError(
                    "the tape has not begun to record: call watch inside `with tape:`"
                )
            differentiable = x.dtype.differentiable
            if not differentiable:
                _log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    x.dtype,
                )
            if self._recording and isinstance(x, Variable):
                self.variable_read(x, asked=True)
            elif self._recording and differentiable:
                self.ids.add(x._id or id_of(x))
                self._roots.add(x._id)

    def stop_recording(self) -> Setting:
        """Suspends recording for the length of a `with` block.

        Returns:
          A context manager, at the end of which the tape records again.

        Raises:
          RuntimeError: The tape was never entered.
          ValueError: The tape is not recording.
        """
        if self._state is _NEW:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        return Setting(lambda: self._recording, self._record, new=False)

    def _record(self, on: bool) -> None:
        """Starts or stops recording in this thread."""
        if not on:
            self._stop(paused=True)
        elif not self._recording and not abandoned((self,)):
            self.__enter__()

    def reset(self) -> None:
        """Discards everything that was recorded and watched; recording continues.

        Raises:
          ValueError: The tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self.ids, self.records, self._roots, self._variables = set(), [], set(), {}

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that the tape watches.

        Returns:
          A tuple of variables, in the order in which they were made.
        """
        return tuple(self._variables[i] for i in sorted(self._variables))

    @overload
    def gradient(
        self,
        target: Any,
        sources: TensorLike,
        output_gradients: Any = None,
        unconnected_gradients: Any = ...,
    ) -> Tensor: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[TensorLike, ...],
        output_gradients: Any = None,
        unconnected_gradients: Any = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Sequence[TensorLike],
        output_gradients: Any = None,
        unconnected_gradients: Any = ...,
    ) -> list[Tensor]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Mapping[K, TensorLike],
        output_gradients: Any = None,
        unconnected_gradients: Any = ...,
    ) -> dict[K, Tensor]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = ...,
    ) -> Any: ...
    @shorten_errors
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> object:
        """Computes the gradient of the sum of the target's elements.

        Args:
          target: A tensor or nested structure of tensors.
          sources: A tensor, variable or result of an operation, or a nested structure of them.
          output_gradients: The gradients with respect to the target, in its structure and broadcast
            to its shape. Defaults to ones.
          unconnected_gradients: Whether a source without a path to the target gives None ("none")
            or zeros ("zero").

        Returns:
          In the structure of `sources`: tensors of the sources' shapes and dtypes, `IndexedSlices`
          if only rows of a source were read, ragged tensors for ragged sources, and None for a
          source without a path to the target.

        Raises:
          RuntimeError: A non-persistent tape has already been used.
          LookupError: An operation between the sources and the target has no gradient.
          TypeError, AttributeError: The target or a source is not a tensor.
          ValueError: `unconnected_gradients` is unknown.
        """
        if active_tapes() != () or self._state is not _USED:
            self._claim()
        unconnected = unconnected_choice(unconnected_gradients)
        targets, flat = target_leaves(target), source_leaves(sources)
        if self._recording:
            self._differentiated_inside()
        others = () if active_tapes() == () else STACK.recorders
        raw = not others or all(r.passive for r in others)
        cotangents, asked = seeds(targets, output_gradients, raw), {x._id for x in flat}
        walk = pull_back if raw else others[0].pull_back or pull_back
        found = walk(self._taken(asked), cotangents, asked, raw)
        return answers(found, sources, flat, raw, unconnected)

    def _claim(self) -> None:
        """Raises RuntimeError unless there is something left to differentiate."""
        recorder.heal()
        if self._state is not _USED:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians): ask for all in one call, or make the tape with persistent=True"
            )

    def _differentiated_inside(self) -> None:
        """Stops the recording of a non-persistent tape; warns if a persistent one still records."""
        check_used_inside(self)
        if self._persistent:
            _log.warning(GRADIENT_INSIDE)
        else:
            self._stop()

    def _taken(self, asked: set[int]) -> list[Record]:
        """Returns the records that depend on some ids; a non-persistent tape drops them."""
        records = self.records if self._roots <= asked else relevant(self.records, asked)
        if not self._persistent:
            self._state, self.records, self.ids = _SPENT, [], set()
        elif records is self.records:
            return list(records)
        return records

    def _records(self, sources: Sequence[Any]) -> list[Record]:
        """Returns the records that depend on the sources; a non-persistent tape drops them."""
        if self._recording and not self._persistent:
            self._stop()
        return self._taken({x._id for x in sources})


_NEW, _USED, _SPENT = "new", "used", "spent"
wrappable("pull_back")(sys.modules[__name__])
filter_methods(GradientTape, "gradient", "watch")

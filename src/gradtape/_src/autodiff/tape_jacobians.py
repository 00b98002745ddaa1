"""The methods of a tape that compute Jacobians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from gradtape._src.autodiff import jacobian as _jacobian
from gradtape._src.autodiff.arguments import (
    BATCH_JACOBIAN_LOOP,
    JACOBIAN_LOOP,
    UnconnectedGradients,
    check_batches,
    need_persistence,
    single,
    unconnected_choice,
)
from gradtape._src.base import nest
from gradtape._src.core.primitive import Record
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.ops.array.creation import zeros_of

K = TypeVar("K")


class TapeJacobians:
    """The methods `jacobian` and `batch_jacobian` of a tape."""

    _persistent: bool

    def _claim(self) -> None:
        """Raises RuntimeError unless there is something left to differentiate."""
        raise NotImplementedError

    def _records(self, sources: Sequence[Any]) -> list[Record]:
        """Returns the records that depend on the sources."""
        raise NotImplementedError

    @overload
    def jacobian(
        self,
        target: Any,
        sources: TensorLike,
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[TensorLike, ...],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Sequence[TensorLike],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Tensor]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Mapping[K, TensorLike],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[K, Tensor]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> object:
        """Computes the derivatives of all elements of the target with respect to the sources.

        All rows are computed together, by one vectorized pass over the records: backward, or
        forward if the sources have fewer elements than the target.

        Args:
          target: A tensor.
          sources: A tensor, variable, or nested structure of them.
          unconnected_gradients: As in `gradient`.
          parallel_iterations: The maximum number of rows to compute together, which bounds the
            memory.
          experimental_use_pfor: False means a loop in TensorFlow, which needs a persistent tape.

        Returns:
          In the structure of `sources`, tensors of shape `target.shape + source.shape`, or None.

        Raises:
          RuntimeError: A non-persistent tape has already been used, or `experimental_use_pfor` is
            False for one.
        """
        try:
            self._claim()
            unconnected = unconnected_choice(unconnected_gradients)
            y = single(target, "target")
            flat = [single(x, "source") for x in nest.flatten(sources)]
            if not experimental_use_pfor:
                need_persistence(self._persistent, JACOBIAN_LOOP)
            found = _jacobian.full(self._records(flat), y, flat, parallel_iterations)
            if unconnected is UnconnectedGradients.ZERO:
                found = [
                    zeros_of(x, shape=(*y._value.shape, *x._value.shape)) if j is None else j
                    for x, j in zip(flat, found, strict=True)
                ]
            return nest.pack_sequence_as(sources, found)
        except Exception as error:
            shorten(error)
            raise

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """Computes the Jacobian of each example of a batch separately.

        Assumes that example i of the target depends on example i of the source alone.

        Args:
          target: A tensor of shape (b, y1, ..., yn).
          source: A tensor of shape (b, x1, ..., xm).
          unconnected_gradients: As in `gradient`; unconnected examples always give zeros.
          parallel_iterations: As in `jacobian`.
          experimental_use_pfor: As in `jacobian`.

        Returns:
          A tensor of shape (b, y1, ..., yn, x1, ..., xm).

        Raises:
          ValueError: The first axes differ, or a rank is below two.
          RuntimeError: As in `jacobian`.
        """
        try:
            self._claim()
            unconnected_choice(unconnected_gradients)
            y, x = single(target, "target"), single(source, "source")
            check_batches(y, x)
            if parallel_iterations is not None:
                need_persistence(self._persistent, "the batch_jacobian with parallel_iterations.")
            if not experimental_use_pfor:
                need_persistence(self._persistent, BATCH_JACOBIAN_LOOP)
            found = _jacobian.by_example(self._records([x]), y, x, parallel_iterations)
            if found is None:
                return zeros_of(y, shape=(*y._value.shape, *x._value.shape[1:]))
            return found
        except Exception as error:
            shorten(error)
            raise

"""`tf.compat.v1.data`: iterators whose elements a session takes."""

from __future__ import annotations

from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import FailedPreconditionError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.graph_iteration import element_of, made_in_graph, next_of
from gradtape._src.data.pipeline import OwnedIterator, Pipeline
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation


@export("compat.v1.data.Iterator")
class GraphIterator:
    """An iterator over a dataset in a graph, as `make_one_shot_iterator` makes it.

    Its position belongs to the graph, not to a session.

    Args:
      dataset: The dataset.
      once: Whether the iterator needs no initializer, and can't be restarted.
    """

    def __init__(self, dataset: Pipeline, once: bool) -> None:
        self._dataset, self._once = dataset, once
        self._current: Any = None
        self._handle: Any = made_in_graph("MakeIterator", self._begin, dataset._produce, True)

    def _begin(self, produce: Any) -> Any:
        self._current = OwnedIterator(self._dataset._then(self._dataset._kind, produce))
        return self._current

    def _next(self) -> Any:
        if self._current is None and self._once:
            self._begin(self._dataset._produce)
        if self._current is None:
            raise FailedPreconditionError(
                None,
                None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before getting the next "
                "element.",
            )
        return next_of(self._current)

    @property
    def initializer(self) -> Operation:
        """The operation that moves the iterator to the first element.

        Raises:
          ValueError: The iterator is a one-shot iterator, which has no initializer.
        """
        if self._once:
            raise ValueError("The iterator does not have an initializer.")
        made: Operation = self._handle.op
        return made

    @property
    def element_spec(self) -> object:
        """The types of the elements."""
        return self._dataset.element_spec

    @property
    def output_types(self) -> object:
        """The dtypes of an element."""
        return nest.map_structure(lambda spec: spec.dtype, self.element_spec)

    @property
    def output_shapes(self) -> object:
        """The shapes of an element."""
        return nest.map_structure(lambda spec: spec.shape, self.element_spec)

    def get_next(self, name: str | None = None) -> el.Element:
        """Returns tensors that hold the next element each time a session runs them.

        Args:
          name: The operation's name.

        Returns:
          Tensors in the structure of the dataset's elements.
        """
        stand_in = self._dataset._stand_in
        spec: Any = self.element_spec
        return element_of("IteratorGetNext", self, spec, stand_in, GraphIterator._next)


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> OwnedIterator | GraphIterator:
    """Returns an iterator that needs no initializer.

    Args:
      dataset: A dataset that depends on no placeholder or variable.

    Returns:
      An iterator. In eager execution, it is the result of `iter(dataset)`.
    """
    if open_graph() is not None:
        return GraphIterator(dataset, True)
    made: OwnedIterator = iter(dataset)
    return made


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> GraphIterator:
    """Returns an iterator that starts at the first element whenever its `initializer` runs.

    Args:
      dataset: A dataset, which may depend on placeholders.
      shared_name: Accepted for compatibility.

    Returns:
      An iterator.

    Raises:
      RuntimeError: Execution is eager.
    """
    if open_graph() is None:
        raise RuntimeError(
            "make_initializable_iterator() is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    return GraphIterator(dataset, False)


@export("compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> object:
    """Returns the dtypes of the elements of a dataset or iterator.

    Args:
      dataset_or_iterator: A dataset or iterator.

    Returns:
      Dtypes in the structure of an element.
    """
    return nest.map_structure(lambda spec: spec.dtype, dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> object:
    """Returns the shapes of the elements of a dataset or iterator.

    Args:
      dataset_or_iterator: A dataset or iterator.

    Returns:
      Shapes in the structure of an element.
    """
    return nest.map_structure(lambda spec: spec.shape, dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> object:
    """Returns the classes of the elements of a dataset or iterator.

    Args:
      dataset_or_iterator: A dataset or iterator.

    Returns:
      Classes in the structure of an element.
    """
    return nest.map_structure(
        lambda spec: spec.value_type or Tensor, dataset_or_iterator.element_spec
    )

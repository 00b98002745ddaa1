"""`tf.compat.v1.data`: iterators whose elements a session takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from gradtape._src.base import nest
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import FailedPreconditionError, InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.graph_iteration import element_of, made_in_graph, next_of
from gradtape._src.data.pipeline import OwnedIterator, Pipeline
from gradtape._src.declare.open_graphs import PerSession, open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.types.ragged_tensor import RaggedTensorSpec
from gradtape._src.ops.types.specs import TensorSpec


class _Position:
    """The position of an iterator in a session, which is None before the first element."""

    def __init__(self) -> None:
        self.current: Any = None


@export("compat.v1.data.Iterator")
class GraphIterator:
    """An iterator over a dataset in a graph, as `make_one_shot_iterator` makes it.

    Each session has a position of its own.

    Args:
      dataset: The dataset.
      once: Whether the iterator needs no initializer, and can't be restarted.
    """

    def __init__(self, dataset: Pipeline, once: bool) -> None:
        self._once, self._spec = once, dataset.element_spec
        self._stand_in: Any = dataset._stand_in
        self._dataset: Pipeline | None = dataset
        self._states = PerSession(_Position)
        self._handle: Any = self._made(dataset)

    def _made(self, dataset: Pipeline) -> Any:
        """Returns the result of the operation that starts an iteration over a dataset."""

        def begin(produce: Any) -> Any:
            here = self._states.now()
            here.current = OwnedIterator(dataset._then(dataset._kind, produce))
            return here.current

        return made_in_graph("MakeIterator", begin, dataset._produce, True)

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> GraphIterator:
        """Returns an iterator without a dataset, which `make_initializer` gives to it.

        Args:
          output_types: The dtypes of an element.
          output_shapes: The shapes of an element. Defaults to unknown ones.
          shared_name: Accepted for compatibility.
          output_classes: Accepted for compatibility: all parts are tensors.

        Returns:
          An iterator.

        >>> data = tf.compat.v1.data
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     iterator = data.Iterator.from_structure(tf.int64, [])
        ...     element = iterator.get_next()
        ...     for end in (2, 5):
        ...         session.run(iterator.make_initializer(data.Dataset.range(end - 1, end)))
        ...         print(session.run(element))
        1
        4
        """
        made = GraphIterator.__new__(GraphIterator)
        made._once, made._dataset, made._handle = False, None, None
        made._states = PerSession(_Position)
        made._spec, made._stand_in = _specs(output_types, output_shapes), None
        return made

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> FedIterator:
        """Returns an iterator that takes its elements from the iterator with a handle.

        Args:
          string_handle: A string tensor; sessions are fed the value of a `string_handle()`.
          output_types: The dtypes of an element.
          output_shapes: The shapes of an element. Defaults to unknown ones.
          output_classes: Accepted for compatibility: all parts are tensors.

        Returns:
          An iterator.
        """
        return FedIterator(convert_to_tensor(string_handle), _specs(output_types, output_shapes))

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """Returns an operation that makes the iterator start with a dataset.

        Args:
          dataset: A dataset whose elements have the iterator's structure.
          name: The operation's name.

        Returns:
          The operation.

        Raises:
          TypeError: The elements of the dataset have other dtypes.
        """
        types = nest.map_structure(lambda spec: spec.dtype, dataset.element_spec)
        if types != self.output_types:
            raise TypeError(
                f"Expected output types {self.output_types} but got dataset with output types "
                f"{types}."
            )
        made: Operation = self._made(dataset).op
        return made

    def string_handle(self, name: str | None = None) -> Tensor:
        """Returns a handle, whose value makes an iterator of `from_string_handle` use this one.

        Args:
          name: The operation's name.

        Returns:
          A string tensor.
        """
        handle = f"iterator_{id(self)}".encode()
        _HANDLES[handle] = self
        return convert_to_tensor(handle)

    def _next(self) -> Any:
        here = self._states.now()
        if here.current is None and self._once:
            assert self._dataset is not None
            here.current = OwnedIterator(self._dataset)
        if here.current is None:
            raise FailedPreconditionError(
                None,
                None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before getting the next "
                "element.",
            )
        return next_of(here.current)

    @property
    def initializer(self) -> Operation:
        """The operation that moves the iterator to the first element.

        Raises:
          ValueError: The iterator is a one-shot iterator, which has no initializer.
        """
        if self._handle is None or self._once:
            raise ValueError("The iterator does not have an initializer.")
        made: Operation = self._handle.op
        return made

    @property
    def element_spec(self) -> object:
        """The types of the elements."""
        return self._spec

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
        spec: Any = self.element_spec
        return element_of("IteratorGetNext", self._source(), spec, self._stand_in, self._taken)

    def _source(self) -> Any:
        return self

    @staticmethod
    def _taken(source: Any) -> Any:
        """Returns the next element of the iterator that the source stands for."""
        return source._next()


_HANDLES: WeakValueDictionary[bytes, GraphIterator] = WeakValueDictionary()


class FedIterator(GraphIterator):
    """An iterator that takes its elements from another one, whose handle is fed.

    Args:
      handle: A string tensor.
      spec: The types of the elements.
    """

    def __init__(self, handle: Tensor, spec: Any) -> None:
        self._once, self._dataset, self._handle = False, None, None
        self._spec, self._stand_in, self._fed = spec, None, handle

    def _source(self) -> Any:
        return self._fed

    @staticmethod
    def _taken(source: Any) -> Any:
        if source not in _HANDLES:
            raise InvalidArgumentError(None, None, f"No iterator has the handle {source!r}")
        return _HANDLES[source]._next()


def _specs(types: Any, shapes: Any) -> Any:
    """Returns the specs of an element's tensors."""
    if isinstance(types, dict):
        return {key: _specs(kind, shapes and shapes[key]) for key, kind in types.items()}
    if isinstance(types, (tuple, list)):
        each = [None] * len(types) if shapes is None else shapes
        return tuple([_specs(*pair) for pair in zip(types, each, strict=True)])
    return TensorSpec(shapes, as_dtype(types))


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
    return _of_specs(lambda spec: spec.dtype, dataset_or_iterator)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> object:
    """Returns the shapes of the elements of a dataset or iterator.

    Args:
      dataset_or_iterator: A dataset or iterator.

    Returns:
      Shapes in the structure of an element.
    """
    return _of_specs(lambda spec: spec.shape, dataset_or_iterator)


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> object:
    """Returns the classes of the elements of a dataset or iterator.

    Args:
      dataset_or_iterator: A dataset or iterator.

    Returns:
      Classes in the structure of an element, and the specs of ragged tensors in place of theirs.
    """
    return _of_specs(_class_of, dataset_or_iterator)


def _class_of(spec: Any) -> object:
    return spec if isinstance(spec, RaggedTensorSpec) else spec.value_type or Tensor


def _of_specs(tell: Callable[[Any], Any], dataset_or_iterator: Any) -> object:
    """Returns what `tell` says of each component's spec; None and datasets have only a spec."""
    alone = (el.DatasetSpec, el.NoneTensorSpec)
    return nest.map_structure(
        lambda spec: spec if isinstance(spec, alone) else tell(spec),
        dataset_or_iterator.element_spec,
    )

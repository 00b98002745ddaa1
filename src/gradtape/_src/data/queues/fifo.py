"""Queues of tensors between threads."""

from __future__ import annotations

import copy
import itertools
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import as_dtype, bool_, int32
from gradtape._src.base.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements.arguments import integer
from gradtape._src.data.elements.elements import stack_leaves
from gradtape._src.data.iteration import rows
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols, of_shape
from gradtape._src.declare.open_graphs import PerSession

if TYPE_CHECKING:
    from collections.abc import Sequence

_Item = tuple[Any, ...]  # raw values
Shown: TypeAlias = "Tensor | list[Tensor] | dict[str, Tensor]"
"""An element in the form that programs see: a list or dictionary if it has several components."""
_numbers = itertools.count()


def _enqueued(new: New, queue: QueueBase, vals: Any, name: str | None = None) -> None:
    queue._element(vals)


def _enqueued_many(new: New, queue: QueueBase, vals: Any, name: str | None = None) -> None:
    queue._columns(vals)


def _dequeued(new: New, queue: QueueBase, name: str | None = None) -> Shown:
    return queue._shown([new(*spec) for spec in queue._specs()])


def _dequeued_many(new: New, queue: QueueBase, n: Any, name: str | None = None) -> Shown:
    return queue._shown([new(*spec) for spec in queue._specs(None if has_symbols(n) else int(n))])


def _dequeued_up_to(new: New, queue: QueueBase, n: Any, name: str | None = None) -> Shown:
    return queue._shown([new(*spec) for spec in queue._specs(None)])


@export("queue.QueueBase")
class QueueBase:
    """The base class of queues. Elements are tuples of tensors.

    All methods may be called from several threads. In a `tf.function` they are operations of the
    graph, which run in order whenever it runs. Gradients don't flow through a queue.

    Args:
        capacity: The maximum number of elements; negative for no limit.
        dtypes: The dtype of each component, or one dtype.
        shapes: The shape of each component, if they are fixed.
        names: A name for each component; the elements are then dictionaries.
        shared_name: Accepted for compatibility.
        name: The name, which is used in messages.

    Raises:
        ValueError: If a shape is not fully defined, or numbers of names and dtypes differ.
        InvalidArgumentError: If numbers of shapes and dtypes differ.
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        self._capacity = integer(capacity)
        self._dtypes = [as_dtype(each) for each in listed(dtypes)]
        self._shapes = self._known_shapes(shapes)
        self._names = self._known_names(names)
        self._name = name
        self._title = f"{type(self).__name__} '{next(_numbers)}_{name}'"
        self._states = PerSession(self._empty)

    def _empty(self) -> QueueBase:
        """Returns an empty queue with the properties of this one."""
        made = copy.copy(self)
        made._begin()
        return made

    def _begin(self) -> None:
        """Makes the queue empty. Subclasses define the storage of elements."""
        self._changed = threading.Condition()
        # Held while waiting for elements, so that callers are served in order.
        self._taking = threading.Lock()
        self._closed = False
        self._cancelled = False  # also notifies callers that wait to enqueue
        self._pending = 0  # the active calls of enqueue

    def _known_shapes(self, shapes: Any) -> list[TensorShape]:
        if shapes is None:
            return [TensorShape(None)] * len(self._dtypes)
        if isinstance(shapes, TensorShape) or not all(map(_is_shape, shapes)) or not len(shapes):
            shapes = [shapes]
        known = [TensorShape(shape) for shape in shapes]
        self._check_shapes(known)
        if len(known) != len(self._dtypes):
            raise InvalidArgumentError(
                None,
                None,
                f"Different number of component types.  Types: {self._dtypes}, Shapes: {known}",
            )
        return known

    def _check_shapes(self, shapes: list[TensorShape]) -> None:
        if not all(shape.is_fully_defined() for shape in shapes):
            raise ValueError(f"All shapes must be fully defined: {shapes}")

    def _known_names(self, names: Any) -> list[str] | None:
        if names is None:
            return None
        known = list(listed(names))
        if len(known) != len(self._dtypes):
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(known)},len(dtypes)={len(self._dtypes)}"
            )
        return known

    @property
    def dtypes(self) -> list[Any]:
        """The dtype of each component."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shape of each component, as far as they are fixed."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The name of each component, or None."""
        return self._names

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    @graph_operation("QueueSizeV2", of_shape((), int32), stateful=True)
    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements in the queue.

        Args:
            name: Accepted for compatibility.

        Returns:
            An int32 scalar.
        """
        refuse_under_jit("the size of a queue")
        here = self._states.now()
        with here._changed:
            return Tensor(np.int32(here._count()))

    @graph_operation("QueueIsClosedV2", of_shape((), bool_), stateful=True)
    def is_closed(self, name: str | None = None) -> Tensor:
        """Returns whether the queue is closed.

        Args:
            name: Accepted for compatibility.

        Returns:
            A bool scalar.
        """
        return Tensor(np.bool_(self._states.now()._closed))

    def _count(self) -> int:
        raise NotImplementedError

    def _add(self, item: _Item) -> None:
        raise NotImplementedError

    def _remove(self) -> _Item:
        raise NotImplementedError

    def _ready(self) -> int:
        """Returns the number of elements that can be taken without waiting."""
        return self._count()

    # Adding elements.

    @graph_operation("QueueEnqueueV2", _enqueued, stateful=True, waits=True)
    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Adds an element, and waits for room.

        Args:
            vals: A tensor, a list or tuple of tensors, or a dictionary if components have names.
            name: Accepted for compatibility.

        Raises:
            CancelledError: If the queue is closed, or its closing cancels this call.
            InvalidArgumentError: If the number of components is wrong.
            ValueError: If a shape or dtype is wrong.
        """
        self._states.now()._put([tuple([x._value for x in self._element(vals)])])

    @graph_operation("QueueEnqueueManyV2", _enqueued_many, stateful=True, waits=True)
    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Adds the slices of tensors along their first axis, and waits for room for each.

        Args:
            vals: The components, each with the elements along its first axis.
            name: Accepted for compatibility.

        Raises:
            ValueError: If lengths differ, or a shape or dtype is wrong.
            CancelledError: As for `enqueue`.
        """
        columns = [rows(x._value) for x in self._columns(vals)]
        self._states.now()._put(list(zip(*columns, strict=True)))

    def _element(self, vals: Any) -> list[Tensor]:
        """Returns the components of an element; raises ValueError if the shape of one is wrong."""
        found = self._components(vals)
        for x, shape in zip(found, self._shapes, strict=True):
            x.shape.assert_is_compatible_with(shape)
        return found

    def _columns(self, vals: Any) -> list[Tensor]:
        """Returns the components of several elements; raises ValueError if shapes are wrong."""
        found = self._components(vals)
        lengths = []
        for x, shape in zip(found, self._shapes, strict=True):
            known = x.shape.with_rank_at_least(1)
            known[1:].assert_is_compatible_with(shape)
            lengths += [] if known.rank is None or known[0] is None else [known[0]]
            if lengths and lengths[-1] != lengths[0]:
                raise ValueError(f"Dimensions {lengths[0]} and {lengths[-1]} are not compatible")
        return found

    def _components(self, vals: Any) -> list[Tensor]:
        if isinstance(vals, dict):
            if self._names is None:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(vals) != sorted(self._names):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        vals = listed(vals)
        found = [convert_to_tensor(x, d) for x, d in zip(vals, self._dtypes, strict=False)]
        if len(vals) != len(self._dtypes):
            raise InvalidArgumentError(
                None,
                None,
                f"Signature mismatch: the queue's elements have {len(self._dtypes)} components, "
                f"but {len(vals)} were given. Enqueue a list or tuple with one value for each.",
            )
        return found

    def _put(self, items: Sequence[_Item]) -> None:
        refuse_under_jit("adding to a queue")
        with self._changed:
            if self._closed:
                raise CancelledError(None, None, f"{self._title} is closed.")
            self._pending += 1
            try:
                for item in items:
                    self._changed.wait_for(lambda: self._cancelled or self._has_room())
                    if self._cancelled:
                        raise CancelledError(None, None, "Enqueue operation was cancelled")
                    self._add(item)
                    self._changed.notify_all()
            finally:
                self._pending -= 1
                self._changed.notify_all()

    def _has_room(self) -> bool:
        return self._capacity < 0 or self._count() < self._capacity

    # Removing elements.

    @graph_operation("QueueDequeueV2", _dequeued, stateful=True, waits=True)
    def dequeue(self, name: str | None = None) -> Shown:
        """Takes an element, and waits until there is one.

        Args:
            name: Accepted for compatibility.

        Returns:
            A tensor, a list of tensors, or a dictionary if components have names.

        Raises:
            OutOfRangeError: If the queue is closed and empty.
        """
        (item,) = self._states.now()._take(1, 1)
        return self._shown([*map(Tensor, item)])

    @graph_operation("QueueDequeueManyV2", _dequeued_many, stateful=True, waits=True)
    def dequeue_many(self, n: Any, name: str | None = None) -> Shown:
        """Takes `n` elements, stacked along a new first axis.

        Args:
            n: The number of elements.
            name: Accepted for compatibility.

        Returns:
            A tensor, a list of tensors if there are several components, or a dictionary if they
            have names.

        Raises:
            InvalidArgumentError: If shapes are not fixed, or `n` is negative.
            OutOfRangeError: If the queue is closed and has fewer elements.
        """
        return self._dequeue_together(n, all_of_them=True)

    @graph_operation("QueueDequeueUpToV2", _dequeued_up_to, stateful=True, waits=True)
    def dequeue_up_to(self, n: Any, name: str | None = None) -> Shown:
        """Like `dequeue_many`, but a closed queue returns the remaining elements.

        Args:
            n: The maximum number of elements.
            name: Accepted for compatibility.

        Returns:
            A tensor, a list of tensors if there are several components, or a dictionary if they
            have names.
        """
        return self._dequeue_together(n, all_of_them=False)

    def _dequeue_together(self, n: Any, *, all_of_them: bool) -> Shown:
        count = int(n) if isinstance(n, Tensor) else integer(n)
        if count < 0:
            raise InvalidArgumentError(None, None, f"DequeueManyOp requested {count} < 0 elements")
        if any(shape.rank is None for shape in self._shapes):
            raise InvalidArgumentError(
                None,
                None,
                f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to "
                "have specified shapes. Give shapes= when the queue is made.",
            )
        items = self._states.now()._take(count, count if all_of_them else min(count, 1))
        columns = zip(*items, strict=True)
        empty = [np.zeros([n or 0 for n in s], t) for s, t in self._specs(0)]
        return self._shown([*map(Tensor, map(self._stacked, columns) if items else empty)])

    def _stacked(self, column: Sequence[Any]) -> Any:
        """Returns the values of a component of several elements as one array."""
        return stack_leaves(column)

    def _specs(self, *count: int | None) -> list[tuple[Any, Any]]:
        """Returns the shape and dtype of each component, of one element or of `count` elements."""
        return [
            (None if shape.rank is None else (*count, *shape.as_list()), dtype.np_dtype)
            for shape, dtype in zip(self._shapes, self._dtypes, strict=True)
        ]

    def _take(self, wanted: int, least: int) -> list[_Item]:
        """Takes `wanted` elements; from a closed queue, the remaining ones if there are enough."""
        refuse_under_jit("taking from a queue")
        taken: list[_Item] = []
        with self._taking, self._changed:
            while len(taken) < wanted:
                self._changed.wait_for(lambda: self._ready() or self._at_end())
                if self._ready():
                    taken.append(self._remove())
                    self._changed.notify_all()
                elif len(taken) >= least:
                    break
                else:
                    found = len(taken)
                    self._restore(taken)
                    raise OutOfRangeError(
                        None,
                        None,
                        f"{self._title} is closed and has insufficient elements (requested "
                        f"{wanted}, current size {found})",
                    )
        return taken

    def _at_end(self) -> bool:
        return self._closed and not self._pending

    def _restore(self, items: list[_Item]) -> None:
        for item in items:
            self._add(item)

    def _shown(self, tensors: list[Tensor]) -> Shown:
        if self._names is not None:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    @graph_operation("QueueCloseV2", lambda *_, **__: None, stateful=True)
    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Closes the queue, so that no more elements can be enqueued.

        Args:
            cancel_pending_enqueues: Whether calls that wait for room end with `CancelledError`.
            name: Accepted for compatibility.

        Raises:
            CancelledError: If the queue is already closed.
        """
        here = self._states.now()
        with here._changed:
            if here._closed and not cancel_pending_enqueues:
                raise CancelledError(None, None, f"{self._title} is already closed.")
            here._closed = True
            here._cancelled = here._cancelled or cancel_pending_enqueues
            here._changed.notify_all()


@export("queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue that returns elements in the order in which they were added.

    Args:
        capacity: The maximum number of elements.
        dtypes: The dtype of each component.
        shapes: The shape of each component. By default, shapes are not checked.
        names: The names of the components if elements are dictionaries.
        shared_name: Accepted for compatibility.
        name: Accepted for compatibility.

    >>> queue = FIFOQueue(3, "float32")
    >>> queue.enqueue(1.0)
    >>> queue.enqueue(2.0)
    >>> float(queue.dequeue()), int(queue.size())
    (1.0, 1)
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _begin(self) -> None:
        super()._begin()
        self._items: deque[_Item] = deque()

    def _count(self) -> int:
        return len(self._items)

    def _add(self, item: _Item) -> None:
        self._items.append(item)

    def _remove(self) -> _Item:
        return self._items.popleft()

    def _restore(self, items: list[_Item]) -> None:
        self._items.extendleft(reversed(items))


@export("queue.PaddingFIFOQueue")
class PaddingFIFOQueue(FIFOQueue):
    """A queue whose elements may differ in shape; `dequeue_many` pads them with zeros.

    Args:
        capacity: The maximum number of elements.
        dtypes: The dtype of each component.
        shapes: The shape of each component, with None for lengths that differ.
        names: The names of the components if elements are dictionaries.
        shared_name: Accepted for compatibility.
        name: Accepted for compatibility.

    >>> queue = tf.queue.PaddingFIFOQueue(3, tf.int32, [[None]])
    >>> queue.enqueue([[1]])
    >>> queue.enqueue([[2, 3]])
    >>> queue.dequeue_many(2).numpy()
    array([[1, 0],
           [2, 3]], dtype=int32)
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _check_shapes(self, shapes: list[TensorShape]) -> None:
        if any(shape.rank is None for shape in shapes):
            raise ValueError(f"All shapes must have a known rank: {shapes}")

    def _stacked(self, column: Sequence[Any]) -> Any:
        longest = np.max([x.shape for x in column], axis=0, initial=0).astype(int)
        out = np.zeros((len(column), *longest), column[0].dtype)
        if out.dtype == object:
            out[...] = b""
        for i, x in enumerate(column):
            out[i][tuple(map(slice, x.shape))] = x
        return out


def listed(value: Any) -> Sequence[Any]:
    """Returns a list or tuple unchanged, and another value as a list of it."""
    return value if isinstance(value, (list, tuple)) else [value]


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple, TensorShape))

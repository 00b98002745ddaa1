"""`tf.test.TestCase`: assertions about tensors, eager ones and those of a session's graph."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import platform
import random
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError, OpError
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.devices import jax_devices
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import TensorLike
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.ops.random import distributions as tensor_random
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.default_graph import reset_default_graph
from gradtape._src.sessions.fetches import IndexedSlicesValue, SparseTensorValue
from gradtape._src.sessions.session import BaseSession, Session, get_default_session

SEED = 87654321  # TensorFlow's seed, so that a test draws the same numbers


def _base() -> Any:
    """Returns the base class: absl's if it is installed, as in TensorFlow."""
    try:
        return importlib.import_module("absl.testing.absltest").TestCase
    except ImportError:
        return unittest.TestCase


class _EagerSession:
    """The session of `with self.session() as session`, which evaluates eager tensors."""

    def __init__(self, test: TestCase) -> None:
        self._test = test

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the values of eager tensors.

        Raises:
          NotImplementedError: `feed_dict` is given, which needs a graph.
        """
        if any(args) or any(kwargs.values()):
            raise NotImplementedError("session.run computes nothing in eager mode: no feed_dict")
        return self._test.evaluate(fetches)


class TestCase(_base()):  # type: ignore[misc]
    """A `unittest.TestCase` with assertions about tensors, arrays and nests of them.

    Each test starts with the same seeds for the random numbers of TensorFlow, NumPy and Python.

    Args:
      methodName: The name of the method that is the test.
    """

    _cached: BaseSession | None = None
    _cached_for: Any = None

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)

    def setUp(self) -> None:
        super().setUp()
        reset_default_graph()
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002 (tests use this generator)
        tensor_random.set_seed(SEED)
        self._folder: Any = None
        self._cached = None

    def get_temp_dir(self) -> str:
        """Returns a folder for this test's files, which is removed after the test."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
            self.addCleanup(self._folder.cleanup)
        return str(self._folder.name)

    @contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session | _EagerSession]:
        """Returns a context for running operations.

        Args:
          graph: The graph to run. Defaults to the default graph.
          config: Accepted for compatibility.
          use_gpu: Accepted for compatibility.
          force_gpu: Accepted for compatibility.

        Yields:
          A session of the graph, which is the default session inside the context. In eager mode, an
          object whose `run` returns the values of eager tensors.
        """
        if graph is None and active_compiler() is None:
            yield _EagerSession(self)
        else:
            with Session(graph=graph) as session:
                yield session

    @contextmanager
    def cached_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[BaseSession | _EagerSession]:
        """Returns a context for running operations, with one session for the whole test.

        Args:
          graph: The graph to run. Defaults to the default graph.
          config: Accepted for compatibility.
          use_gpu: Accepted for compatibility.
          force_gpu: Accepted for compatibility.

        Yields:
          The same as `session`.

        Raises:
          ValueError: An earlier call in the same test had another graph.
        """
        if graph is None and active_compiler() is None:
            yield _EagerSession(self)
            return
        if self._cached is None:
            self._cached = BaseSession(graph=graph)
            self._cached_for = graph
        elif graph is not self._cached_for:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used "
                "to create the session."
            )
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> AbstractContextManager[Any]:
        """Returns `cached_session`, or `session` for a given graph.

        A runner that takes this method for a test skips it.

        Args:
          graph: The graph to run. Defaults to the default graph.
          config: Accepted for compatibility.
          use_gpu: Accepted for compatibility.
          force_gpu: Accepted for compatibility.
        """
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        of = self.cached_session if graph is None else self.session
        return of(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of a nest of tensors; those of a graph are computed in a session.

        Args:
          tensors: A nest of tensors, sparse tensors and indexed slices; in eager execution also of
            functions, whose results are evaluated.
        """
        if active_compiler() is None:
            return nest.map_structure(self._value, tensors)
        session = get_default_session()
        if session is not None:
            return self._run(session, tensors)
        with self.cached_session() as own:
            return self._run(own, tensors)

    def _value(self, x: Any) -> Any:
        if callable(x):
            return self.evaluate(x())
        if isinstance(x, TensorLike):
            return tensor(x).numpy()
        if isinstance(x, SparseTensor):
            return SparseTensorValue(x.indices.numpy(), x.values.numpy(), x.dense_shape.numpy())
        if isinstance(x, IndexedSlices):
            shape = None if x.dense_shape is None else self._value(x.dense_shape)
            return IndexedSlicesValue(self._value(x.values), self._value(x.indices), shape)
        return x

    def _run(self, session: Any, tensors: Any) -> Any:
        return nest.pack_sequence_as(tensors, session.run(nest.flatten(tensors)))

    def _array(self, value: Any) -> Any:
        return np.asarray(
            nest.map_structure(
                lambda x: self.evaluate(x) if isinstance(x, TensorLike) else x, value
            )
        )

    def _check(self, holds: Any, message: str, msg: str | None) -> None:
        if not np.all(holds):
            raise self.failureException(f"{msg}: {message}" if msg else message)

    def _pairs(self, a: Any, b: Any, compare: Callable[[Any, Any, str], None], path: str) -> None:
        """Yields pairs of leaves: dictionaries by key, sequences that are not arrays by element."""
        if isinstance(a, SparseTensor) or isinstance(b, SparseTensor):
            a, b = self.evaluate((a, b))
        if hasattr(a, "_asdict"):
            a, b = a._asdict(), b._asdict() if hasattr(b, "_asdict") else b
        if isinstance(a, Mapping):
            self._check(isinstance(b, Mapping) and set(a) == set(b), f"keys differ at {path}", None)
            for key in a:
                self._pairs(a[key], b[key], compare, f"{path}[{key!r}]")
        elif isinstance(a, (list, tuple)) and _ragged(a):
            self._check(len(a) == len(b), f"lengths differ at {path}", None)
            for k, (x, y) in enumerate(zip(a, b, strict=True)):
                self._pairs(x, y, compare, f"{path}[{k}]")
        else:
            compare(self._array(a), self._array(b), path)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Asserts equal shapes and |a - b| <= atol + rtol·|b| everywhere."""

        def compare(x: Any, y: Any, path: str) -> None:
            self._check(x.shape == y.shape, f"shapes differ: {x.shape} and {y.shape} {path}", msg)
            if x.dtype.kind in "SOU":
                self._check(x == y, f"{x} != {y} {path}", msg)
                return
            coarse = "bfloat16" in (x.dtype.name, y.dtype.name)
            wide, narrow = (max(rtol, 1e-2), max(atol, 1e-2)) if coarse else (rtol, atol)
            if coarse:
                x, y = x.astype(np.float32), y.astype(np.float32)
            np.testing.assert_allclose(x, y, wide, narrow, err_msg=f"{msg or ''} {path}")

        self._pairs(a, b, compare, "")

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Calls `assertAllClose` with tolerances for the less precise of the two dtypes."""
        kinds = {self._array(a).dtype.name, self._array(b).dtype.name}
        if kinds & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if "float16" in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if "bfloat16" in kinds:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Asserts that some elements of a and b are not close."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self._check(False, "the two values are close at all elements", msg)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that the shapes and all elements are equal."""
        self._pairs(
            a, b, lambda x, y, path: np.testing.assert_array_equal(x, y, f"{msg or ''} {path}"), ""
        )

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Asserts that the shapes or some elements differ."""
        self._check(not np.array_equal(self._array(a), self._array(b)), "all are equal", msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are above a bound."""
        self._check(self._array(a) > comparison_target, f"{a} > {comparison_target}", None)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are at or above a bound."""
        self._check(self._array(a) >= comparison_target, f"{a} >= {comparison_target}", None)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are below a bound."""
        self._check(self._array(a) < comparison_target, f"{a} < {comparison_target}", None)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are at or below a bound."""
        self._check(self._array(a) <= comparison_target, f"{a} <= {comparison_target}", None)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that all elements are between two bounds, which are allowed unless open."""
        x = self._array(target)
        low = x > lower_bound if open_lower_bound else x >= lower_bound
        high = x < upper_bound if open_upper_bound else x <= upper_bound
        self._check(low & high, f"{x} is not within {lower_bound} and {upper_bound}", None)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Asserts that all elements are among some values."""
        x = self._array(target)
        self._check(
            np.isin(x, list(expected_set)), f"{x} has elements that are not in {expected_set}", None
        )

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Asserts that two numbers differ by `err` at most."""
        f1, f2 = np.squeeze(f1), np.squeeze(f2)
        self._check(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err}", msg)

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Asserts that corresponding numbers differ by `err` at most."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(f1, f2, err, msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Asserts that the norm of the difference of two arrays is `err` at most."""
        distance = np.linalg.norm(self._array(ndarray1) - self._array(ndarray2))
        self._check(distance <= err, f"the arrays are {distance} apart", msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Asserts that two arrays or tensors have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Asserts that `target` has the dtype `expected_dtype`."""
        self.assertEqual(as_dtype(self._array(target).dtype), as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Asserts that two device names are the same, with or without the job."""
        short = [
            str(d).rpartition("/")[2].lower().replace("device:", "") for d in (device1, device2)
        ]
        self.assertEqual(*short, msg)

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Asserts that a block raises an error that matches a pattern or a predicate."""
        expected = expected_err_re_or_predicate
        if callable(expected):
            with self.assertRaises(exception_type) as caught:
                yield
            self._check(expected(caught.exception), f"unexpected: {caught.exception}", None)
        else:
            with self.assertRaisesRegex(exception_type, expected):
                yield

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> AbstractContextManager[Any]:
        """Asserts that a block raises an `OpError` that matches a pattern or a predicate."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self,
        exception_type: Any = InvalidArgumentError,
        expected_message: str = r"Incompatible shapes|Dimensions must be equal",
        **kwargs: Any,
    ) -> AbstractContextManager[Any]:
        """Asserts that the block raises an error about incompatible shapes."""
        block: AbstractContextManager[Any] = self.assertRaisesRegex(
            exception_type, expected_message
        )
        return block

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Returns the two values as they are, since eager tensors have values."""
        return a, b

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[_CapturedWrites]:
        """Captures what the block, and C code in it, writes to a stream such as `sys.stderr`."""
        number = stream.fileno()
        stream.flush()
        kept = os.dup(number)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), number)
            captured = _CapturedWrites(stream, file)
            try:
                yield captured
            finally:
                captured.contents()
                os.dup2(kept, number)
                os.close(kept)

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> _CheckedThread:
        """Returns a thread whose `join` fails the test if the function in it raised an error."""
        return _CheckedThread(self, target, tuple(args or ()), dict(kwargs or {}))


class _CapturedWrites:
    """The text that was written to a stream so far."""

    def __init__(self, stream: Any, file: Any) -> None:
        self._stream, self._file, self._found = stream, file, ""

    def contents(self) -> str:
        """Returns the text."""
        if not self._file.closed:
            self._stream.flush()
            self._file.seek(0)
            self._found = self._file.read().decode(errors="replace")
        return self._found


class _CheckedThread:
    """A thread that keeps the error of its function for `join`."""

    def __init__(
        self, test: TestCase, target: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> None:
        self._test, self._target, self._args, self._kwargs = test, target, args, kwargs
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:  # noqa: BLE001 - the test fails with it
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def is_alive(self) -> bool:
        """Returns whether the function still runs."""
        return self._thread.is_alive()

    def join(self) -> None:
        """Waits for the end of the function; the test fails if it raised an error."""
        self._thread.join()
        if self._error is not None:
            self._test.fail(f"Error in checkedThread: {self._error}")


def _ragged(value: Any) -> bool:
    """Whether a sequence is not an array, since it holds a dictionary or unequal shapes."""
    if any(isinstance(part, Mapping) or hasattr(part, "_asdict") for part in value):
        return True
    try:
        return len({np.shape(part) for part in value}) > 1
    except ValueError:
        return True


def main(argv: Any = None) -> None:
    """Runs the tests of the program that calls it."""
    unittest.main(argv=argv)


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Returns whether compiled functions can run on a GPU, which JAX provides.

    Args:
      cuda_only: Whether only GPUs that run CUDA count.
      min_cuda_compute_capability: The least compute capability of these, such as `(8, 0)`.
    """
    least = min_cuda_compute_capability
    for gpu in jax_devices().get("GPU", []):
        is_cuda = gpu.client.platform_version.startswith("cuda")
        if is_cuda and least is not None:
            major, minor = str(gpu.compute_capability).split(".")
            if (int(major), int(minor)) < tuple(least):
                continue
        if is_cuda or not cuda_only:
            return True
    return False


def gpu_device_name() -> str:
    """Returns the name of the first GPU, such as "/device:GPU:0", or the empty string."""
    return "/device:GPU:0" if jax_devices().get("GPU") else ""


def is_built_with_cuda() -> bool:
    """Returns whether operations are written in CUDA, which is False."""
    return False


is_built_with_rocm = is_built_with_gpu_support = is_built_with_cuda


def is_built_with_xla() -> bool:
    """Returns whether functions can be compiled with XLA: whether JAX is installed."""
    return importlib.util.find_spec("jax") is not None


def is_cpu_target_available(target: str) -> bool:
    """Returns whether a kind of processor, such as "x86_64", is that of this machine.

    XLA compiles functions only for the machine on which they run.

    Raises:
      AssertionError: No processor has this name.
    """
    names = {
        "x86_64": ("x86_64", "amd64"),
        "aarch64": ("aarch64", "arm64"),
        "arm": ("armv7l", "arm"),
    }
    if target not in names:
        raise AssertionError(f"Unknown CPU target: {target}")
    return platform.machine().lower() in names[target]


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a test skip itself if a condition holds when it runs.

    Args:
      pred: A function that returns whether to skip.
      skip_message: The reason.

    Returns:
      A decorator of methods of a `TestCase`.
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return checked

    return decorate

"""`tf.test.Benchmark`: programs that measure times and report them."""

from __future__ import annotations

import logging
import numbers
import os
import statistics
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.files.gfile import GFile, exists
from gradtape._src.messages import protos
from gradtape._src.sessions.running import default_session
from gradtape._src.sessions.session import Session

_log = logging.getLogger("tensorflow")
_REPORTS = "TEST_REPORT_FILE_PREFIX"
_OFF = 2  # RewriterConfig.OFF


@export("test.benchmark_config")
def benchmark_config() -> protos.ConfigProto:
    """Returns the options of a session that does not rewrite a graph's dependencies.

    Returns:
      A `tf.compat.v1.ConfigProto`.

    >>> print(tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization)
    2
    """
    config = protos.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = _OFF
    return config


@export("test.Benchmark")
class Benchmark:
    """The base class of benchmarks, whose methods are named `benchmark...`.

    A report is printed as a text of a `BenchmarkEntries` message. If the environment variable
    TEST_REPORT_FILE_PREFIX is set, it is written to a file of this prefix and the benchmark's name.

    >>> class Sums(tf.test.Benchmark):
    ...     def benchmark_sum(self):
    ...         self.report_benchmark(iters=3, wall_time=0.5)
    >>> Sums().benchmark_sum()
    entry {
      name: "Sums.benchmark_sum"
      iters: 3
      wall_time: 0.5
    }
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this is the base class.

        Returns:
          True for `tf.test.Benchmark` alone.
        """
        return cls is Benchmark

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Reports what was measured.

        Args:
          iters: The number of repetitions.
          cpu_time: The processor time of one, in seconds.
          wall_time: The time of one, in seconds.
          throughput: Megabytes per second.
          extras: Numbers and texts by name.
          name: The benchmark's name. Defaults to that of the outermost method that calls this one.
          metrics: Dictionaries with a "name" and a "value", and perhaps a "min_value" and a
            "max_value".

        Raises:
          ValueError: The caller is not a method of a benchmark.
          TypeError: `extras` is not a dictionary, or `metrics` not a list of such dictionaries.
          OSError: There is a report of this name.
        """
        given = (("iters", iters), ("cpu_time", cpu_time), ("wall_time", wall_time))
        report = protos.BenchmarkEntries()
        entry = report.entry.add()
        entry.name = self._full_name(name)
        for field, value in (*given, ("throughput", throughput)):
            if value is not None:
                setattr(entry, field, value)
        _add_extras(entry, extras)
        _add_metrics(entry, metrics)
        prefix = os.environ.get(_REPORTS)
        if prefix is None:
            sys.stdout.write(f"{report}\n")
            return
        path = prefix + entry.name.replace("/", "__")
        if exists(path):
            raise OSError(f"File already exists: {path}")
        with GFile(path, "wb") as file:
            file.write(report.SerializeToString())

    def _full_name(self, name: str | None) -> str:
        frame: FrameType | None = sys._getframe()
        found: FrameType | None = None
        while frame is not None:
            if isinstance(frame.f_locals.get("self"), Benchmark):
                found = frame
            frame = frame.f_back
        if found is None:
            raise ValueError("Unable to determine calling Benchmark class.")
        return f"{type(found.f_locals['self']).__name__}.{name or found.f_code.co_name}"

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Measures and reports the time in which a session computes something.

        Args:
          sess: The `tf.compat.v1.Session`.
          op_or_tensor: The operation or tensor to compute.
          feed_dict: The values of placeholders.
          burn_iters: The number of runs before those that are measured.
          min_iters: The number of measured runs.
          store_trace: Whether to trace a run, which sessions here can't do.
          store_memory_usage: Accepted for compatibility: the memory of a run is not known.
          name: The benchmark's name; see `report_benchmark`.
          extras: More numbers and texts by name.
          mbs: The number of megabytes that a run moves.

        Returns:
          What was reported: "iters", "wall_time" (the median), "extras" with the mean and the
          standard deviation, "name" and "throughput".

        Raises:
          NotImplementedError: `store_trace` is true.
        """
        if store_trace:
            raise NotImplementedError("A run of a session can't be traced: use tf.profiler.")
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.perf_counter() - start)
        median = statistics.median(times) if times else -1
        more = {} if extras is None else extras
        report: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": more,
            "name": name,
        }
        report["throughput"] = mbs / median
        self.report_benchmark(**report)
        more["wall_time_mean"] = statistics.fmean(times) if times else -1
        more["wall_time_stdev"] = statistics.stdev(times) if len(times) > 1 else -1
        return report

    def evaluate(self, tensors: Any) -> object:
        """Returns the values of tensors of a graph.

        Args:
          tensors: A tensor, or a nest of tensors.

        Returns:
          A nest of arrays.
        """
        session = default_session()
        if session is None:
            session = Session()
        values: object = session.run(tensors)
        return values


def _add_extras(entry: Any, extras: dict[str, Any] | None) -> None:
    if extras is None:
        return
    if not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in extras.items():
        if isinstance(value, numbers.Number):
            entry.extras[key].double_value = value
        else:
            entry.extras[key].string_value = str(value)


def _add_metrics(entry: Any, metrics: list[dict[str, Any]] | None) -> None:
    if metrics is None:
        return
    if not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics:
        for field in ("name", "value"):
            if field not in metric:
                raise TypeError(f"metric must have a {field!r} field")
        added = entry.metrics.add(name=metric["name"], value=metric["value"])
        for bound in ("min_value", "max_value"):
            if bound in metric:
                getattr(added, bound).value = metric[bound]


@export("__internal__.test.ParameterizedBenchmark")
class ParameterizedBenchmark(type):
    """A metaclass that makes a benchmark for each case in the list `_benchmark_parameters`.

    Each case is a tuple of a name and the arguments. The benchmark `benchmark_sum` becomes
    `benchmark_sum__NAME`.

    Raises:
      KeyError: The class has no list of cases.
      Exception: Two cases have the same name.

    >>> internal = tf.__internal__.test
    >>> class Sums(tf.test.Benchmark, metaclass=internal.ParameterizedBenchmark):
    ...     _benchmark_parameters = [("small", 3), ("large", 300)]
    ...     def benchmark_sum(self, n):
    ...         return sum(range(n))
    >>> Sums().benchmark_sum__small()
    3
    """

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        cases = members["_benchmark_parameters"]
        for key in [key for key in members if key.startswith("benchmark")]:
            method = members.pop(key)
            for suffix, *arguments in cases:
                full = f"{key}__{suffix}"
                if full in members:
                    raise Exception(f"Benchmark named {full} already defined.")  # noqa: TRY002
                members[full] = _with_arguments(method, arguments, full)
        return super().__new__(cls, name, bases, members)


def _with_arguments(method: Callable[..., Any], arguments: list[Any], name: str) -> Any:
    def run(self: Any) -> Any:
        return method(self, *arguments)

    run.__code__ = run.__code__.replace(co_name=name)  # reports read the name from the call
    run.__name__ = name
    return run

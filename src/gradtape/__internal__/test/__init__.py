"""Tools for tests of libraries: `tf.__internal__.test`."""

from gradtape.__internal__.test import combinations as combinations
from gradtape._src.compat.internals.benchmark import (
    ParameterizedBenchmark as ParameterizedBenchmark,
)

"""Every test runs with both of those who trace: the graph of `tf.function`, and XLA.

The quick tests compile a few programs of each kind of control flow; the others are slow under XLA.
"""

from pathlib import Path

import autograph_checks
import pytest

HERE = Path(__file__).parent

QUICK_UNDER_XLA = (
    "test_traced_as_in_eager_execution[xla-if_else]",
    "test_traced_as_in_eager_execution[xla-early_returns]",
    "test_over_rows_as_in_eager_execution[xla-rows_and_break-4]",
    "test_functions_that_are_called_are_converted[xla]",
    "test_compared_with_eager_execution[xla",
)


def pytest_collection_modifyitems(items):
    for item in items:
        callspec = getattr(item, "callspec", None)
        if (
            callspec is not None
            and callspec.params.get("engine") == "xla"
            and item.path.is_relative_to(HERE)
            and not item.name.startswith(QUICK_UNDER_XLA)
        ):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, params=["graph", "xla"])
def engine(request, monkeypatch):
    if request.param == "xla":
        pytest.importorskip("jax")
    monkeypatch.setattr(autograph_checks, "COMPILES", request.param == "xla")
    return request.param

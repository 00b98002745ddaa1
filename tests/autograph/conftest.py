"""Every test runs with both of those who trace: the graph of `tf.function`, and XLA."""

import autograph_checks
import pytest


@pytest.fixture(autouse=True, params=["graph", "xla"])
def engine(request, monkeypatch):
    if request.param == "xla":
        pytest.importorskip("jax")
    monkeypatch.setattr(autograph_checks, "COMPILES", request.param == "xla")
    return request.param

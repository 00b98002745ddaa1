"""Fixtures of the tests under XLA, which run on the device that JAX selects."""

import pytest

from gradtape._src.compute.devices import allow_tensor_float32


@pytest.fixture(autouse=True, scope="module")
def _exact_products():
    """Keeps GPUs from rounding the factors of products, which these tests compare with NumPy's."""
    allow_tensor_float32(False)
    yield
    allow_tensor_float32(True)

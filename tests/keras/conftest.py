"""The real Keras on gradtape; skipped where Keras is not installed."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # `mixed_networks`, as its recorder imports it

if importlib.util.find_spec("keras") is None:
    collect_ignore_glob = ["test_*.py"]


def pytest_collection_modifyitems(items):
    for item in items:  # Keras' variables know no `copy` in __array__, on TensorFlow either
        item.add_marker(pytest.mark.filterwarnings("ignore:__array__ impl:DeprecationWarning"))


@pytest.fixture(autouse=True)
def _fresh_names_and_numbers():
    import gradtape as tf

    tf.keras.backend.clear_session(free_memory=False)
    tf.keras.utils.set_random_seed(3)

"""What the tests of this directory share."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # `from steps import trained`


def pytest_collection_modifyitems(items):
    for item in items:  # Keras' variables know no `copy` in __array__, on TensorFlow either
        item.add_marker(pytest.mark.filterwarnings("ignore:__array__ impl:DeprecationWarning"))

"""Fixtures for the tests of this directory."""

import sys
from pathlib import Path

import pytest

import gradtape as tf

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # `from steps import trained`


def pytest_collection_modifyitems(items):
    here = (item for item in items if item.path.is_relative_to(HERE))
    for item in here:  # Keras' variables know no `copy` in __array__, on TensorFlow either
        item.add_marker(pytest.mark.filterwarnings("ignore:__array__ impl:DeprecationWarning"))


@pytest.fixture(scope="session")
def alone():
    """Returns the results of the steps on one device."""
    from steps import trained

    return trained(tf, tf.distribute.get_strategy(), jit=False)


@pytest.fixture
def started():
    """Starts the program; what still runs when a test is over ends then."""
    from runs import start

    processes = []

    def started(*arguments, **environment):
        processes.append(start(*arguments, **environment))
        return processes[-1]

    yield started
    for process in processes:
        process.kill()
        process.communicate()

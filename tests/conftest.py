"""What holds for every test."""

import logging

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _same_numbers_every_time():
    np.random.seed(0)


@pytest.fixture(autouse=True)
def _as_a_program_finds_numpy():
    """A test that changes NumPy's error state or the log level does so for itself alone."""
    level = logging.getLogger("tensorflow").level
    with np.errstate():
        yield
    logging.getLogger("tensorflow").setLevel(level)

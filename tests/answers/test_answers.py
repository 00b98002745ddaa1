"""Ours are TensorFlow's answers, but where a difference has a reason."""

import importlib
import re
import warnings

import pytest

import gradtape as tf
from answers.record import MODULES, recorded

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=MODULES)
def compared(request):
    """The differences of one module's answers, and its patterns of accepted ones."""
    module = importlib.import_module(f"answers.{request.param}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = module.answers(tf)
    theirs = recorded(request.param)
    assert ours.keys() == theirs.keys()
    found = [f"{q}: {theirs[q]}, ours: {ours[q]}" for q in theirs if ours[q] != theirs[q]]
    return found, [re.compile(pattern) for pattern in module.DIFFERENCES]


def test_answers_are_those_of_tensorflow(compared):
    found, accepted = compared
    assert not [line for line in found if not any(p.fullmatch(line) for p in accepted)]


def test_accepted_differences_are_there(compared):
    found, accepted = compared
    assert not [p.pattern for p in accepted if not any(map(p.fullmatch, found))]

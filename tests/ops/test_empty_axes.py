"""Every operation on empty inputs gives what TensorFlow gives, or an exception of its kind."""

from __future__ import annotations

import linecache
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from empty_axes.calls import CALLS, on
from empty_axes.cases import cases, shapes_with_an_empty_axis
from empty_axes.differences import waived
from empty_axes.outcomes import equal, outcome
from empty_axes.record import read
from samples import SAMPLES

import gradtape as tf
from gradtape._src.core.tracebacks import Filtering
from gradtape._src.declare.structural import concat_p

JUDGED = read()
OURS = (tf.errors.OpError, ValueError, TypeError, NotImplementedError, LookupError)
NUMPYS = (
    "cannot reshape",
    "at least one array",
    "input array",
    "broadcast together",
    "zero-size",
    "empty sequence",
)
NEED_EQUAL_SHAPES = {"PassBeside"}  # no user can call it
CASES = [c for c in cases([*SAMPLES, *on(tf, CALLS)]) if c.op not in NEED_EQUAL_SHAPES]
GROUPS = {op: [c for c in CASES if c.op == op] for op in dict.fromkeys(c.op for c in CASES)}
TESTS = Path(__file__).parents[1]


def words(what):
    return f"{type(what).__name__}: {what}" if isinstance(what, Exception) else what


def is_raw(error):
    """Whether an exception of NumPy, SciPy or Python was passed on without translation."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if Path(code.co_filename).is_relative_to(TESTS):  # the case's own function
        return False
    raised = linecache.getline(code.co_filename, trace.tb_lineno).strip().startswith("raise")
    return not (raised and isinstance(error, OURS)) or any(n in str(error) for n in NUMPYS)


@pytest.fixture(autouse=True)
def _whole_tracebacks(monkeypatch):
    monkeypatch.setattr(Filtering, "on", False)  # `is_raw` looks at the line that raised


def check(case):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcome(tf, case.call, case.inputs, case.stages)
    for stage, mine in found.items():
        if isinstance(mine, Exception):
            assert not is_raw(mine), f"{case.name}, {stage}: raw {words(mine)}"
    for stage, want in JUDGED.get(case.name, {}).items():  # none for what was not recorded yet
        mine = found.get(stage)
        name = type(mine).__name__ if isinstance(mine, Exception) else mine
        if not equal(name, want):
            message = f"{case.name}, {stage}: {words(mine)}, TensorFlow: {want}"
            assert waived(case.name, stage, name, want), message
            return  # what follows rests on it


@pytest.mark.parametrize("group", GROUPS)
def test_cases(group):
    for case in GROUPS[group]:
        check(case)


def test_most_cases_are_recorded():
    recorded = [case for case in CASES if case.name in JUDGED]
    assert len(recorded) > 0.9 * len(CASES), "renew it with tests/empty_axes/record.py"


def test_a_difference_is_found():
    case = next(c for c in CASES if JUDGED.get(c.name, {}).get("values") == [["float64", [0, 3]]])
    with pytest.raises(AssertionError, match="TensorFlow"):
        check(replace(case, call=lambda *xs: tf.zeros([3, 0], tf.float64)))
    with pytest.raises(AssertionError, match="raw"):
        check(replace(case, call=lambda *xs: concat_p(np.ones((2, 1)), np.ones((1, 2)), axis=0)))


def test_each_axis_is_emptied_alone_and_with_those_that_belong_to_it():
    assert shapes_with_an_empty_axis([(2, 3), (3,)]) == [
        ((0, 3), (3,)),
        ((2, 0), (3,)),
        ((2, 3), (0,)),
        ((2, 0), (0,)),
        ((0, 0), (0,)),
    ]
    assert shapes_with_an_empty_axis([()]) == []

"""The comparison with TensorFlow: which calls it makes, and what it calls equal."""

import sys
from pathlib import Path

import pytest

import gradtape as tf

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def parts():
    """The modules of the comparison."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from comparison import calls, judge, page, values
    finally:
        sys.path.remove(str(ROOT / "tools"))
    return {"calls": calls, "judge": judge, "page": page, "values": values}


def gave(kind, *rest, derivatives=()):
    return ["gave", [kind, *rest], list(derivatives)]


ONE = ["Tensor", "float32", [1], [1.0]]


@pytest.mark.parametrize(
    ("theirs", "ours", "kind"),
    [
        (gave(*ONE), gave(*ONE), ""),
        (gave(*ONE), gave("Tensor", "float32", [1], [1.000001]), ""),
        (gave(*ONE), gave("Tensor", "float32", [1], [1.01]), "value"),
        (gave(*ONE), gave("Tensor", "float32", [1], [float("nan")]), "value"),
        (gave(*ONE), gave("Tensor", "float64", [1], [1.0]), "dtype"),
        (gave(*ONE), gave("Tensor", "float32", [], [1.0]), "shape"),
        (gave(*ONE), gave("Variable", "float32", [1], [1.0]), "type"),
        (gave(*ONE), ["raised", ["ValueError"], ""], "refuses"),
        (["raised", ["ValueError"], ""], gave(*ONE), "answers"),
        (["raised", ["ValueError"], ""], ["raised", ["TypeError", "Exception"], ""], "exception"),
        (["raised", ["Base"], ""], ["raised", ["Own", "Base"], ""], ""),
        (gave("list", [], [ONE]), gave("list", [], [ONE, ONE]), "structure"),
        (gave("tuple", [], [ONE]), gave("list", [], [ONE]), "type"),
        (gave("int", "3"), gave("int", "4"), "value"),
        (
            gave(*ONE, derivatives=[[ONE]]),
            gave(*ONE, derivatives=[[["NoneType", "None"]]]),
            "gradient: only there",
        ),
        (
            gave(*ONE, derivatives=[[ONE], [ONE]]),
            gave(*ONE, derivatives=[[ONE], [["Tensor", "float32", [1], [2.0]]]]),
            "second gradient: value",
        ),
    ],
)
def test_what_is_called_different(parts, theirs, ours, kind):
    assert parts["judge"].verdict(theirs, ours) == kind


def test_random_functions_are_compared_by_their_form(parts):
    verdict = parts["judge"].verdict
    other = gave("Tensor", "float32", [1], [5.0])
    assert verdict(gave(*ONE), other, random=True) == ""
    assert verdict(gave(*ONE), gave("Tensor", "float32", [2], [5.0, 1.0]), random=True) == "shape"


def test_calls_of_a_function(parts):
    values, calls = parts["values"], parts["calls"]

    def works(call):
        _, path, named, by = call
        arguments = {name: values.build(tf, spec, [], []) for name, spec in named}
        try:
            function = values.found(tf, path)
            function(**arguments) if by == "keyword" else function(*arguments.values())
        except Exception:  # noqa: BLE001 - a call may raise anything
            return False
        return True

    planned = calls.planned(tf, "math.reduce_max", works)
    labels = {call[0] for call in planned}
    assert {f"dtype {name}" for name in calls.DTYPES} - {"dtype float32"} <= labels
    assert {f"form {name}" for name in calls.FORMS} <= labels
    assert {"by keyword", "special values", "shape (0, 3)", "option axis"} <= labels
    assert len({repr(call[1:]) for call in planned}) == len(planned)


@pytest.mark.parametrize("form", ["tensor", "numpy", "list", "variable", "ragged", "sparse"])
def test_arguments_are_built_and_recorded(parts, form):
    values = parts["values"]
    spec = values.array(shape=(2, 3), form=form)
    first, second = (values.record(tf, values.build(tf, spec, [], [])) for _ in range(2))
    assert first == second
    kinds = {"numpy": "array", "ragged": "RaggedTensor", "sparse": "SparseTensor"}
    assert first[0] == kinds.get(form, form.capitalize() if form != "list" else "list")


def test_the_reasons_can_be_read(parts):
    for entry in parts["judge"].reasons():
        assert entry["why"].endswith(".")


def test_a_function_that_was_not_reached_is_not_counted(parts, tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "add.json").write_text("[]")
    comparison = parts["judge"].compared(tmp_path, "add", ["add"])
    assert not comparison.reached
    assert comparison.tried == 0

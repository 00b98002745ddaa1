"""Tensors and variables in other libraries and in Python itself."""

import copy
import json
import math
import pickle
import sys

import numpy as np
import pytest

import gradtape as tf

MAKE = [tf.constant, tf.Variable]


@pytest.fixture
def plt(monkeypatch):
    """matplotlib, in a process that knows no module `tensorflow`."""
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


FIGURES = {
    "plot": lambda plt, x, m: plt.plot(x, x, "o"),
    "plot of columns": lambda plt, x, m: plt.plot(m),
    "imshow": lambda plt, x, m: plt.imshow(m),
    "bar": lambda plt, x, m: plt.bar(x, x),
    "scatter": lambda plt, x, m: plt.scatter(x, x),
    "contourf": lambda plt, x, m: plt.contourf(m),
    "fill_between": lambda plt, x, m: plt.fill_between(x, x),
    "quiver": lambda plt, x, m: plt.quiver(x, x, x, x),
    "pcolormesh": lambda plt, x, m: plt.pcolormesh(m),
    "step": lambda plt, x, m: plt.step(x, x),
    "boxplot": lambda plt, x, m: plt.boxplot(x),
    "violinplot": lambda plt, x, m: plt.violinplot(x),
}


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("figure", FIGURES)
def test_figures(figure, make, plt):
    FIGURES[figure](plt, make([3.0, 1.0, 2.0]), make([[3.0, 1.0], [4.0, 2.0]]))
    plt.gcf().canvas.draw()


@pytest.mark.parametrize("make", MAKE)
def test_a_histogram_counts_the_elements(make, plt):
    assert plt.hist(make([3.0, 1.0, 1.0]), bins=2)[0].tolist() == [2, 1]
    assert plt.hist(make([[3.0, 1.0], [2.0, 1.0]]), bins=2)[0].tolist() == [[0, 2], [2, 0]]


NUMPY = {
    "histogram": lambda x: np.histogram(x, 3)[0],
    "sort": np.sort,
    "mean": np.mean,
    "concatenate": lambda x: np.concatenate([x, x]),
    "stack": lambda x: np.stack([x, x]),
    "unique": np.unique,
    "interp": lambda x: np.interp(1.5, [1.0, 2.0, 3.0], x),
    "percentile": lambda x: np.percentile(x, 30),
    "isclose": lambda x: np.isclose(x, 1.0),
    "ravel": np.ravel,
    "split": lambda x: np.split(x, 3),
    "ones_like": np.ones_like,
    "norm": np.linalg.norm,
    "asarray": lambda x: np.asarray(x, dtype=int),
    "where": lambda x: np.where(x),
    "list": lambda x: list(x),
    "sorted": sorted,
    "max": max,
    "sum": sum,
    "unpacking": lambda x: [*x][1],
    "in": lambda x: (1.0 in x, 7.0 in x),
    "map": lambda x: list(map(float, x)),
    "enumerate": lambda x: [i for i, _ in enumerate(x)],
}


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("name", NUMPY)
def test_what_numpy_and_python_do_with_an_array(name, make):
    array = np.array([3.0, 1.0, 2.0], np.float32)
    np.testing.assert_array_equal(NUMPY[name](make(array)), NUMPY[name](array))


@pytest.mark.parametrize("make", MAKE)
def test_scalars(make):
    x, n = make(2.25), make(3)
    assert (int(x), float(x), complex(x)) == (2, 2.25, 2.25)
    assert (math.sqrt(x), math.floor(x), "%.1f" % x) == (1.5, 2, "2.2")  # noqa: UP031
    assert list(range(n)) == [0, 1, 2]
    assert "abcd"[n] == "d"
    assert np.arange(n).tolist() == [0, 1, 2]
    assert float(json.dumps(float(x))) == 2.25


@pytest.mark.parametrize("make", MAKE)
def test_json_takes_numbers_and_lists_alone(make):
    x = make([1.0, 2.0])
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(x)
    assert json.dumps(x.numpy().tolist()) == "[1.0, 2.0]"


@pytest.mark.parametrize("make", MAKE)
def test_copies(make):
    x = make([1.0, 2.0])
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert type(y) is type(x)
        assert y.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", MAKE)
def test_several_elements_have_no_truth_value(make):
    with pytest.raises(ValueError, match=r"shape \(2, 1\).*tf\.reduce_any") as caught:
        bool(make([[1.0], [2.0]]))
    assert ".any()" not in str(caught.value)
    assert bool(make([1.0]))
    assert not make([])

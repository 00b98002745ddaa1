"""GradBench's tool gives NumPy's and SciPy's values, and speaks the protocol, in every mode."""

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import multigammaln
from scipy.stats import multivariate_normal

FILE = Path(__file__).parents[1] / "benchmarks" / "gradbench.py"
RNG = np.random.default_rng(0)
X = RNG.normal(size=6)
A = RNG.normal(size=(4, 4))
POINTS, CENTROIDS = RNG.normal(size=(30, 2)), RNG.normal(size=(3, 2))


@pytest.fixture(scope="module")
def gradbench():
    spec = importlib.util.spec_from_file_location("gradbench", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(function, x, step=1e-6):
    """Returns the gradient of a function of a vector by central differences."""
    steps = step * np.eye(len(x))
    return [(function(x + s) - function(x - s)) / (2 * step) for s in steps]


def _squares(x, n=9):
    t = np.linspace(-1, 1, n)
    return 0.5 * np.sum((np.polyval(x[::-1], t) - np.sign(t)) ** 2)


def _nearest():
    return np.argmin(((POINTS[:, None] - CENTROIDS) ** 2).sum(2), axis=1)


D, K, GAMMA, M = 3, 2, 1.3, 2
MIXTURE = RNG.normal(size=K + K * D + K * D * (D + 1) // 2)
DATA = RNG.normal(size=(5, D))


def _taken_apart(parameters):
    alpha, means = parameters[:K], parameters[K : K + K * D].reshape(K, D)
    return alpha, means, parameters[K + K * D :].reshape(K, -1)


def _posterior(parameters):
    """Returns the logarithm of the posterior by SciPy's densities."""
    alpha, means, icf = _taken_apart(parameters)
    weights, freedom = np.exp(alpha) / np.exp(alpha).sum(), D + M + 1
    densities, prior = np.zeros(len(DATA)), 0.0
    for weight, mean, own in zip(weights, means, icf, strict=True):
        factor, below = np.diag(np.exp(own[:D])), iter(own[D:])
        for column in range(D):
            for row in range(column + 1, D):
                factor[row, column] = next(below)
        cov = np.linalg.inv(factor.T @ factor)
        densities += weight * multivariate_normal(mean, cov).pdf(DATA)
        prior += GAMMA**2 / 2 * np.sum(factor**2) - M * np.linalg.slogdet(factor)[1]
        prior -= freedom * D * math.log(GAMMA / math.sqrt(2)) - multigammaln(freedom / 2, D)
    return np.log(densities).sum() + prior


_ALPHA, _MEANS, _ICF = _taken_apart(MIXTURE)
GMM = {
    "d": D,
    "k": K,
    "n": len(DATA),
    "gamma": GAMMA,
    "m": M,
    "x": DATA.tolist(),
    "alpha": _ALPHA.tolist(),
    "mu": _MEANS.tolist(),
    "q": _ICF[:, :D].tolist(),
    "l": _ICF[:, D:].tolist(),
}


def _by_name(parameters):
    alpha, means, icf = _taken_apart(np.array(parameters))
    return {"alpha": alpha, "mu": means, "q": icf[:, :D], "l": icf[:, D:]}


LSE, LLSQ = {"x": X.tolist()}, {"x": X.tolist(), "n": 9}
KMEANS = {"points": POINTS.tolist(), "centroids": CENTROIDS.tolist()}
DET, ODE = {"A": A.ravel().tolist(), "ell": 4}, {"x": X[:4].tolist(), "s": 3}
ENDS = [np.prod(X[: i + 1]) * 2 ** (i + 1) / math.factorial(i + 1) for i in range(4)]
MEANS = np.array([POINTS[_nearest() == j].mean(0) for j in range(3)])
CASES = [
    ("hello", "square", 3.0, 9.0),
    ("hello", "double", 3.0, 6.0),
    ("lse", "primal", LSE, np.logaddexp.reduce(X)),
    ("lse", "gradient", LSE, np.exp(X) / np.exp(X).sum()),
    ("llsq", "primal", LLSQ, _squares(X)),
    ("llsq", "gradient", LLSQ, differences(_squares, X)),
    ("gmm", "objective", GMM, _posterior(MIXTURE)),
    ("gmm", "jacobian", GMM, _by_name(differences(_posterior, MIXTURE))),
    ("kmeans", "cost", KMEANS, np.sum((POINTS - CENTROIDS[_nearest()]) ** 2)),
    ("kmeans", "dir", KMEANS, CENTROIDS - MEANS),
    ("det", "primal", DET, np.linalg.det(A)),
    ("det", "gradient", DET, (np.linalg.det(A) * np.linalg.inv(A).T).ravel()),
    ("ode", "primal", ODE, ENDS),
    ("ode", "gradient", ODE, ENDS[-1] / X[:4]),
]


def test_the_tool_has_the_evaluations_that_are_compared(gradbench):
    names = {(name, function) for name, known in gradbench.EVALS.items() for function in known}
    others = {"ba", "ht", "lstm"}  # of ADBench, in test_adbench.py
    assert {each for each in names if each[0] not in others} == {each[:2] for each in CASES}
    assert {each[0] for each in names} >= others


@pytest.mark.parametrize("mode", ["eager", "function", pytest.param("xla", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "function", "given", "wanted"), CASES)
def test_values_are_those_of_numpy(gradbench, mode, name, function, given, wanted):
    if mode == "xla":
        pytest.importorskip("jax")
    message = {"kind": "evaluate", "module": name, "function": function, "input": given}
    answer = gradbench.tool(mode).answer(message)
    found = answer["output"]
    if type(wanted) is dict:
        assert list(found) == list(wanted)
        found, wanted = (
            np.concatenate([np.ravel(x) for x in each.values()]) for each in (found, wanted)
        )
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7)
    assert len(answer["timings"]) == 1


def test_the_protocol_is_spoken_line_by_line():
    asked = {**LSE, "min_runs": 3, "min_seconds": 0}
    messages = [
        {"id": 0, "kind": "start", "eval": "lse"},
        {"id": 1, "kind": "define", "module": "lse"},
        {"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "input": asked},
        {"id": 3, "kind": "analysis", "of": 2, "valid": True},
        {"id": 4, "kind": "define", "module": "saddle"},
    ]
    text = "".join(f"{json.dumps(m)}\n" for m in messages)
    command = [sys.executable, str(FILE)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["id"] for a in answers] == [0, 1, 2, 3, 4]
    assert answers[0]["tool"] == "gradtape"
    assert answers[1]["success"]
    assert [t["name"] for t in answers[2]["timings"]] == ["evaluate"] * 3
    assert answers[3] == {"id": 3}
    assert not answers[4]["success"]


def test_a_failed_evaluation_is_answered_and_the_tool_goes_on(gradbench):
    tool = gradbench.tool("eager")

    def answer(module, function, given):
        message = {"kind": "evaluate", "module": module, "function": function, "input": given}
        return tool.answer(message)

    for module, function in (("lse", "hessian"), ("saddle", "primal")):
        found = answer(module, function, LSE)
        assert not found["success"]
        assert f"no function {function} of an evaluation {module}" in found["error"]
    found = answer("lse", "primal", {"min_runs": 1})
    assert not found["success"]
    assert "KeyError: 'x'" in found["error"]
    assert answer("lse", "primal", LSE)["success"]


@pytest.mark.parametrize("size", [1, 2, 3, 11])
def test_determinants_of_all_of_gradbench_s_sizes(gradbench, size):
    matrix = RNG.normal(size=(size, size))
    given = {"A": matrix.ravel().tolist(), "ell": size}
    expected = np.linalg.det(matrix)
    cofactors = expected * np.linalg.inv(matrix).T
    tool = gradbench.tool("eager")
    for function, wanted in (("primal", expected), ("gradient", cofactors.ravel())):
        message = {"kind": "evaluate", "module": "det", "function": function, "input": given}
        np.testing.assert_allclose(tool.answer(message)["output"], wanted, rtol=1e-9)

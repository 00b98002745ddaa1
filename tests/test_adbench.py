"""GradBench's problems from ADBench have the values and derivatives of their formulas in NumPy."""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODES = ["eager", "function", pytest.param("xla", marks=pytest.mark.slow)]
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def gradbench():
    spec = importlib.util.spec_from_file_location("gradbench", FOLDER / "gradbench.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluated(gradbench, mode, module, function, given):
    answer = gradbench.tool(mode).answer(
        {"kind": "evaluate", "module": module, "function": function, "input": given}
    )
    assert answer["success"]
    assert answer["timings"][0]["nanoseconds"] > 0
    return answer["output"]


def differences(function, x, step=1e-6):
    """Returns the Jacobian of a function of a vector by central differences."""
    steps = step * np.eye(len(x))
    return np.stack([(function(x + s) - function(x - s)) / (2 * step) for s in steps], -1)


# Bundle adjustment.


def seen_from(block, feature):
    """The error of one observation, with SciPy's rotation."""
    rotation, center, focal, principal = block[:3], block[3:6], block[6], block[7:9]
    x, y, z = Rotation.from_rotvec(rotation).apply(block[11:14] - center)
    flat = np.array([x, y]) / z
    square = flat @ flat
    distorted = flat * (1 + block[9] * square + block[10] * square**2)
    return block[14] * (distorted * focal + principal - feature)


@pytest.mark.parametrize("rotation", [[0.1, -0.2, 0.3], [0.0, 0.0, 0.0]])
@pytest.mark.parametrize("mode", MODES)
def test_bundle_adjustment(gradbench, mode, rotation):
    cam = [*rotation, 0.1, 0.2, -3.0, 2.0, 0.3, -0.1, 0.05, 0.02]
    x, w, feat = [0.3, -0.4, 1.2], 0.7, [0.2, 0.1]
    given = {"n": 3, "m": 4, "p": 9, "cam": cam, "x": x, "w": w, "feat": feat}
    block = np.array([*cam, *x, w])
    found = evaluated(gradbench, mode, "ba", "objective", given)
    np.testing.assert_allclose(found["reproj_error"]["elements"], seen_from(block, feat))
    assert (found["reproj_error"]["repeated"], found["w_err"]["repeated"]) == (9, 9)
    np.testing.assert_allclose(found["w_err"]["element"], 1 - w * w)
    sparse = evaluated(gradbench, mode, "ba", "jacobian", given)
    expected = differences(lambda b: seen_from(b, feat), block)
    np.testing.assert_allclose(sparse["vals"][:30], expected.ravel(), atol=1e-7)
    np.testing.assert_allclose(sparse["vals"][30], -2 * w)
    own = [*range(11), 33, 34, 35, 45]
    assert sparse["cols"] == [*own, *own, 33 + 12 + 8]
    assert sparse["rows"] == [*range(0, 271, 15), *range(271, 280), 279]


# Hand tracking.

BONES, VERTICES, POINTS = 22, 30, 7


def hand(with_us):
    def rigid():
        move = np.eye(4)
        move[:3, :3] = Rotation.from_rotvec(RNG.normal(size=3)).as_matrix()
        move[:3, 3] = RNG.normal(size=3)
        return move.tolist()

    model = {
        "bone_count": BONES,
        "bone_names": [f"bone {i}" for i in range(BONES)],
        "parents": [-1, *(int(RNG.integers(0, i)) for i in range(1, BONES))],
        "base_relatives": [rigid() for _ in range(BONES)],
        "inverse_base_absolutes": [rigid() for _ in range(BONES)],
        "base_positions": np.column_stack([RNG.normal(size=(VERTICES, 3)), np.ones(VERTICES)]),
        "weights": RNG.random((VERTICES, BONES)),
        "triangles": RNG.integers(0, VERTICES, (12, 3)),
        "is_mirrored": with_us,
    }
    data = {
        "model": model,
        "correspondences": RNG.integers(0, 12, POINTS),
        "points": RNG.normal(size=(POINTS, 3)),
    }
    us = RNG.random((POINTS, 2)).tolist() if with_us else []
    return {"theta": RNG.normal(size=26).tolist(), "data": data, "us": us}


def distances(theta, given, step=(0.0, 0.0)):
    """The errors of a hand, bone by bone and vertex by vertex."""
    model, data = given["data"]["model"], given["data"]
    pose = np.zeros((BONES + 3, 3))
    pose[0], pose[1], pose[2] = theta[:3], 1, theta[3:6]
    rest = iter(theta[6:])
    for finger in range(5):
        for joint in range(3):
            column = 5 + 4 * finger + joint
            pose[column, 0] = next(rest)
            if joint == 0:
                pose[column, 1] = next(rest)
    absolute = []
    for i, parent in enumerate(model["parents"]):
        x, z, y = pose[i + 3]
        turn = np.eye(4)
        turn[:3, :3] = Rotation.from_euler("xyz", [x, y, z]).as_matrix()
        own = np.array(model["base_relatives"][i]) @ turn
        absolute.append(own if parent == -1 else absolute[parent] @ own)
    vertices = np.zeros((VERTICES, 3))
    for i, move in enumerate(absolute):
        whole = move @ np.array(model["inverse_base_absolutes"][i])
        for v in range(VERTICES):
            vertices[v] += model["weights"][v, i] * (whole @ model["base_positions"][v])[:3]
    if model["is_mirrored"]:
        vertices[:, 0] *= -1
    vertices = Rotation.from_rotvec(pose[0]).apply(vertices) + pose[2]
    errors = []
    for i, place in enumerate(data["correspondences"]):
        at = vertices[place]
        if given["us"]:
            u, v = np.array(given["us"][i]) + step
            a, b, c = vertices[model["triangles"][place]]
            at = u * a + v * b + (1 - u - v) * c
        errors.append(data["points"][i] - at)
    return np.ravel(errors)


@pytest.mark.parametrize("with_us", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_hand_tracking(gradbench, mode, with_us):
    given = hand(with_us)
    theta = np.array(given["theta"])
    errors = evaluated(gradbench, mode, "ht", "objective", given)
    np.testing.assert_allclose(errors, distances(theta, given))
    expected = differences(lambda t: distances(t, given), theta)
    if with_us:
        by_us = differences(lambda s: distances(theta, given, s), np.zeros(2))
        expected = np.column_stack([by_us, expected])
    jacobian = evaluated(gradbench, mode, "ht", "jacobian", given)
    np.testing.assert_allclose(jacobian, expected, atol=1e-6 * np.abs(expected).max())


def test_a_hand_that_is_not_turned(gradbench):
    given = hand(False)
    given["theta"][:3] = [0.0, 0.0, 0.0]
    errors = evaluated(gradbench, "eager", "ht", "objective", given)
    np.testing.assert_allclose(errors, distances(np.array(given["theta"]), given))
    jacobian = np.array(evaluated(gradbench, "eager", "ht", "jacobian", given))
    assert np.isfinite(jacobian).all()
    assert not jacobian[:, :3].any()


# The LSTM.

LAYERS, UNITS, CHARACTERS = 2, 3, 4


def loss(main, extra, state, sequence):
    """The mean loss, unit by unit."""
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    state, total = np.array(state), 0.0
    for now, following in itertools.pairwise(sequence):
        x = now * extra[0]
        for layer in range(LAYERS):
            w, b = main[2 * layer].reshape(4, UNITS), main[2 * layer + 1].reshape(4, UNITS)
            hidden, cell = state[2 * layer], state[2 * layer + 1]
            change = np.tanh(hidden * w[3] + b[3])
            cell[:] = cell * sigmoid(x * w[0] + b[0]) + sigmoid(hidden * w[1] + b[1]) * change
            hidden[:] = sigmoid(x * w[2] + b[2]) * np.tanh(cell)
            x = hidden
        predicted = x * extra[1] + extra[2]
        total += following @ (predicted - np.log(np.exp(predicted).sum() + 2))
    return -total / ((len(sequence) - 1) * UNITS)


@pytest.mark.parametrize("mode", MODES)
def test_lstm(gradbench, mode):
    main, extra = RNG.normal(size=(2 * LAYERS, 4 * UNITS)), RNG.normal(size=(3, UNITS))
    state, sequence = RNG.normal(size=(2 * LAYERS, UNITS)), RNG.normal(size=(CHARACTERS, UNITS))
    given = {"main_params": main, "extra_params": extra, "state": state, "sequence": sequence}
    given = {name: value.tolist() for name, value in given.items()}
    found = evaluated(gradbench, mode, "lstm", "objective", given)
    np.testing.assert_allclose(found, loss(main, extra, state, sequence))

    def of_all(parameters):
        own = parameters[: main.size].reshape(main.shape)
        return loss(own, parameters[main.size :].reshape(extra.shape), state, sequence)

    expected = differences(of_all, np.concatenate([main.ravel(), extra.ravel()]))
    gradient = evaluated(gradbench, mode, "lstm", "jacobian", given)
    np.testing.assert_allclose(gradient, expected, atol=1e-8)

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def streamed(make, *batches):
    """Returns the value of a metric after each batch."""
    with tf.Graph().as_default(), v1.Session() as session:
        places = [v1.placeholder(x.dtype, [None]) for x in batches[0]]
        value, update = make(*places)
        session.run(v1.local_variables_initializer())
        found = []
        for batch in batches:
            session.run(update, dict(zip(places, batch, strict=True)))
            found.append(session.run(value))
        return found


LABELS = np.array([1, 0, 1, 1, 0, 0, 1])
SCORES = np.array([0.9, 0.2, 0.4, 0.8, 0.6, 0.1, 0.7])


def test_area_under_the_curve():
    pairs = [(a, b) for a in SCORES[LABELS == 1] for b in SCORES[LABELS == 0]]
    wanted = np.mean([a > b for a, b in pairs])
    found = streamed(v1.metrics.auc, (LABELS[:4], SCORES[:4]), (LABELS[4:], SCORES[4:]))
    assert found[0] == pytest.approx(1.0)
    assert found[1] == pytest.approx(wanted, abs=1e-5)


def test_weights_and_thresholds():
    def make(labels, scores):
        by = v1.where(scores > 0.5, tf.ones_like(scores), tf.zeros_like(scores))
        return v1.metrics.auc(labels, scores, by, thresholds=[0.65])

    (found,) = streamed(make, (LABELS, SCORES))
    assert found == pytest.approx(1.0, abs=1e-4)


def test_sums_below_and_above_the_curve():
    def area(method):
        def make(labels, scores):
            return v1.metrics.auc(labels, scores, curve="PR", summation_method=method)

        return streamed(make, (LABELS, SCORES))[0]

    assert area("minoring") < area("trapezoidal") < area("majoring")


def test_unknown_curves():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Curve other is unknown"):
            v1.metrics.auc([1], [0.5], curve="other")
        with pytest.raises(ValueError, match="Invalid summation_method: other"):
            v1.metrics.auc([1], [0.5], summation_method="other")
    with pytest.raises(RuntimeError, match="eager"):
        v1.metrics.mean_iou([1], [0], 2)


def test_intersection_over_union():
    guess = np.array([1, 0, 1, 0, 0, 0, 2])

    def make(labels, predictions):
        return v1.metrics.mean_iou(labels, predictions, 4)

    truth = np.array([1, 0, 1, 1, 0, 2, 2])
    (found,) = streamed(make, (truth, guess))
    both = [(truth == k, guess == k) for k in (0, 1, 2)]
    each = [np.sum(a & b) / np.sum(a | b) for a, b in both]
    assert found == pytest.approx(np.mean(each))

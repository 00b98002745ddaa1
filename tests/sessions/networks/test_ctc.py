"""CTC in graphs; the values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
LABELS = tf.sparse.from_dense([[1, 2]])
TWICE = tf.sparse.from_dense([[1, 1]])
LOGITS = np.random.RandomState(0).rand(4, 1, 4).astype("f")


def test_the_last_class_is_blank():
    for loss in (
        v1.nn.ctc_loss(LABELS, LOGITS, [4]),
        v1.nn.ctc_loss(LABELS, LOGITS.transpose(1, 0, 2), [4], time_major=False),
        v1.nn.ctc_loss(LABELS, logits=LOGITS, sequence_length=[4]),
    ):
        np.testing.assert_allclose(loss, [3.1575475], rtol=1e-5)
    once = v1.nn.ctc_loss(TWICE, LOGITS, [4], preprocess_collapse_repeated=True)
    np.testing.assert_allclose(once, [3.3241918], rtol=1e-5)


def test_labels_that_do_not_fit():
    assert np.isinf(v1.nn.ctc_loss(TWICE, LOGITS[:2], [2])[0])
    short = LOGITS[:1]
    assert np.isinf(v1.nn.ctc_loss(LABELS, short, [1])[0])
    ignored = v1.nn.ctc_loss(LABELS, short, [1], ignore_longer_outputs_than_inputs=True)
    assert float(ignored[0]) == 0.0


def test_wrong_arguments():
    with pytest.raises(TypeError, match="to be a SparseTensor"):
        v1.nn.ctc_loss([[1, 2]], LOGITS, [4])
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.nn.ctc_loss(LABELS, LOGITS, [4], logits=LOGITS)
    with pytest.raises(NotImplementedError, match="always merged"):
        v1.nn.ctc_loss(LABELS, LOGITS, [4], ctc_merge_repeated=False)


def test_beams_with_repeated_labels():
    """The best path is 0, blank, 0, which means two labels if they aren't merged."""
    logits = np.log([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]]]).astype("f")
    paths, _ = v1.nn.ctc_beam_search_decoder(logits, [3], merge_repeated=False)
    assert paths[0].values.numpy().tolist() == [0, 0]
    paths, scores = v1.nn.ctc_beam_search_decoder(logits, [3])
    assert paths[0].values.numpy().tolist() == [0]
    assert paths[0].dense_shape.numpy().tolist() == [1, 1]
    np.testing.assert_allclose(scores, [[np.log(0.9**3)]], rtol=1e-5)


def test_a_session_trains_and_decodes():
    with tf.Graph().as_default(), v1.Session() as session:
        labels = v1.sparse_placeholder(tf.int32)
        logits = v1.placeholder(tf.float32, [None, None, 4])
        steps = v1.placeholder(tf.int32, [None])
        w = v1.get_variable("w", initializer=np.ones(4, "f"))
        loss = v1.nn.ctc_loss(labels, logits * w, steps)
        slope = v1.gradients(loss, w)[0]
        decoded, _ = v1.nn.ctc_greedy_decoder(logits, steps)
        beams, _ = v1.nn.ctc_beam_search_decoder(logits, steps, 10, 2)
        errors = v1.edit_distance(tf.cast(decoded[0], tf.int32), labels)
        assert errors.dtype == tf.float32
        session.run(v1.global_variables_initializer())
        feed = {labels: ([[0, 0], [0, 1]], [1, 2], [1, 2]), logits: LOGITS, steps: [4]}
        found = session.run([loss, slope, errors, decoded[0], beams[1]], feed)
    np.testing.assert_allclose(found[0], [3.1575475], rtol=1e-5)
    x = tf.Variable(np.ones(4, "f"))
    with tf.GradientTape() as tape:
        again = v1.nn.ctc_loss(LABELS, LOGITS * x, [4])
    np.testing.assert_allclose(found[1], tape.gradient(again, x), rtol=1e-5)
    best = LOGITS[:, 0].argmax(1)
    wanted = [int(c) for i, c in enumerate(best) if c != 3 and (i == 0 or c != best[i - 1])]
    assert found[3].values.tolist() == wanted
    assert found[2].tolist() == [float(tf.edit_distance(found_sparse(wanted), LABELS)[0])]
    assert len(found[4].values) == found[4].indices.shape[0]


def found_sparse(row):
    return tf.SparseTensor(
        [[0, i] for i in range(len(row))], np.array(row, np.int64), [1, len(row)]
    )

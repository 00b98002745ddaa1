"""The assertions of a restored checkpoint."""

import gc
import logging

import pytest

import gradtape as tf


@pytest.mark.slow
def test_assertions(tmp_path, caplog):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).save(tmp_path / "x")
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).restore(path)
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b: attrib"):
        status.assert_consumed()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        del status
        gc.collect()
    assert "could not be found in the restored object: (root).b" in caplog.text
    status = tf.train.Checkpoint(a=tf.Variable(0.0), new=tf.Variable(7.0)).restore(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    caplog.clear()
    status.expect_partial()
    del status
    gc.collect()
    assert not caplog.text
    status = tf.train.Checkpoint(other=tf.Variable(0.0)).read(path).expect_partial()
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        status.assert_nontrivial_match()
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        tf.train.Checkpoint().restore(None).assert_consumed()

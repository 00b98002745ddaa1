import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

VERSIONS = [v1.train.SaverDef.V1, v1.train.SaverDef.V2]


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


@pytest.mark.parametrize("version", VERSIONS)
def test_values_come_back(session, tmp_path, version):
    made = [
        tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="matrix"),
        tf.Variable(3, name="scope/number"),
        tf.Variable(["a", "bc"], name="texts"),
        tf.Variable([True, False], name="flags"),
        tf.Variable(np.arange(3, dtype=np.int64), name="longs"),
    ]
    session.run(v1.global_variables_initializer())
    saver = v1.train.Saver(write_version=version)
    path = saver.save(session, tmp_path / "model", global_step=7)
    assert path == str(tmp_path / "model-7")
    assert v1.train.checkpoint_exists(path)
    before = session.run(made)
    with v1.Session() as other:
        saver.restore(other, path)
        for x, y in zip(other.run(made), before, strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_last_ones_stay(session, tmp_path, version):
    v = tf.Variable(1.0, name="v")
    step = tf.Variable(0, name="step")
    session.run(v1.global_variables_initializer())
    saver = v1.train.Saver(
        {"renamed": v}, max_to_keep=2, write_version=version, pad_step_number=True
    )
    paths = []
    for _ in range(4):
        session.run(step.assign_add(1))
        paths.append(saver.save(session, tmp_path / "m", step))
    assert paths[-1] == str(tmp_path / "m-00000004")
    assert saver.last_checkpoints == paths[2:]
    assert [v1.train.checkpoint_exists(p) for p in paths] == [False, False, True, True]
    assert len(v1.train.get_checkpoint_mtimes(paths)) == 2
    saver.set_last_checkpoints([])
    saver.recover_last_checkpoints(paths)
    assert saver.last_checkpoints == paths[2:]


def test_the_file_that_names_the_last_one(session, tmp_path):
    tf.Variable(1.0, name="v")
    session.run(v1.global_variables_initializer())
    path = v1.train.Saver().save(session, tmp_path / "m", latest_filename="newest")
    assert tf.train.latest_checkpoint(str(tmp_path), "newest") == path
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_what_can_not_be_restored(session, tmp_path):
    v, w = tf.Variable(1.0, name="v"), tf.Variable([2.0], name="w")
    session.run(v1.global_variables_initializer())
    path = v1.train.Saver([v]).save(session, tmp_path / "m")
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found"):
        v1.train.Saver([w]).restore(session, path)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        v1.train.Saver([v]).restore(session, tmp_path / "lacking")
    with pytest.raises(ValueError, match="None"):
        v1.train.Saver([v]).restore(session, None)
    with pytest.raises(ValueError, match="shape"):
        v1.train.Saver({"v": w}).restore(session, path)
    v1.train.Saver({"v": w}, reshape=True).restore(session, path)
    assert session.run(w) == [1.0]


def test_there_must_be_variables(session):
    with pytest.raises(ValueError, match="No variables to save"):
        v1.train.Saver()
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="same name"):
        v1.train.Saver([v, v])


def test_where_operations_run_at_once(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    saver = v1.train.Saver([v])
    path = saver.save(None, tmp_path / "m")
    v.assign([0.0, 0.0])
    saver.restore(None, path)
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])

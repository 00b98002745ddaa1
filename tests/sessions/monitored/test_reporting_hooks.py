import logging

import pytest

import gradtape as tf

v1 = tf.compat.v1


def counted(hooks, last=5):
    """Counts to a number under hooks."""
    with v1.train.MonitoredSession(hooks=[*hooks, v1.train.StopAtStepHook(last_step=last)]) as s:
        while not s.should_stop():
            s.run("AssignAddVariableOp")


@pytest.fixture
def step():
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        step.assign_add(1)
        yield step


def test_logged_values(step, caplog):
    hook = v1.train.LoggingTensorHook({"n": step + 0}, every_n_iter=2, at_end=True)
    with caplog.at_level(logging.INFO, "tensorflow"):
        counted([hook])
    texts = [record.getMessage().split(" (")[0] for record in caplog.records]
    assert texts == ["n = 1", "n = 3", "n = 5", "n = 5"]


def test_values_logged_at_the_end_alone(step, caplog):
    with caplog.at_level(logging.INFO, "tensorflow"):
        counted([v1.train.LoggingTensorHook(["global_step/Read/ReadVariableOp:0"], at_end=True)])
    assert [record.getMessage() for record in caplog.records] == [
        "global_step/Read/ReadVariableOp:0 = 5"
    ]


def test_moments_of_hooks():
    with pytest.raises(ValueError, match="exactly one of"):
        v1.train.LoggingTensorHook([])
    with pytest.raises(ValueError, match="exactly one of"):
        v1.train.CheckpointSaverHook("folder", save_secs=1, save_steps=1)
    with pytest.raises(ValueError, match="Exactly one of scaffold"):
        v1.train.SummarySaverHook(save_steps=1)
    with pytest.raises(ValueError, match="both saver and scaffold"):
        v1.train.CheckpointSaverHook("x", 1, saver=1, scaffold=2)


def test_summaries(step, tmp_path):
    summary = v1.summary.scalar("n", step)
    writer = v1.summary.FileWriter(tmp_path)
    hook = v1.train.SummarySaverHook(2, summary_writer=writer, summary_op=summary)
    speed = v1.train.StepCounterHook(2, summary_writer=writer)
    counted([hook, speed])
    writer.close()
    (file,) = tmp_path.iterdir()
    found = [
        (event.step, value.tag)
        for event in v1.train.summary_iterator(str(file))
        for value in event.summary.value
    ]
    steps = [n for n, tag in found if tag == "n"]
    assert steps == [1, 3, 5]
    assert {tag for _, tag in found} == {"n", "global_step/sec"}


def test_checkpoints_and_listeners(step, tmp_path):
    class Listener(v1.train.CheckpointSaverListener):
        def __init__(self):
            self.seen = []

        def before_save(self, session, global_step_value):
            self.seen.append(global_step_value)

        def after_save(self, session, global_step_value):
            return global_step_value >= 4

    listener = Listener()
    hook = v1.train.CheckpointSaverHook(tmp_path, save_steps=2, listeners=[listener])
    counted([hook], last=100)
    assert listener.seen == [0, 2, 4]
    assert v1.train.latest_checkpoint(tmp_path) == str(tmp_path / "model.ckpt-4")
    assert (tmp_path / "graph.pbtxt").exists()

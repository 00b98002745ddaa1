import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_timer_of_steps():
    timer = v1.train.SecondOrStepTimer(every_steps=3)
    assert timer.should_trigger_for_step(0)
    assert timer.update_last_triggered_step(0) == (None, None)
    assert [timer.should_trigger_for_step(n) for n in range(5)] == [False] * 3 + [True] * 2
    seconds, steps = timer.update_last_triggered_step(4)
    assert seconds >= 0
    assert steps == 4
    assert timer.last_triggered_step() == 4
    timer.reset()
    assert timer.should_trigger_for_step(4)


def test_timer_of_seconds():
    timer = v1.train.SecondOrStepTimer(every_secs=1000.0)
    timer.update_last_triggered_step(1)
    assert not timer.should_trigger_for_step(2)
    soon = v1.train.SecondOrStepTimer(every_secs=0.0)
    soon.update_last_triggered_step(1)
    assert soon.should_trigger_for_step(2)


@pytest.mark.parametrize("hook", [v1.train.SecondOrStepTimer, v1.train.StopAtStepHook])
def test_exactly_one_end_is_given(hook):
    with pytest.raises(ValueError, match=r"should be provided|must be specified"):
        hook()
    with pytest.raises(ValueError, match=r"Can not provide both|Only one of"):
        hook(1, 2)


def test_a_number_of_steps_after_the_first():
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        add = step.assign_add(1)
        scaffold = v1.train.Scaffold(init_op=step.assign(10).op)
        hooks = [v1.train.StopAtStepHook(num_steps=2)]
        with v1.train.SingularMonitoredSession(hooks, scaffold) as session:
            found = []
            while not session.should_stop():
                found.append(int(session.run(add)))
    assert found == [11, 12]


def test_losses_that_are_not_numbers():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        hooks = [v1.train.NanTensorHook(x, fail_on_nan_loss=False)]
        with v1.train.MonitoredSession(hooks=hooks) as session:
            session.run(x, {x: 1.0})
            assert not session.should_stop()
            session.run(x, {x: np.nan})
            assert session.should_stop()


def test_values_at_the_end():
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=1.0)
        add = v.assign_add(1.0)
        last = v1.train.FinalOpsHook({"v": v})
        assert last.final_ops_values is None
        with v1.train.MonitoredSession(hooks=[last]) as session:
            session.run(add)
    assert last.final_ops_values == {"v": 2.0}


def test_what_is_fed_twice():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        hooks = [v1.train.FeedFnHook(lambda: {x: 1.0})]
        with v1.train.MonitoredSession(hooks=hooks) as session:
            assert session.run(x) == 1.0
            with pytest.raises(RuntimeError, match="Same tensor is fed"):
                session.run(x, {x: 2.0})

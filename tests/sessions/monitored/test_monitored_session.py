import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_training_goes_on_from_a_checkpoint(tmp_path):
    for last in (3, 5):
        with tf.Graph().as_default():
            step = v1.train.get_or_create_global_step()
            train = step.assign_add(1)
            hooks = [v1.train.StopAtStepHook(last_step=last)]
            with v1.train.MonitoredTrainingSession(
                checkpoint_dir=tmp_path, hooks=hooks, save_summaries_steps=1
            ) as session:
                assert session.run(step) == (0 if last == 3 else 3)
                while not session.should_stop():
                    session.run(train)
    assert v1.train.latest_checkpoint(tmp_path).endswith("model.ckpt-5")


def test_errors_end_a_session_without_hooks():
    class Hook(v1.train.SessionRunHook):
        ended = False

        def end(self, session):
            self.ended = True

    for error, ended in ((tf.errors.OutOfRangeError(None, None, ""), True), (KeyError(), False)):
        hook = Hook()
        with tf.Graph().as_default():
            v1.get_variable("v", initializer=1.0)
            session = v1.train.MonitoredSession(hooks=[hook])
            if ended:
                with session:
                    raise error
            else:
                with pytest.raises(KeyError), session:
                    raise error
        assert hook.ended is ended
        assert session.should_stop()


def test_no_runs_after_the_end():
    with tf.Graph().as_default():
        x = tf.constant(1.0) + v1.placeholder_with_default(1.0, [])
        with v1.train.MonitoredSession() as session:
            assert session.run(x) == 2.0
            assert session.graph is x.graph
            session.run_step_fn(lambda step_context: step_context.request_stop())
            with pytest.raises(RuntimeError, match="after should_stop"):
                session.run(x)
        with pytest.raises(AttributeError, match="ended"):
            session.run(x)


def test_functions_of_steps():
    with tf.Graph().as_default():
        x = v1.placeholder_with_default(1.0, [])
        with v1.train.MonitoredSession() as session:
            both = session.run_step_fn(
                lambda step_context: (step_context.session.run(x), step_context.run_with_hooks(x))
            )
            assert both == (1.0, 1.0)
            with pytest.raises(ValueError, match="step_context"):
                session.run_step_fn(lambda other: None)


def test_variables_without_values():
    with tf.Graph().as_default():
        v1.get_variable("v", initializer=1.0)
        with pytest.raises(RuntimeError, match=r"not make model ready.*Variables not init.*: v"):
            v1.train.MonitoredSession(
                v1.train.ChiefSessionCreator(v1.train.Scaffold(init_op=tf.no_op()))
            )


def test_sessions_are_not_distributed():
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError, match="is_chief"):
        v1.train.MonitoredTrainingSession(is_chief=False)

import numpy as np

import gradtape as tf
from gradtape._src.sessions.programs import Program
from gradtape.compat import v1


def test_only_what_is_needed_runs():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable(1.0)
        v.assign(7.0)
        x = v1.placeholder(tf.float32, [])
        x * 2.0
        session.run(v.initializer)
        assert session.run(v + 1.0) == 2.0
        made = [p for p in graph.programs.values() if isinstance(p, Program)]
        assert [p.changes for p in made] == [True, False]


def test_a_program_is_made_once_and_serves_all_sessions():
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
        y = v * 2.0
        for _ in range(2):
            with v1.Session() as session:
                session.run(v.initializer)
                assert [session.run(y) for _ in range(3)] == [2.0, 2.0, 2.0]
        assert len(graph.programs) == 2


def test_lengths_that_nothing_else_needs():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        y = tf.zeros([tf.shape(x)[0] + 1])
        assert session.run(y, {x: np.ones(4)}).shape == (5,)

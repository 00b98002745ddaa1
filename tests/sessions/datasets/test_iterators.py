"""Iterators over datasets in graphs."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_an_iterator_begins_with_what_its_initializer_is_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        data = v1.placeholder(tf.float32, [None])
        dataset = tf.data.Dataset.from_tensor_slices(data).map(lambda x: (x, x * 2.0))
        iterator = v1.data.make_initializable_iterator(dataset)
        x, y = iterator.get_next()
        assert iterator.output_types == (tf.float32, tf.float32)
        with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
            session.run(x)
        for start in (1.0, 5.0):
            session.run(iterator.initializer, {data: [start, start + 1.0]})
            assert session.run([x, y]) == [start, start * 2.0]
            assert session.run(x + y) == (start + 1.0) * 3.0
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(x)


def test_an_iterator_that_begins_by_itself_has_no_initializer():
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
        x = iterator.get_next()
        assert [session.run(x), session.run(x)] == [0, 1]
        with pytest.raises(ValueError, match="does not have an initializer"):
            iterator.initializer  # noqa: B018


def test_in_eager_execution():
    assert int(next(v1.data.make_one_shot_iterator(tf.data.Dataset.range(2)))) == 0
    with pytest.raises(RuntimeError, match="eager"):
        v1.data.make_initializable_iterator(tf.data.Dataset.range(2))


def test_the_class_of_a_ragged_component_is_its_spec():
    ragged = tf.data.Dataset.from_tensors((tf.ragged.constant([[1], []]), 1))
    classes = tf.compat.v1.data.get_output_classes(ragged)
    assert classes == (tf.RaggedTensorSpec([2, None], tf.int32, 1), tf.Tensor)


@pytest.mark.parametrize("kind", ["classes", "types", "shapes"])
def test_components_without_tensors_are_told_by_their_specs(kind):
    tell = getattr(tf.compat.v1.data, f"get_output_{kind}")
    windows = tf.data.Dataset.range(4).window(2)
    assert tell(windows) == windows.element_spec
    assert tell(tf.data.Dataset.range(4).map(lambda i: (i, None)))[1] == tf.NoneTensorSpec()

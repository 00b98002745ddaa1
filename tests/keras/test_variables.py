"""Updates of Keras' variables."""

from random import Random

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

keras = tf.keras
BELOW = vars(keras.Variable.assign_add)["__wrapped__"]  # Keras' own


@pytest.mark.parametrize("seed", range(60))
def test_counts_grow_as_in_keras(seed):
    random = Random(seed)
    dtype = random.choice(["int32", "int64", "int64", "uint8", "float32", "bool"])
    start = random.choice([0, 5, 2**31 - 2 if dtype[:3] == "int" else 1, [1, 0]])
    added = [random.choice([1, 1, -3, 0, True, 2.0, 2**31, np.int64(2), [1]]) for _ in range(3)]
    way = random.choice(["", "tape", "function", "stateless", "accumulator"])
    found = []
    for add in (keras.Variable.assign_add, BELOW):
        variable = keras.Variable(np.array(start, dtype), dtype=dtype)

        def run(add=add, variable=variable):
            results = [add(variable, n) for n in added]
            return [tf.convert_to_tensor(results[-1]), tf.convert_to_tensor(variable.value)]

        try:
            if way == "tape":
                with tf.GradientTape():
                    results = run()
            elif way == "function":
                results = tf.function(run)()
            elif way == "stateless":
                with keras.StatelessScope() as scope:
                    results = run()
                results += [tf.convert_to_tensor(scope.get_current_value(variable))]
            elif way == "accumulator":
                with tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0)):
                    results = run()
            else:
                results = run()
            results += [tf.convert_to_tensor(variable)]
        except Exception as error:  # noqa: BLE001 (any is an answer)
            found.append(type(error))
            continue
        found.append([(x.dtype, x.numpy().tolist()) for x in results])
    assert found[0] == found[1]


def test_a_count_that_was_read_stays():
    count = keras.Variable(np.int64(3), dtype="int64")
    before = count.value.read_value()
    after = count.assign_add(1)
    assert (int(before), int(after), int(count)) == (3, 4, 4)
    count.assign_add(1)
    assert (int(before), int(after), int(count)) == (3, 4, 5)


def test_counts_are_assigned_by_a_program_that_overrides_it():
    class Doubled(keras.Variable):
        def assign(self, value):
            return super().assign(2 * value)

    count = Doubled(3, dtype="int64")
    assert int(count.assign_add(1)) == int(count) == 8

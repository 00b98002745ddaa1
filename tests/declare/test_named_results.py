"""Results whose parts have names."""

import pickle

import pytest

import gradtape as tf
from gradtape._src.declare import named_results


def test_results_with_names_survive_pickle_and_nest():
    found = tf.nn.max_pool_with_argmax(tf.ones((1, 2, 2, 1)), 2, 2, "SAME")
    again = pickle.loads(pickle.dumps(tuple(x.numpy() for x in found)))
    assert len(again) == 2
    doubled = tf.nest.map_structure(lambda x: x * 2, found)
    assert type(doubled) is type(found)
    assert type(pickle.loads(pickle.dumps(type(found)))) is type
    assert doubled.output.numpy().item() == 2


@pytest.mark.parametrize("op", named_results.FIELDS)
def test_fields_are_the_outputs_of_raw_operations(op):
    made = named_results.named(op, list(range(len(named_results.FIELDS[op]))))
    assert type(made).__name__ == op
    assert made._asdict() == dict(zip(named_results.FIELDS[op], range(len(made)), strict=True))

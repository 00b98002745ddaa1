"""TF_CONFIG is read whole, or refused with a message that names it."""

import pytest

import gradtape as tf

Resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '"x"', "1", "[" * 100_000, '{"task": [1]}', '{"task": 1}', '{"cluster": []}'],
)
def test_what_is_no_configuration(monkeypatch, text):
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match="environment variable TF_CONFIG"):
        Resolver()


@pytest.mark.parametrize("index", ['"x"', "[]", "1e999"])
def test_an_index_that_is_no_number(monkeypatch, index):
    monkeypatch.setenv("TF_CONFIG", f'{{"task": {{"type": "worker", "index": {index}}}}}')
    with pytest.raises(ValueError, match="index of a task is a whole number"):
        Resolver()


def test_a_number_of_tasks_that_nobody_has(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": {"1000000000000": "a:1"}}}')
    with pytest.raises(ValueError, match="number 1000000000000"):
        Resolver().cluster_spec().job_tasks("worker")
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": {"x": "a:1"}}}')
    with pytest.raises(ValueError, match="whole number"):
        Resolver().cluster_spec()

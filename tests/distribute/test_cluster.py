"""TF_CONFIG is read whole, or refused with a message that names it."""

import pytest

import gradtape as tf
from gradtape._src.compute import devices

D = tf.distribute


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])


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
    with pytest.raises(ValueError, match="got 1000000000000"):
        Resolver().cluster_spec().job_tasks("worker")
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": {"x": "a:1"}}}')
    with pytest.raises(ValueError, match="whole number"):
        Resolver().cluster_spec()


def test_cluster_resolvers(monkeypatch):
    resolvers = D.cluster_resolver
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}',
    )
    found = resolvers.TFConfigClusterResolver()
    assert (found.task_type, found.task_id, found.master()) == ("worker", 1, "b:2")
    assert repr(found.cluster_spec()) == "ClusterSpec({'worker': ['a:1', 'b:2']})"
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:2"]}}')
    with pytest.raises(ValueError, match="task_type"):
        D.MultiWorkerMirroredStrategy()
    monkeypatch.delenv("TF_CONFIG")
    assert D.MultiWorkerMirroredStrategy().num_replicas_in_sync == 4
    with pytest.raises(TypeError, match="ClusterSpec"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})


def test_cluster_spec():
    spec = tf.train.ClusterSpec({"worker": {1: "b:2", 0: b"a:1"}, "ps": {2: "c:3"}})
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {2: "c:3"}}
    assert repr(spec) == "ClusterSpec({'ps': {2: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    assert spec.job_tasks("ps") == [None, None, "c:3"]
    assert spec == tf.train.ClusterSpec(spec)
    for wrong in (3, {"worker": 3}, {"worker": [3]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        spec.num_tasks("x")


def test_a_cluster_as_a_message():
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:1"}})
    message = spec.as_cluster_def()
    assert isinstance(message, tf.train.ClusterDef)
    assert [job.name for job in message.job] == ["ps", "worker"]
    assert dict(message.job[0].tasks) == {3: "c:1"}
    assert tf.train.ClusterSpec(message) == spec
    with pytest.raises(TypeError, match="must be a dictionary"):
        tf.train.ClusterSpec(tf.train.JobDef())


def test_a_union_of_resolvers_has_the_identity_of_the_first():
    cluster = tf.distribute.cluster_resolver
    first = cluster.SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}),
        task_type="worker",
        task_id=1,
        rpc_layer="grpc",
    )
    second = cluster.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["c:1"], "ps": ["d:1"]}))
    union = cluster.UnionResolver(first, second)
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:2", "c:1"], "ps": ["d:1"]}
    assert (union.task_type, union.task_id, union.rpc_layer) == ("worker", 1, "grpc")
    assert union.master("worker", 2) == "grpc://c:1"
    assert union.master("ps", 0, rpc_layer="x") == "x://d:1"
    assert union.num_accelerators() == {}
    assert cluster.UnionResolver(first, task_id=0).task_id == 0
    with pytest.raises(ValueError, match="At least one"):
        cluster.UnionResolver()
    with pytest.raises(ValueError, match="Unexpected kwargs"):
        cluster.UnionResolver(first, a=4)
    with pytest.raises(TypeError, match="sub-class"):
        cluster.UnionResolver(3)
    some, more, same = (
        cluster.SimpleClusterResolver(tf.train.ClusterSpec({"ps": {number: "e:1"}}))
        for number in (3, 5, 3)
    )
    assert cluster.UnionResolver(some, more).cluster_spec().task_indices("ps") == [3, 5]
    with pytest.raises(KeyError, match="Duplicate"):
        cluster.UnionResolver(some, same).cluster_spec()

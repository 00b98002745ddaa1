"""Graphs in files: with their collections, and the savers of their variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
FEED = {"x:0": [[1.0, 2.0]]}


def _trained(session: Any, folder: Path) -> tuple[str, Any, Any]:
    """A regression that was trained in two steps and saved, and what it gives before and after."""
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
    y = tf.matmul(x, w, name="y")
    step = v1.train.get_or_create_global_step()
    optimizer = v1.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_mean(tf.square(y - 1.0)), step, name="train")
    v1.add_to_collection("outputs", y)
    v1.add_to_collection("numbers", 5)
    v1.add_to_collection("texts", b"five")
    session.run(v1.global_variables_initializer())
    for _ in range(2):
        session.run(train, FEED)
    path = v1.train.Saver(max_to_keep=2).save(session, str(folder / "model"), global_step=step)
    before = session.run(y, FEED)
    session.run(train, FEED)
    return path, before, session.run(y, FEED)


@pytest.mark.parametrize("scope", [None, "again"])
def test_a_graph_is_trained_further(tmp_path: Path, scope: str | None) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        path, before, after = _trained(session, tmp_path)
    front = f"{scope}/" if scope else ""
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{path}.meta", import_scope=scope)
        assert v1.train.latest_checkpoint(str(tmp_path)) == path
        saver.restore(session, path)
        feed = {front + name: value for name, value in FEED.items()}
        (y,) = v1.get_collection("outputs")
        assert y.name == f"{front}y:0"
        np.testing.assert_allclose(session.run(y, feed), before, 1e-6)
        session.run(f"{front}train", feed)
        np.testing.assert_allclose(session.run(y, feed), after, 1e-6)
        names = [v.name for v in v1.global_variables()]
        assert names[:2] == [f"{front}w:0", f"{front}global_step:0"]
        assert [v.name for v in v1.trainable_variables()] == names[:1]
        assert v1.get_collection("numbers") == [5]
        assert v1.get_collection("texts") == [b"five"]
        (gradient,) = tf.gradients(y, v1.trainable_variables())
        assert session.run(gradient, feed).tolist() == [[1.0], [2.0]]
        session.run(v1.global_variables_initializer())
        assert session.run(y, feed).tolist() == [[5.0]]
        again = saver.save(session, str(tmp_path / "other"))
        assert dict(tf.train.list_variables(again)) == dict(tf.train.list_variables(path))


def test_variables_keep_the_names_that_they_have_in_files(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver({"first": v, "second": w})
        path = saver.save(session, str(tmp_path / "model"))
        assert saver.as_saver_def().restore_op_name == "save/restore_all"
    with tf.Graph().as_default(), v1.Session() as session:
        found = v1.train.import_meta_graph(f"{path}.meta")
        found.restore(session, path)
        assert session.run(v1.global_variables()) == [1.0, 2.0]
        with pytest.raises(tf.errors.PermissionDeniedError, match="Saver"):
            session.run("save/restore_all", {"save/filename:0": path})


@pytest.mark.parametrize("as_text", [False, True])
def test_graphs_without_variables(tmp_path: Path, as_text: bool) -> None:
    path = str(tmp_path / "graph.pb")
    with tf.Graph().as_default():
        tf.add(v1.placeholder(tf.float32, [], name="x"), 1.0, name="y")
        message = v1.train.export_meta_graph(path, as_text=as_text)
        assert not message.HasField("saver_def")
    assert (b"node {" in Path(path).read_bytes()) is as_text
    with tf.Graph().as_default(), v1.Session() as session:
        assert v1.train.import_meta_graph(path) is None
        assert session.run("y:0", {"x:0": 2.0}) == 3.0


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        v1.train.import_meta_graph(str(tmp_path / "lacking.meta"))
    path = tmp_path / "damaged.meta"
    path.write_bytes(b"\x0a\xff\xff\xff\xff\xff")
    with pytest.raises(ValueError, match="no graph"):
        v1.train.import_meta_graph(str(path))


def test_graphs_go_with_their_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = v1.train.Saver(max_to_keep=1)
        for i in range(2):
            saver.save(session, str(tmp_path / "m"), global_step=i, meta_graph_suffix="meta")
        saver.save(session, str(tmp_path / "m"), global_step=2, write_meta_graph=False)
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".meta") == []
    assert (tmp_path / "m-2.index").exists()


def test_one_checkpoint_in_so_many_hours_stays(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = v1.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
        paths = [saver.save(session, str(tmp_path / "m"), global_step=i) for i in range(3)]
        assert saver.last_checkpoints == paths[-1:]
    assert [Path(f"{p}.index").exists() for p in paths] == [True, True, True]

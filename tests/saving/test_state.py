"""The file that names the checkpoints of a directory."""

import pytest

import gradtape as tf


def test_the_file_of_checkpoints(tmp_path, caplog):
    assert tf.train.latest_checkpoint(tmp_path) is None
    name = 'odd "name" \\ é\n'
    tf.train.Checkpoint(x=tf.Variable(1.0)).save(tmp_path / name)
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / f"{name}-1")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "gone-7"\n')
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert "Couldn't match files" in caplog.text
    (tmp_path / "checkpoint").write_text("model_checkpoint_pa")
    assert tf.train.get_checkpoint_state(tmp_path) is None


@pytest.mark.parametrize(
    "line", ["__class__: 1", "__doc__: 1", 'last_preserved_timestamp: "now"', "model: 1"]
)
def test_lines_that_a_state_file_lacks(tmp_path, line, caplog):
    (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "x"\n{line}\n')
    assert tf.train.get_checkpoint_state(tmp_path) is None
    assert "Checkpoint ignored" in caplog.text

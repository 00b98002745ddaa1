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


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ({}, ["D/m", "D/m"]),
        ({"all_model_checkpoint_paths": ["a", "b"]}, ["D/m", "a", "b", "D/m"]),
        (
            {"all_model_checkpoint_paths": ["D/a", "D/m"], "save_relative_paths": True},
            ["m", "a", "m"],
        ),
    ],
)
def test_a_state_is_written(tmp_path, options, written):
    def placed(value):
        return [v.replace("D", str(tmp_path)) for v in value] if isinstance(value, list) else value

    options = {key: placed(value) for key, value in options.items()}
    tf.__internal__.train.update_checkpoint_state(
        str(tmp_path), f"{tmp_path}/m", latest_filename="state", **options
    )
    text = (tmp_path / "state").read_text().replace(str(tmp_path), "D")
    assert text.split()[1::2] == [f'"{path}"' for path in written]


def test_paths_become_relative_to_a_relative_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    update = tf.__internal__.train.update_checkpoint_state
    update("r", "r/m", ["r/a", "/x/b"], all_model_checkpoint_timestamps=[1.0, 2.0, 3.0])
    assert (tmp_path / "r" / "checkpoint").read_text().split()[1:8:2] == [
        '"m"',
        '"a"',
        '"/x/b"',
        '"m"',
    ]


def test_states_that_are_not_written(tmp_path):
    update = tf.__internal__.train.update_checkpoint_state
    with pytest.raises(ValueError, match="timestamps"):
        update(str(tmp_path), "m", all_model_checkpoint_timestamps=[1.0, 2.0])
    with pytest.raises(RuntimeError, match="conflicts"):
        update(str(tmp_path), f"{tmp_path}/checkpoint")


def test_update_of_version_one(tmp_path):
    train = tf.compat.v1.train
    paths = [str(tmp_path / f"m-{n}") for n in (1, 2)]
    train.update_checkpoint_state(str(tmp_path), paths[1], paths[:1], "state", [1.0, 2.5], 4.0)
    state = tf.train.get_checkpoint_state(tmp_path, "state")
    assert state.model_checkpoint_path == paths[1]
    assert state.all_model_checkpoint_paths == paths
    assert state.all_model_checkpoint_timestamps == [1.0, 2.5]
    assert state.last_preserved_timestamp == 4.0
    assert state == train.generate_checkpoint_state_proto(
        str(tmp_path), paths[1], paths[:1], [1.0, 2.5], 4.0
    )

"""Files that are there whole or not at all."""

import os
import socket

import pytest

import gradtape as tf
from gradtape._src.files.atomic_write import alone, clear_temporary, replacing


def test_a_file_appears_at_the_end(tmp_path):
    path = tmp_path / "a"
    with replacing(str(path)) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_an_error_leaves_what_was_there(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), replacing(str(path)) as file:
        file.write({}["half"])
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError), replacing(str(tmp_path / "none" / "a")):
        pass


def test_what_the_dead_left_is_removed_and_what_the_living_write_is_not(tmp_path):
    path = str(tmp_path / "a")
    with replacing(path) as file:
        file.write(b"x")
        (mine,) = tmp_path.iterdir()
        clear_temporary(tmp_path)
        assert mine.exists()
        dead = tmp_path / mine.name.replace(str(os.getpid()), "999999999")
        if dead != mine:
            dead.write_bytes(b"")
            clear_temporary(tmp_path)
            assert not dead.exists()
    assert socket.gethostname()


def test_one_writer_at_a_time(tmp_path):
    with alone(tmp_path):
        (tmp_path / "a").write_text("x")
    with alone(tmp_path):
        assert (tmp_path / "a").read_text() == "x"

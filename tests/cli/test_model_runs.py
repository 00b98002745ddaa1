"""`gradtape run-model` calls a signature on arrays from files, or says on one line why not."""

from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.cli import model_runs
from gradtape._src.cli.model_runs import ModelRun, run_model
from gradtape._src.cli.program import CommandError
from gradtape.cli import main

pytest.importorskip("jax")  # which runs what gradtape saves


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32, name="x"),
            tf.TensorSpec([], tf.int32, name="n"),
        ]
    )
    def serve(self, x, n):
        return {"y": x @ self.w, "n": n + 1}

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="x")])
    def half(self, x):
        return tf.cast(x, tf.bfloat16)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    model = Model()
    signatures = {"serving_default": model.serve, "half": model.half}
    tf.saved_model.save(model, str(folder / "model"), signatures=signatures)
    np.save(folder / "x.npy", np.ones((3, 2)))
    np.save(folder / "v.npy", np.arange(2.0))
    np.save(folder / "n.npy", np.int64(4))
    np.save(folder / "large.npy", np.int64(1 << 40))
    np.save(folder / "words.npy", np.array(["a"]))
    np.save(folder / "objects.npy", np.array([None]), allow_pickle=True)
    np.savez(folder / "many.npz", np.ones(2))
    (folder / "text.npy").write_text("no array")
    (folder / "empty.npy").write_text("")
    return folder


def arguments(saved, *rest, x="x", n="n"):
    inputs = ["--input", f"x={saved / x}.npy", "--input", f"n={saved / n}.npy"]
    return ["run-model", str(saved / "model"), *inputs, *map(str, rest)]


def test_results_are_printed(saved, capsys):
    assert main(arguments(saved)) == 0
    assert capsys.readouterr().out == "n:\n5\ny:\n[[4. 6.]\n [4. 6.]\n [4. 6.]]\n"


def test_results_are_saved(saved, tmp_path, capsys):
    assert main(arguments(saved, "--output", tmp_path / "out.npz")) == 0
    assert capsys.readouterr().out == ""
    with np.load(tmp_path / "out.npz") as found:
        assert sorted(found) == ["n", "y"]
        assert found["y"].tolist() == [[4, 6]] * 3
        assert (found["n"].dtype, found["n"].shape) == (np.int32, ())


def test_another_signature(saved, tmp_path):
    asked = ModelRun(saved / "model", [f"x={saved / 'v'}.npy"], "half", tmp_path / "out")
    assert run_model(asked) == 0
    with np.load(tmp_path / "out") as found:
        assert found["output_0"].dtype == np.float32
        assert found["output_0"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": "none"}, "none.npy can't be read"),
        ({"x": "text"}, "text.npy is not an .npy file"),
        ({"x": "empty"}, "empty.npy is not an .npy file"),
        ({"x": "objects"}, "objects.npy is not an .npy file"),
        ({"x": "n"}, "the input 'x' takes TensorSpec(shape=(None, 2)"),
        ({"x": "words"}, "got an array of shape (1,), dtype <U1"),
        ({"n": "x"}, "the input 'n' takes TensorSpec(shape=()"),
        ({"n": "large"}, "the input 'n' takes TensorSpec(shape=()"),
        ({"n": "v"}, "dtype float64"),
    ],
)
def test_inputs_that_do_not_fit(saved, tmp_path, capsys, change, words):
    assert_refused(
        arguments(saved, "--output", tmp_path / "out", **change), tmp_path, capsys, words
    )


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (["--input", "x"], "--input takes NAME=FILE.npy, not 'x'"),
        (["--input", "x=many.npz"], "can't be read"),
        (["--signature", "no"], "has no signature 'no'; it has: half, serving_default"),
        (["--signature", "half"], "the signature takes the inputs x (TensorSpec"),
        (["--output", "none/out.npz"], "its directory does not exist"),
    ],
)
def test_arguments_that_do_not_fit(saved, tmp_path, capsys, monkeypatch, rest, words):
    monkeypatch.chdir(tmp_path)
    assert_refused(arguments(saved, *rest), tmp_path, capsys, words)


def test_files_that_do_not_fit(saved, tmp_path, capsys):
    where = str(saved / "model")
    many = ["run-model", where, "--input", f"x={saved / 'many.npz'}"]
    assert_refused(many, tmp_path, capsys, "holds several arrays")
    twice = arguments(saved, "--input", f"x={saved / 'x.npy'}")
    assert_refused(twice, tmp_path, capsys, "given twice")
    nowhere = ["run-model", str(tmp_path / "none")]
    assert_refused(nowhere, tmp_path, capsys, "can't be loaded")
    assert_refused(arguments(saved, "--output", tmp_path), tmp_path, capsys, "can't be written")


def assert_refused(arguments, folder, capsys, words):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gradtape: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err
    assert list(folder.iterdir()) == []


def test_a_model_that_fails(saved, tmp_path, monkeypatch):
    def broken(**inputs):
        error = tf.errors.InvalidArgumentError(None, None, "two\nlines")
        error.add_note("in the node 'y'")
        raise error

    broken.structured_input_signature = ((), {})
    monkeypatch.setattr(model_runs, "_signature", lambda asked: broken)
    with pytest.raises(CommandError, match="on these inputs: two lines in the node 'y'"):
        run_model(ModelRun(saved, [], output=tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_strings_go_in_and_out(monkeypatch, tmp_path):
    def joined(s):
        return {"out": tf.strings.join([s, s])}

    joined.structured_input_signature = ((), {"s": tf.TensorSpec([None], tf.string)})
    monkeypatch.setattr(model_runs, "_signature", lambda asked: joined)
    np.save(tmp_path / "s.npy", np.array(["é", "b"]))
    np.save(tmp_path / "z.npy", np.array([b"a\0b"]))
    out = tmp_path / "out.npz"
    assert run_model(ModelRun(tmp_path, [f"s={tmp_path / 's.npy'}"], output=out)) == 0
    assert np.load(out)["out"].tolist() == ["éé".encode(), b"bb"]
    monkeypatch.setattr(model_runs, "_called", lambda *_: {"out": tf.constant([b"ends in zero\0"])})
    out.unlink()
    with pytest.raises(CommandError, match="can't hold"):
        run_model(ModelRun(tmp_path, [f"s={tmp_path / 'z.npy'}"], output=out))
    assert not out.exists()


def test_a_model_of_tensorflows(tmp_path):
    where = Path(__file__).parents[1] / "saving" / "from_tensorflow" / "saved_model"
    np.save(tmp_path / "x.npy", np.eye(2))
    out = tmp_path / "out.npz"
    assert run_model(ModelRun(where, [f"x={tmp_path / 'x.npy'}"], output=out)) == 0
    wanted = tf.saved_model.load(str(where))(tf.eye(2)).numpy()
    assert wanted.any()
    assert np.load(out)["output_0"].tolist() == wanted.tolist()

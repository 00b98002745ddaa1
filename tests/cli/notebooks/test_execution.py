"""`gradtape run in.ipynb -o out.ipynb` writes what Jupyter would have written."""

import json
import os

import pytest

pytest.importorskip("IPython")
nbformat = pytest.importorskip("nbformat")
pytestmark = pytest.mark.slow

TAPE = """\
import tensorflow as tf
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**2
print("recorded")
tape.gradient(y, x)"""


@pytest.fixture
def run(gradtape, notebook, tmp_path):
    """Runs cells with options; returns the result and, by cell, the outputs."""

    def call(*sources, options=(), tags=None):
        path = notebook(*sources)
        if tags:
            document = json.loads(path.read_text())
            code = [c for c in document["cells"] if c["cell_type"] == "code"]
            for number, names in tags.items():
                code[number]["metadata"]["tags"] = names
            path.write_text(json.dumps(document))
        result = gradtape("run", path, "-o", tmp_path / "out.ipynb", *options)
        written = nbformat.read(tmp_path / "out.ipynb", 4)
        nbformat.validate(written)
        return result, [c for c in written.cells if c.cell_type == "code"]

    return call


def _plain(cell):
    """The outputs of a cell as text."""
    return [o["text"] if "text" in o else o["data"]["text/plain"] for o in cell.outputs]


def test_outputs_counts_and_values(run):
    result, cells = run(TAPE, "", "1 + 1;", "await __import__('asyncio').sleep(0)\n_ih[1][:6]")
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""
    assert [cell.execution_count for cell in cells] == [1, None, 2, 3]
    assert _plain(cells[0]) == ["recorded\n", "<tf.Tensor: shape=(), dtype=float32, numpy=6.0>"]
    assert _plain(cells[2]) == []
    assert _plain(cells[3]) == ["'import'"]
    assert "cell 1/3  import tensorflow as tf\n" in result.stderr
    assert "3 cells in " in result.stderr


def test_magics_displays_and_clearing(run):
    _, cells = run(
        "%%time\nsum(range(10))",
        "%timeit -n1 -r1 2",
        "from IPython.display import HTML, clear_output, display\nh = display('a', display_id='k')",
        "h.update('b')\nprint(1)\nclear_output()\nprint(2)",
        "HTML('<b>x</b>')",
        "%%writefile written.txt\ntext",
        "open('written.txt').read()",
    )
    assert _plain(cells[0])[1] == "45"
    assert "per loop" in _plain(cells[1])[0]
    assert _plain(cells[2]) == ["'b'"]
    assert _plain(cells[3]) == ["2\n"]
    assert cells[4].outputs[0].data["text/html"] == "<b>x</b>"
    assert _plain(cells[6]) == ["'text\\n'"]


def test_figures_are_outputs(run):
    pytest.importorskip("matplotlib")
    _, cells = run(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "%matplotlib inline",
        "plt.plot([2, 1]);",
    )
    for cell in (cells[0], cells[2]):
        assert "image/png" in cell.outputs[-1].data


def test_an_error_stops_and_is_kept(run):
    result, cells = run("print('a')\n1 / 0", "print('never')")
    assert result.returncode == 1
    assert "cell 1 failed: ZeroDivisionError: division by zero" in result.stderr
    stream, error = cells[0].outputs
    assert stream.text == "a\n"
    assert (error.ename, error.evalue) == ("ZeroDivisionError", "division by zero")
    assert any("1 / 0" in line or "/" in line for line in error.traceback)
    assert cells[1].outputs == []
    assert cells[1].execution_count is None


def test_errors_that_are_allowed(run):
    result, cells = run("1 / 0", "def f(:", "'on'", options=["--allow-errors"])
    assert result.returncode == 0
    assert [o.ename for cell in cells[:2] for o in cell.outputs] == [
        "ZeroDivisionError",
        "SyntaxError",
    ]
    assert _plain(cells[2]) == ["'on'"]
    result, cells = run("1 / 0", "'on'", "1 / 0", "'never'", tags={0: ["raises-exception"]})
    assert result.returncode == 1
    assert "cell 3 failed" in result.stderr
    assert _plain(cells[1]) == ["'on'"]


def test_a_name_that_gradtape_lacks_is_named(run):
    result, _ = run("import tensorflow as tf", "tf.lite.Interpreter")
    assert result.returncode == 1
    assert "cell 2 failed: AttributeError" in result.stderr
    assert "tf.lite" in result.stderr


def test_commands_of_the_system_are_skipped_unless_allowed(run):
    cells = ["!echo said", "lines = !echo one\nlines", "%%bash\necho script"]
    result, shown = run(*cells)
    assert result.returncode == 0
    assert _plain(shown[0]) == ["skipped !echo said\n"]
    assert _plain(shown[1]) == ["skipped !echo one\n", "[]"]
    assert _plain(shown[2]) == ["skipped the cell: %%bash\n"]
    assert "skipped !echo said (--allow-shell runs it)" in result.stderr
    _, shown = run(*cells, options=["--allow-shell"])
    assert _plain(shown[0]) == [f"said{os.linesep}"] or _plain(shown[0]) == ["said\r\n"]
    assert _plain(shown[1]) == ["['one']"]
    assert _plain(shown[2]) == ["script\n"]


def test_exit_ends_with_its_status(run):
    result, cells = run("import sys\nsys.exit(3)", "'never'")
    assert result.returncode == 3
    assert cells[1].outputs == []


def test_nobody_answers_a_question(run):
    result, cells = run("input('name?')")
    assert result.returncode == 1
    assert cells[0].outputs[-1].ename == "EOFError"


def test_a_notebook_may_be_written_over_itself(gradtape, notebook):
    path = notebook("2 + 3")
    for _ in range(2):
        assert gradtape("run", "-q", path, "-o", path).returncode == 0
    (cell,) = [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert _plain(cell) == ["5"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "nowhere/out.ipynb"], "there is no folder"),
        (["-o", "."], "is a directory"),
        (["-o", "out.txt"], "the name of a notebook ends in .ipynb"),
        (["--allow-errors"], "need -o OUT.ipynb"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_runs(options, said, gradtape, notebook):
    path = notebook("open('trace.txt', 'w').close()")
    result = gradtape("run", path, *options)
    assert result.returncode == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (path.parent / "trace.txt").exists()


def test_cells_without_ids_get_some_without_a_word(gradtape, notebook, tmp_path):
    result = gradtape("run", notebook("1 + 1"), "-o", tmp_path / "out.ipynb")
    assert "Warning" not in result.stderr
    assert "\n1 cell in 0." in result.stderr
    assert all(cell.id for cell in nbformat.read(tmp_path / "out.ipynb", 4).cells)


def test_what_is_not_a_notebook(gradtape, script, tmp_path):
    path = script("print(1)")
    result = gradtape("run", "-o", tmp_path / "out.ipynb", path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "is not a notebook" in result.stderr
    broken = tmp_path / "broken.ipynb"
    broken.write_text('{"cells": [], "metadata": {}, "nbformat": 9, "nbformat_minor": 0}')
    result = gradtape("run", broken, "-o", tmp_path / "out.ipynb")
    assert result.returncode == 2
    assert not (tmp_path / "out.ipynb").exists()

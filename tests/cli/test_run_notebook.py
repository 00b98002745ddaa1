"""`gradtape run book.ipynb` runs the cells as a notebook would."""

import json

import pytest

pytestmark = pytest.mark.slow


def test_cells_share_names_and_show_their_last_value(gradtape, notebook):
    path = notebook(
        "import tensorflow as tf\nx = tf.constant(3.0)\nx.shape.rank",
        "with tf.GradientTape() as tape:\n  tape.watch(x)\n  y = x**2\nfloat(tape.gradient(y, x))",
        "None",
        "1 + 1;",
        "display('a', [1])\nif True:\n    3",
    )
    result = gradtape("run", path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "0\n6.0\n'a'\n[1]\n"


def test_progress_is_on_standard_error_and_can_be_left_out(gradtape, notebook):
    path = notebook("\nx = 1\ny = 2", "print(x)")
    result = gradtape("run", path)
    assert result.stdout == "1\n"
    assert "cell 1/2  x = 1\n" in result.stderr
    assert "cell 2/2  print(x)\n" in result.stderr
    assert "2 cells in " in result.stderr
    quiet = gradtape("run", "-q", path)
    assert (quiet.stdout, quiet.stderr) == ("1\n", "")


def test_await_at_top_level(gradtape, notebook):
    path = notebook("import asyncio\nasync def f():\n    return 5", "await f()", "x = await f()\nx")
    assert gradtape("run", path).stdout == "5\n5\n"


def test_it_runs_in_the_notebooks_directory(gradtape, notebook, tmp_path):
    path = notebook("open('data.txt').read()", "import os; os.path.basename(os.getcwd())")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "data.txt").write_text("here")
    result = gradtape("run", path.rename(inner / path.name))
    assert result.stdout == "'here'\n'inner'\n"


def test_an_error_names_its_cell_and_stops(gradtape, notebook):
    path = notebook("def f(x):\n    return 1 / x", "y = 2\nf(0)", "print('never')")
    result = gradtape("run", path)
    assert (result.returncode, result.stdout) == (1, "")
    assert 'File "book.ipynb[cell 2]", line 2, in <module>\n    f(0)' in result.stderr
    assert 'File "book.ipynb[cell 1]", line 2, in f\n    return 1 / x' in result.stderr
    assert "_cli" not in result.stderr


def test_the_exit_status_is_the_notebooks(gradtape, notebook):
    assert gradtape("run", notebook("import sys\nsys.exit(4)")).returncode == 4


def test_a_lacking_name_is_reported_with_cell_and_line(gradtape, notebook):
    path = notebook("import tensorflow as tf", "x = 1\ny = tf.no_such_thing(x)")
    result = gradtape("run", path)
    assert result.returncode == 1
    assert f"has no 'tf.no_such_thing', nor has gradtape: {path}, cell 2, line 2" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not valid JSON"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        ("[1, 2]", "is JSON but not a Jupyter notebook"),
        ("{}", "is JSON but not a Jupyter notebook"),
        ('{"metadata": {}, "cells": 3}', "is JSON but not a Jupyter notebook"),
        ('{"metadata": {}, "cells": [{}]}', "is JSON but not a Jupyter notebook"),
        (
            json.dumps({"metadata": {"kernelspec": {"language": "R"}}, "cells": []}),
            "is a notebook in R, not in Python",
        ),
        (
            json.dumps({"metadata": {}, "cells": [{"cell_type": "code", "source": "x = = 1"}]}),
            "bad.ipynb, cell 1, line 1: SyntaxError: invalid syntax\n    x = = 1\n        ^",
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_broken_notebook(gradtape, tmp_path, command, content, message):
    path = tmp_path / "bad.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = gradtape(command, path)
    assert result.returncode == 2
    assert result.stderr.startswith("gradtape: ")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_notebooks_of_format_3(gradtape, tmp_path):
    cells = [{"cell_type": "code", "input": ["1 + 1"], "outputs": []}]
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"metadata": {}, "nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert gradtape("run", path).stdout == "2\n"

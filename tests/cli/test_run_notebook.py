"""`gradtape run book.ipynb` runs the cells as a notebook would."""

import json

import pytest

from gradtape._src.cli.magics import without_options


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


def test_ipythons_lines_are_skipped(gradtape, notebook):
    path = notebook(
        "!pip install nothing\n%matplotlib inline\n%load_ext autoreload\n%unheard of\nx = 1\nx?",
        "%%bash\nexit 3",
        "%%time\ny = x + 1",
        "files = !ls\n%time z = y + 1\nprint(x, y, z, files)\nif z:\n    !rm -rf nothing",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
    )
    result = gradtape("run", path)
    assert (result.returncode, result.stdout) == (0, "1 2 3 []\n"), result.stderr
    for note in [
        "skipped !pip install nothing",
        "skipped %unheard of",
        "skipped the cell: %%bash",
        "skipped !ls",
        "skipped !rm -rf nothing",
    ]:
        assert note in result.stderr
    assert "%matplotlib inline\n  " not in result.stderr


ONLY_IPYTHON = """
def f(n=1):
    print("f", n)
    return n
---
%timeit -n1 -r1 f()
%timeit -n 1 -r 1 -q f(2)
%time f(3)
---
  a = 4
  print("indented", a)
---
!echo one \\
    two
!ls | \\
    wc
print("after")
---
b = %time f(5)
print(b)
---

%%timeit -n1 -r1 c = 6
f(c)
---
if a:
    %time f(7)
    !echo $a
---
?f
f??
%cd nowhere
files = !ls *.txt
print(files, f"{a}%d %s" % (1, 2))
"""


def test_what_only_ipython_reads(gradtape, notebook):
    pytest.importorskip("IPython")
    path = notebook(*[cell.strip("\n") for cell in ONLY_IPYTHON.split("---\n")])
    result = gradtape("run", path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n") == [
        *("f 1", "f 2", "f 3", "3", "indented 4", "after", "f 5", "5", "f 6", "6", "f 7"),
        *("[] 41 2", ""),
    ]
    assert "skipped !echo one" in result.stderr
    assert "skipped !echo $a" in result.stderr
    assert "skipped %cd nowhere" in result.stderr


def test_lines_after_special_ones_keep_their_numbers(gradtape, notebook):
    result = gradtape("run", notebook("\n\n%matplotlib inline\n%time x = 1\n1 / 0"))
    assert result.returncode == 1
    assert 'File "book.ipynb[cell 1]", line 5' in result.stderr


def test_doctor_reads_the_code_of_magics(gradtape, notebook):
    path = notebook("import tensorflow as tf\n%timeit -n1 -r1 tf.math.sin(1.0)\n%time tf.nothing()")
    result = gradtape("doctor", path)
    assert "tf.math.sin" in result.stdout
    assert "tf.nothing" in result.stdout


def test_code_of_a_magic_that_is_no_python(gradtape, notebook):
    result = gradtape("run", notebook("%time x = = 1"))
    assert result.returncode != 0
    assert "SyntaxError" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("-n1 -r1 f(-1)", "f(-1)"),
        ("-n 10 -r 3 -o f()", "f()"),
        ("-q -t -x", "-x"),
        ("f(x) - 1", "f(x) - 1"),
        ("-n1", ""),
        ("", ""),
    ],
)
def test_options_of_timeit(line, code):
    assert without_options("timeit", line) == code


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


def test_save_figures(gradtape, notebook, tmp_path):
    pytest.importorskip("matplotlib")
    path = notebook(
        "import matplotlib.pyplot as plt",
        "plt.plot([1, 2])\nplt.show()\nplt.plot([2, 1]);",
        "x = 1",
        "fig, axes = plt.subplots(2);",
    )
    result = gradtape("run", path, "--save-figures", "out")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["cell-02-1.png", "cell-02-2.png", "cell-04-1.png"]
    assert all(name in result.stderr for name in names)


def test_without_save_figures_a_note_says_so(gradtape, notebook):
    pytest.importorskip("matplotlib")
    path = notebook("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    result = gradtape("run", path)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr.count("--save-figures DIR saves") == 1
    assert "Warning" not in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not valid JSON"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        ("[1, 2]", "is JSON but no Jupyter notebook"),
        ("{}", "is JSON but no Jupyter notebook"),
        ('{"metadata": {}, "cells": 3}', "is JSON but no Jupyter notebook"),
        ('{"metadata": {}, "cells": [{}]}', "is JSON but no Jupyter notebook"),
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

"""IPython's own lines in notebooks."""

import pytest

from gradtape._src.cli.magics import without_options

pytestmark = pytest.mark.slow


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

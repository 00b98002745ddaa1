"""`gradtape run program.py` behaves as `python program.py` would."""

import pytest

from gradtape.cli import COMMANDS, main

pytestmark = pytest.mark.slow

GRADIENT = """
import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.square(x)
print(tape.gradient(y, x).numpy())
"""


def test_a_tensorflow_program_runs_unchanged(gradtape, script):
    result = gradtape("run", script(GRADIENT))
    assert (result.returncode, result.stdout, result.stderr) == (0, "6.0\n", "")


def test_it_runs_as_main_with_its_arguments_and_directory(gradtape, script):
    script("value = 7\n", "neighbour.py")
    path = script(
        "import os, sys, neighbour\n"
        "print(__name__, sys.argv[1:], os.path.basename(sys.path[0]), neighbour.value)\n"
        "import __main__\n"
        "print(__main__.__file__ == sys.argv[0] == __file__)\n"
    )
    result = gradtape("run", path, "--epochs", "3", "--save-figures", "x")
    assert result.stdout.splitlines() == [
        f"__main__ ['--epochs', '3', '--save-figures', 'x'] {path.parent.name} 7",
        "True",
    ]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit('no data')", 1, "no data\n"),
        ("raise SystemExit", 0, ""),
        ("raise KeyboardInterrupt", 130, "interrupted\n"),
    ],
)
def test_the_exit_status_is_the_programs(gradtape, script, text, status, message):
    result = gradtape("run", script(text))
    assert (result.returncode, result.stderr) == (status, message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.py", None, "none.py: no such file"),
        ("none.ipynb", None, "none.ipynb: no such file"),
        ("data.txt", "x", "data.txt is neither a .py nor an .ipynb file"),
        (
            "bad.py",
            "x = 1\nif x\n",
            "bad.py, line 2: SyntaxError: expected ':'\n    if x\n        ^",
        ),
        ("loose.py", "\nreturn 1\n", "loose.py, line 2: SyntaxError: 'return' outside function"),
        ("zero.py", "x\0", "zero.py: source code string cannot contain null bytes"),
    ],
)
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_file_that_is_no_program(gradtape, tmp_path, command, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    result = gradtape(command, name)
    assert result.returncode == 2
    assert result.stderr.startswith(f"gradtape: {message}")
    assert "Traceback" not in result.stderr


def test_a_directory_is_no_program(gradtape, tmp_path):
    (tmp_path / "folder.py").mkdir()
    result = gradtape("run", "folder.py")
    assert result.returncode == 2
    assert "is a directory" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "gradtape: a command is missing: "),
        (["walk"], "invalid choice: 'walk'"),
        (["--loud"], "gradtape: unrecognized arguments: --loud"),
        (["run"], "gradtape run: the following arguments are required: FILE ("),
        (["launch", "-n", "two"], "gradtape launch: argument -n/--workers: invalid int value"),
        (["launch", "-n", "2"], "gradtape launch: the following arguments are required: FILE ("),
        (["doctor", "--format", "loud", "a.py"], "invalid choice: 'loud'"),
        (["show"], "gradtape show: the following arguments are required: DIR ("),
        (["run-model", "--input"], "gradtape run-model: argument --input: expected one argument"),
        (["run", "book.ipynb", "-o"], "gradtape run: argument -o/--output: expected one argument"),
        *(([name, "--loud", "a"], f"{name}: unrecognized arguments: --loud") for name in COMMANDS),
    ],
)
def test_wrong_arguments_get_one_line(capsys, arguments, said):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_figures_that_cannot_be_saved_end_the_run_before_it_begins(gradtape, script, tmp_path):
    (tmp_path / "taken").touch()
    result = gradtape("run", "--save-figures", "taken/figures", script("print(1)"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "taken is not a directory\n" in result.stderr


def test_version_and_help(gradtape):
    assert gradtape("--version").stdout.startswith("gradtape 0.")
    assert "doctor" in gradtape("--help").stdout
    assert "--save-figures DIR" in gradtape("run", "--help").stdout
    assert gradtape().returncode == 2


def test_jit_compiles_the_programs_functions(gradtape, script):
    pytest.importorskip("jax")
    path = script(
        "import tensorflow as tf\n"
        "@tf.function\n"
        "def f(x):\n"
        "    return 2 * x\n"
        "print([float(f(tf.constant(1.0))) for _ in range(4)], 'compiled' in f.explain())\n"
    )
    result = gradtape("run", "--jit", path)
    assert (result.returncode, result.stdout) == (0, "[2.0, 2.0, 2.0, 2.0] True\n")

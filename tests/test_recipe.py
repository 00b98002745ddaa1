"""CONTRIBUTING's recipe for an operation works as it is written, followed in a copy."""

import ast
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (
    "pyproject.toml",
    "src",
    "tools",
    "docs/api.md",
    "tests/samples",
    "tests/conftest.py",
    "tests/checks.py",
    "tests/tolerances.py",
    "tests/ops/test_samples.py",
    "tests/xla/test_samples_xla.py",
)
LEAVE = shutil.ignore_patterns("__pycache__", "*.egg-info")
CALL = "print(tf.math.erfcx([0.0, 3.0]).numpy(), tf.raw_ops.Erfcx(x=tf.constant(0.0)).numpy())"


@pytest.fixture(scope="module")
def blocks():
    """The recipe's blocks of code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        return importlib.import_module("house").recipe(ROOT)


@pytest.fixture(scope="module")
def copy(blocks, tmp_path_factory):
    """A copy of the repository in which the recipe has been followed."""
    root = tmp_path_factory.mktemp("copy")
    for name in NEEDED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=LEAVE)
        else:
            shutil.copy(ROOT / name, root / name)
    for block in blocks:
        add(root / block.path, block.code)
    paths = [block.path for block in blocks]
    run(root, "-m", "ruff", "check", "-q", "--select", "I,F811", "--fix", *paths)
    run(root, "-m", "ruff", "format", "-q", *paths)
    for tool in ("generate_facades.py", "api_names.py"):
        run(root, str(root / "tools" / tool))
    return root


def add(path, code):
    """Adds imports of a block to a file's imports, and the rest of it at the end."""
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    imports = [n for n in ast.parse(code).body if isinstance(n, ast.ImportFrom)]
    rest = code.splitlines(keepends=True)[imports[-1].end_lineno if imports else 0 :]
    last = [n for n in ast.parse(text).body if isinstance(n, ast.Import | ast.ImportFrom)][-1]
    new = [f"{ast.unparse(n)}\n" for n in imports]
    at = last.end_lineno
    path.write_text("".join([*lines[:at], *new, *lines[at:], *rest]), "utf-8")


def run(root, *words):
    """The output of Python in the copy."""
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", *words]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_source_and_one_file_of_samples_are_edited(blocks):
    source, sample = (block.path for block in blocks)
    assert (ROOT / source).is_relative_to(ROOT / "src")
    assert (ROOT / sample).is_relative_to(ROOT / "tests" / "samples")


def test_the_operation_is_public_and_raw(copy):
    assert run(copy, "-c", f"import gradtape as tf\n{CALL}") == "[1.         0.17900115] 1.0\n"


def test_checkers_accept_it_and_see_its_type(copy, blocks):
    if (cache := ROOT / ".mypy_cache").is_dir():  # without one mypy takes a minute
        shutil.copytree(cache, copy / ".mypy_cache")
    source = blocks[0].path
    (copy / "use.py").write_text("import gradtape as tf\n\nreveal_type(tf.math.erfcx)\n")
    out = run(copy, "-W", "ignore", "-m", "mypy", source, "use.py")
    assert "def (x: Any, name: str | None =) -> gradtape._src.core.tensor.Tensor" in out, out
    run(copy, "-m", "ruff", "check", source, blocks[1].path)


def test_the_page_of_names_has_it(copy):
    page = (copy / "docs/api.md").read_text("utf-8")
    assert "- `tf.math`: `erfcx`\n- `tf.optimize`" in page
    assert "- `tf.raw_ops`: `Erfcx` ∂\n" in page


def test_the_copy_is_in_order(copy):
    run(copy, "tools/check_layers.py")


@pytest.mark.parametrize("file", ["tests/ops/test_samples.py", "tests/xla/test_samples_xla.py"])
def test_its_sample_is_tested(copy, file):
    if "xla" in file:
        pytest.importorskip("jax")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "Erfcx", file]
    passed = int(run(copy, *words).rpartition("\n")[0].rpartition("\n")[2].partition(" passed")[0])
    assert passed >= (1 if "xla" in file else 6)

"""The layer check: gradtape passes it, and each rule finds what it forbids."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def checker():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("check_layers")


@pytest.fixture
def package(tmp_path):
    """Writes files below a package `gradtape` in an empty directory; returns that directory."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / "gradtape" / (name.replace("__in__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_gradtape_is_in_order(checker):
    assert [str(finding) for finding in checker.findings(ROOT / "src")] == []


def test_a_clean_package_has_no_findings(checker, package):
    root = package(
        _core__in__tensor="import numpy as np\n",
        _ops__in__math="from gradtape._core.tensor import np\nadd = binary('AddV2', np.add)\n",
        cli="from ._ops import math\ndef f():\n    import scipy.special\n",
    )
    assert checker.findings(root) == []


@pytest.mark.parametrize(
    "text",
    [
        "\nfrom gradtape._ops import math\n",
        "\nfrom .._ops import math\n",
        "\nfrom .._ops.math import add\n",
        "\nimport gradtape._ops.math\n",
    ],
)
def test_an_import_of_a_later_floor_is_found(checker, package, text):
    root = package(_core__in__tensor=text, _ops__in__math="add = 1\n")
    (finding,) = checker.findings(root)
    assert str(finding).startswith(f"{root}/gradtape/_core/tensor.py:2: ")
    assert "gradtape._core.tensor imports gradtape._ops.math" in finding.message


def test_a_circle_is_found_once_with_its_members(checker, package):
    root = package(
        _ops__in__a="from . import b\n",
        _ops__in__b="from . import c\n",
        _ops__in__c="\nfrom .a import x\n",
    )
    (finding,) = checker.findings(root)
    assert finding.line == 2
    assert "gradtape._ops.a -> gradtape._ops.b -> gradtape._ops.c -> gradtape._ops.a" in str(
        finding
    )


def test_imports_for_types_alone_close_no_circle(checker, package):
    guard = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n"
    root = package(_ops__in__a="from . import b\n", _ops__in__b=guard)
    assert checker.findings(root) == []


def test_a_lazy_import_must_be_of_a_heavy_package(checker, package):
    root = package(math="def f():\n    import scipy\n    import json\n")
    (finding,) = checker.findings(root)
    assert finding.line == 3
    assert "imports json inside a function" in finding.message


def test_the_core_names_no_operation(checker, package):
    root = package(
        _core__in__tensor="\n\nname = 'Sin'\n", _ops__in__math="sin_p = unary('Sin', f, g)\n"
    )
    (finding,) = checker.findings(root)
    assert finding.line == 3
    assert "'Sin'" in finding.message


def test_long_files_are_found(checker, package):
    root = package(math="x = 1\n" * 601)
    (finding,) = checker.findings(root)
    assert "601 lines" in finding.message


def test_core_and_tape_are_limited_together(checker, package):
    root = package(
        _core__in__a="x = 1\n" * 600, _core__in__b="x = 1\n" * 600, _autodiff__in__tape="x\n" * 301
    )
    (finding,) = checker.findings(root)
    assert "1501 lines together" in finding.message


def test_main_reports_by_its_exit_status(checker, package, capsys, tmp_path):
    assert checker.main([str(tmp_path)]) == 2
    root = package(math="def f():\n    import json\n")
    assert checker.main([str(root)]) == 1
    assert "math.py:2: " in capsys.readouterr().out

"""TensorFlow Probability is loaded piece by piece: a package's imports wait for their names."""

import importlib
import importlib.util
import sys

import pytest

from gradtape._src.compat import probability
from gradtape._src.compat.probability import LazyPackageLoader, adapted

INIT = """
from {name}.used import VALUE
from {name}.later import other as renamed
from {name} import broken
from {name}.scan import scan

DOUBLE = 2 * VALUE
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of which one module can't be imported, loaded by the lazy loader."""
    name = "lazily_loaded"
    monkeypatch.setattr(probability, "ROOT", name)
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT.format(name=name))
    (folder / "used.py").write_text("VALUE = 21\n")
    (folder / "later.py").write_text("def other():\n    return 'other'\n")
    (folder / "scan.py").write_text("def scan():\n    return 'scanned'\n")
    (folder / "broken.py").write_text("raise RuntimeError('broken')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    spec = importlib.util.find_spec(name)
    spec.loader = LazyPackageLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    yield module
    for loaded in [m for m in sys.modules if m.partition(".")[0] == name]:
        del sys.modules[loaded]


def test_what_the_package_uses_itself_is_imported(package):
    assert package.DOUBLE == 42
    assert "lazily_loaded.used" in sys.modules


def test_other_names_are_imported_when_they_are_asked_for(package):
    assert "lazily_loaded.later" not in sys.modules
    assert package.renamed() == "other"
    assert "lazily_loaded.later" in sys.modules


def test_a_module_that_no_import_names_is_found(package):
    assert package.later.other() == "other"
    assert "lazily_loaded.later" in sys.modules


def test_a_part_that_fails_fails_where_it_is_asked_for(package):
    with pytest.raises(RuntimeError, match="broken"):
        package.broken  # noqa: B018
    with pytest.raises(AttributeError, match="nothing"):
        package.nothing  # noqa: B018


def test_what_was_not_found_stays_so():
    assert adapted(None) is None


def test_a_function_may_be_named_as_its_module(package):
    assert importlib.import_module("lazily_loaded.scan").scan() == "scanned"  # by someone else
    assert package.scan() == "scanned"

"""The layer check: gradtape passes it, and each rule finds what it forbids."""

import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def checker():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("check_layers")


@pytest.fixture
def package(tmp_path):
    """Writes private modules, by `room/name`, and public ones; returns the directory of all."""

    def write(public=(), readme=True, **files):
        for name, text in files.items():
            place = name.replace("__", "/")
            inside = place if name in public else f"_src/{place}"
            path = tmp_path / "gradtape" / f"{inside}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if readme and name not in public:
                (path.parent / "README.md").write_text("A room.\n")
        return tmp_path

    return write


@pytest.fixture
def finding(checker, package):
    """The one finding in a package of the given files."""

    def find(**files):
        (found,) = checker.findings(package(**files), {})
        return found

    return find


def test_gradtape_is_in_order(checker):
    assert [str(finding) for finding in checker.findings(ROOT / "src")] == []


def test_what_is_waived_is_still_there(checker):
    sources = checker.read(ROOT / "src")
    root = ROOT / "src" / "gradtape"
    for check in checker.CHECKS:
        places = [f.path.relative_to(root).as_posix() for f in check(sources)]
        for name, number in checker.WAIVED.get(check.__name__, {}).items():
            assert places.count(name) == number, (check.__name__, name)


def test_a_clean_package_has_no_findings(checker, package):
    root = package(
        core__tensor="import numpy as np\n",
        ops__array__joining="from gradtape._src.core.tensor import np\nadd = binary('AddV2', f)\n",
        cli="from ._src.ops.array import joining\ndef f():\n    import scipy.special\n",
        public=("cli",),
    )
    assert checker.findings(root, {}) == []


@pytest.mark.parametrize(
    "text",
    [
        "\nfrom gradtape._src.ops.array import joining\n",
        "\nfrom ..ops.array import joining\n",
        "\nfrom ..ops.array.joining import add\n",
        "\nimport gradtape._src.ops.array.joining\n",
    ],
)
def test_an_import_of_a_later_room_is_found(finding, text):
    found = finding(core__tensor=text, ops__array__joining="add = 1\n")
    assert found.path.name == "tensor.py"
    assert found.line == 2
    assert (
        "gradtape._src.core.tensor imports gradtape._src.ops.array.joining, which stands in a "
        "later room" in found.message
    )


def test_rooms_within_a_room_have_places_of_their_own(finding):
    found = finding(
        ops__elementwise__power="from gradtape._src.ops.array import joining\n",
        ops__array__joining="add = 1\n",
    )
    assert found.path.name == "power.py"


def test_a_room_must_stand_in_the_list(finding):
    found = finding(cellar__wine="x = 1\n")
    assert "the room cellar does not stand in ROOMS" in found.message


def test_a_circle_is_found_once_with_its_members(finding):
    found = finding(
        base__a="from . import b\n", base__b="from . import c\n", base__c="\nfrom .a import x\n"
    )
    assert found.line == 2
    circle = " -> ".join(f"gradtape._src.base.{name}" for name in "abca")
    assert circle in found.message


def test_imports_for_types_alone_close_no_circle(checker, package):
    guard = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n"
    root = package(base__a="from . import b\n", base__b=guard)
    assert checker.findings(root, {}) == []


def test_a_lazy_import_must_be_of_a_heavy_package(finding):
    found = finding(base__a="def f():\n    import scipy\n    import json\n")
    assert found.line == 3
    assert "imports json inside a function" in found.message


def test_the_core_names_no_operation(finding):
    found = finding(core__a="\n\nname = 'Sin'\n", ops__array__b="sin_p = unary('Sin', f, g)\n")
    assert found.line == 3
    assert "'Sin'" in found.message


def test_long_files_are_found(finding):
    assert "601 lines" in finding(base__a="x = 1\n" * 601).message


def test_generated_files_may_be_long(checker, package):
    text = '"""Written by a tool; do not edit."""\n' + "x = 1\n" * 601
    assert checker.findings(package(base__a=text), {}) == []


def test_full_rooms_are_found(checker, finding):
    files = {f"base__a{k}": "x = 1\n" for k in range(checker.MAX_FILES + 1)}
    assert f"{checker.MAX_FILES + 1} files" in finding(**files).message


def test_the_engine_is_limited_as_a_whole(checker, finding):
    each = checker.MAX_ENGINE_LINES // 10
    files = {f"core__a{k}": "x = 1\n" * each for k in range(10)}
    found = finding(**files, autodiff__tape="x = 1\n" * 11)
    assert f"the engine has {10 * each + 11} lines" in found.message


def test_sections_of_docstrings_do_not_count_in_the_engine(checker, package):
    head = 'def f(x):\n    """Computes.\n\n'
    entry = "    Args:\n      x: A number.\n"
    root = package(core__a=f'{head}{entry}    """\n    return x\n')
    (source,) = (s for s in checker.read(root).values() if s.name.endswith("core.a"))
    assert (source.lines, checker.lines_to_read(source)) == (7, 5)


def test_a_long_function_of_the_engine_is_found(checker, finding):
    body = "    x = 1\n" * checker.MAX_FUNCTION_LINES
    text = f'def short():\n    """Says\n\n    much."""\n    return 1\n\n\ndef f():\n{body}'
    found = finding(core__a=text)
    assert (found.line, found.message) == (8, "f has 41 lines; at most 40")


def test_what_stands_beside_the_engine_does_not_count(checker, package):
    body = "    x = 1\n" * checker.MAX_FUNCTION_LINES
    root = package(declare__structural=f"def f():\n{body}", ops__array__a=f"def f():\n{body}")
    assert checker.findings(root, {}) == []


def test_what_stands_beside_the_engine_is_there(checker):
    names = {f"{checker.PACKAGE}.{checker.PRIVATE}.{name}" for name in checker.BESIDE_ENGINE}
    assert names <= set(checker.read(ROOT / "src"))


def test_vague_names_are_found(finding):
    assert "the name says 'rest'" in finding(base__math_rest="x = 1\n").message


def test_a_room_needs_a_readme(finding):
    assert "no README.md" in finding(base__a="x = 1\n", readme=False).message


@pytest.mark.parametrize(
    "text",
    [
        "Box.height = 1\n",
        "Box.height: int = 1\n",
        "Box.height += 1\n",
        "setattr(Box, 'height', 1)\n",
        "delattr(Box, 'height')\n",
        "def f():\n    Box.height = 1\n",
        "Box.height, x = 1, 2\n",
        "[x, *Box.height] = 1, 2\n",
        "for Box.height in range(3): pass\n",
        "with f() as Box.height: pass\n",
        "del Box.height\n",
        "Box.side.height = 1\n",
        "alias = Box\nalias.height = 1\n",
        "alias = other = Box\nother.height = 1\n",
        "alias, x = Box, 1\nalias.height = 1\n",
        "for each in (Box, int): each.height = 1\n",
        "for each, x in ((Box, 1), (int, 2)): setattr(each, 'height', x)\n",
        "(alias := Box).height\nalias.height = 1\n",
        "type(x).height = 1\n",
        "type.__setattr__(Box, 'height', 1)\n",
        "object.__setattr__(Box, 'height', 1)\n",
        "import builtins\nbuiltins.setattr(Box, 'height', 1)\n",
        "import gradtape._src.core.box as b\nb.Box.height = 1\n",
        "import gradtape._src.core.box\ngradtape._src.core.box.Box.height = 1\n",
        "from ..core import box\nbox.height = 1\n",
        "from ..core import box\nalias = box.Box\nalias.height = 1\n",
    ],
)
def test_assignments_onto_another_modules_class_are_found(finding, text):
    found = finding(
        core__box="class Box: pass\n",
        declare__a=f"from gradtape._src.core.box import Box\n{text}",
    )
    assert found.path.name == "a.py"
    assert "of another module" in found.message


def test_a_module_may_assign_to_what_is_its_own(checker, package):
    text = "class Box: pass\n\nBox.height = 1\nbox = Box()\nbox.height = 2\n"
    assert checker.findings(package(core__box=text), {}) == []


@pytest.mark.parametrize(
    "text",
    [
        "x.__dict__['_kept'] = 1\n",
        "x.__dict__['_kept'] += 1\n",
        "x.__dict__['_kept'], y = 1, 2\n",
        "vars(x)['_kept'] = 1\n",
        "kept = x.__dict__\nkept['_kept'] = 1\n",
        "def f(x):\n    kept = vars(x)\n    kept['_kept'] = 1\n",
        "kept, y = x.__dict__, 1\nkept['_kept'] = 1\n",
        "x.__dict__.update(_kept=1)\n",
        "x.__dict__.update({'_kept': 1})\n",
        "x.__dict__.setdefault('_kept', []).append(1)\n",
        "x.__dict__.__setitem__('_kept', 1)\n",
        "class Box:\n    def f(self):\n        self.__dict__['_kept'] = 1\n",
        "class Box:\n    _kept: int\n    def f(self, x):\n        x.__dict__['_kept'] = 1\n",
        "class Box:\n    _kept: int\nclass Lid:\n    def f(self): vars(self)['_kept'] = 1\n",
    ],
)
def test_flags_in_a_dict_are_found(finding, text):
    assert "declare an attribute" in finding(core__a=text).message


def test_a_class_may_store_what_it_declares(checker, package):
    text = """
class Box:
    height: int

    @property
    def width(self):
        return self.__dict__["width"]

    @width.setter
    def width(self, value):
        kept = self.__dict__
        kept["width"] = self.__dict__["height"] = value
"""
    assert checker.findings(package(core__box=text), {}) == []


def test_reading_deleting_and_copying_of_a_state_are_no_flags(checker, package):
    text = "y.__dict__.update(x.__dict__)\ndel x.__dict__['a']\nz = vars(x).get('b')\n"
    text += "def f():\n    kept = x.__dict__\ndef g(kept):\n    kept['a'] = 1\n"
    assert checker.findings(package(core__box=text), {}) == []


def test_modules_of_ours_in_strings_are_found(finding):
    text = "import_module('gradtape._src.base.a')\n"
    assert "in a string" in finding(base__a="x = 1\n", core__b=text).message


def test_the_manifest_may_name_modules_in_strings(checker, package):
    text = "MODULES = {'ops': 'gradtape._src.base.a'}\n"
    assert checker.findings(package(base__a="x = 1\n", compat__module_names=text)) == []


def test_main_reports_by_its_exit_status(checker, package, capsys, tmp_path):
    assert checker.main([str(tmp_path)]) == 2
    root = package(base__a="def f():\n    import json\n")
    assert checker.main([str(root)]) == 1
    assert "a.py:2: " in capsys.readouterr().out

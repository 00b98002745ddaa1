"""The check of the tests' order: gradtape passes it, and each rule finds what it forbids."""

import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
LONG = "def f(x):\n" + 21 * "    x += 1\n"
SHORT = 'def g(x):\n    """Text."""\n' + 20 * "    x += 1\n"
DECLARED = '@export("math.f", "f")\n' + LONG
OTHER = '@export("math.h")\n' + LONG.replace("f(x)", "h(x)")


@pytest.fixture(scope="module")
def check():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("check_tests")


@pytest.fixture
def found(check, tmp_path):
    """Writes files, and tells what is found in them: file name and first word of the message."""

    def run(**files):
        sources = {"src/gradtape/__init__.py": "", **files}
        for name, text in sources.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [(f.path.name, f.message.rpartition(" ")[2]) for f in check.findings(tmp_path)]

    return run


def source(name, text):
    return {f"src/gradtape/_src/{name}.py": text}


def test_gradtape_is_in_order(check):
    found = [str(f) for f in check.findings(ROOT)]
    assert [f for f in found if "needs" not in f] == []  # the house counts those


def test_a_module_with_logic_needs_tests_in_the_folder_of_its_room(found):
    assert found(**source("graph/ir/walk", LONG)) == [("walk.py", "tests/graph/ir/test_walk.py")]
    assert found(**{"tests/graph/test_walk.py": ""}) == [
        ("walk.py", "tests/graph/ir/test_walk.py"),
        ("test_walk.py", "tests/graph/ir"),
    ]
    (elsewhere,) = found(**{"tests/graph/ir/test_walk.py": ""})
    assert elsewhere == ("test_walk.py", "tests/graph/ir")


REPEATED = "def f(x):\n    a = 1\n    b = 2\n    c = 3\n    return a + b + c + x\n"


def test_a_function_stands_in_one_file_of_tests(found):
    other = REPEATED.replace("f(x):", 'g(x):\n    """Text."""')
    files = {"tests/core/test_a.py": REPEATED, "tests/core/test_b.py": other}
    assert found(**files) == [("test_b.py", "module")]
    assert found(**{"tests/core/test_b.py": other.replace("(x)", "(y)")}) == []
    assert found(**{"tests/core/test_b.py": REPEATED.replace("    b = 2\n", "")}) == []


def test_tests_of_a_module_may_stand_in_several_files(found):
    files = {**source("core/walk", LONG), "tests/core/test_walk_errors.py": ""}
    assert found(**files) == []


def test_short_and_generated_modules_need_none(found):
    assert found(**source("core/walk", SHORT), **source("core/__init__", LONG)) == []


def test_declarations_need_none_where_samples_call_all_that_is_public(found):
    module = source("ops/array/rows", DECLARED + OTHER)
    use = "from gradtape._src.ops.array import rows\nSAMPLES = [rows.f]\n"
    lacking = [("rows.py", "tests/ops/array/test_rows.py")]
    assert found(**module) == lacking
    assert found(**{"tests/samples/rows.py": use}) == lacking
    assert found(**{"tests/samples/rows.py": use + "SAMPLES += [rows.h_p]\n"}) == []
    assert found(**{"tests/samples/rows.py": use + "SAMPLES += [tf.math.h]\n"}) == []


def test_samples_are_for_operations_alone(found):
    use = "from gradtape._src.data import rows\nSAMPLES = [rows.f]\n"
    files = {**source("data/rows", DECLARED), "tests/samples/rows.py": use}
    assert found(**files) == [("rows.py", "tests/data/test_rows.py")]


def test_files_beside_the_rooms_are_named_as_they_like(found):
    files = {**source("core/walk", SHORT), "tests/faults/test_walk.py": ""}
    assert found(**files) == []


@pytest.mark.parametrize("call", ["time.sleep(1)", "sleep(0.1)", "await asyncio.sleep(0)"])
def test_tests_do_not_sleep(found, call):
    text = f"async def test():\n    {call}\n"
    assert found(**{"tests/core/test_walk.py": text}) == [("test_walk.py", "sleep")]
    assert found(**{"tests/core/test_walk.py": "def test():\n    asleep = 'sleep(1)'\n"}) == []


@pytest.mark.parametrize(
    "values",
    [
        "{'a', 'b'}",
        "set('ab') - {'a'}",
        "[*NAMES, 'c']",
        "[(name, 1) for name in KNOWN]",
        "list(KNOWN | {'c'})",
        "{**{n: 1 for n in NAMES}}.items()",
        "Path('.').glob('*.py')",
    ],
)
def test_parameters_have_an_order(found, values):
    names = "NAMES = {'a'}\nKNOWN: frozenset[str] = frozenset(NAMES)\n"
    use = "from gradtape._src.core.names import KNOWN, NAMES\n"
    files = {**source("core/names", names), "tests/core/test_walk.py": ""}
    for text in (
        f"{use}@pytest.mark.parametrize('x', {values})\ndef test(x):\n    pass\n",
        f"{names}@pytest.fixture(params={values})\ndef x(request):\n    pass\n",
    ):
        (finding,) = found(**files | {"tests/core/test_walk.py": text})
        assert finding == ("test_walk.py", "runs")
        ordered = text.replace(values, f"sorted({values})")
        assert found(**files | {"tests/core/test_walk.py": ordered}) == []

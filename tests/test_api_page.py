"""docs/api.md says what is there now."""

import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture(scope="module")
def tool():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield importlib.import_module("api_names")


def test_the_page_is_what_the_tool_writes(tool):
    written, now = (
        set(text.splitlines()) for text in (tool.PAGE.read_text(encoding="utf-8"), tool.page())
    )
    assert now == written, f"names came or went: run `{tool.COMMAND}`"


def test_values_on_devices_hide_no_members(tool):
    before = [*tool.members(tool.tensorflow_names())]
    pytest.importorskip("jax")
    importlib.import_module("gradtape._src.xla.fast_call")
    assert [*tool.members(tool.tensorflow_names())] == before
    assert any("`tf.Variable`:" in line for line in before)


def test_names_that_tensorflow_lacks_are_listed(tool):
    page = "".join(tool.own_names(tool.tensorflow_names()))
    assert "`tf.optimize`: `minimize`, `Step`" in page
    assert "`jvp`" in page
    assert "`GradientTape`" not in page


def test_a_member_is_lacking_once_and_not_if_objects_have_it(tool):
    listed = "".join(tool.members(tool.tensorflow_names())).split("\n- ")
    of = {item.partition(":")[0].strip("`"): item for item in listed}
    assert "`colocate_vars_with`" in of["tf.distribute.Strategy"]
    assert "tf.distribute.MirroredStrategy" not in of
    assert "`colocation_groups`" in of["tf.Operation"]
    assert "`node_def`" not in of["tf.Operation"]

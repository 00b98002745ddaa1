"""What docs/explain.md says is what happens."""

import contextlib
import io
import linecache
import re
from itertools import pairwise
from pathlib import Path

import pytest

from gradtape.debugging import Cause

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("forget")
def test_blocks_print_what_follows_them():
    namespace = {"__name__": "docs"}
    for at, ((kind, code), (_, want)) in enumerate(pairwise(BLOCKS)):
        if kind != "python":
            continue
        name = f"/docs{at}/explain.md"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), "")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, name, "exec"), namespace)
        assert output.getvalue() == want


@pytest.fixture
def forget():
    yield
    for name in [name for name in linecache.cache if name.endswith("/explain.md")]:
        del linecache.cache[name]


def test_every_cause_is_described():
    table = TEXT[TEXT.index("### The causes") : TEXT.index("## Where did")]
    assert set(re.findall(r"`([A-Z_]+)`", table)) == {cause.name for cause in Cause}

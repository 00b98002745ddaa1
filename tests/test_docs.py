"""The examples of the pages in docs/ print the text after them."""

import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = ["checkpoints.md", "derivatives.md", "speed.md"]


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_print_the_text_after_them(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    namespace = {}
    for (kind, code), (next_kind, want) in pairwise(blocks):
        if kind != "python":
            continue
        assert next_kind == "text", f"no output after\n{code}"
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, page, "exec"), namespace)
        assert output.getvalue() == want

"""docs/api.md says what is there now."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "api_names.py"


def test_the_page_is_what_the_tool_writes():
    spec = importlib.util.spec_from_file_location("api_names", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written, now = (
        set(text.splitlines()) for text in (module.PAGE.read_text(encoding="utf-8"), module.page())
    )
    assert now == written, f"names came or went: run `{module.COMMAND}`"

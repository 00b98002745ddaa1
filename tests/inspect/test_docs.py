"""docs/explain.md describes every cause; its blocks are run by tests/test_site.py."""

import re
from pathlib import Path

from gradtape.debugging import Cause

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")


def test_every_cause_is_described():
    table = TEXT[TEXT.index("### The causes") : TEXT.index("## Where did")]
    assert set(re.findall(r"`([A-Z_]+)`", table)) == {cause.name for cause in Cause}

"""Files that are not programs end in one line that says so."""

import json

import pytest

from gradtape._src.cli.program import ProgramError, load

pytestmark = pytest.mark.slow

NOTEBOOKS = {
    "nested": "[" * 100_000,
    "a number": "9" * 10_000,
    "null": "null",
    "no UTF-8": b"\xff{}",
    "kernel": '{"metadata": {"kernelspec": {"language": 5}}, "cells": []}',
    "worksheets": '{"metadata": {}, "worksheets": []}',
    "cell": '{"metadata": {}, "cells": ["text"]}',
    "source": '{"metadata": {}, "cells": [{"cell_type": "code", "source": {"a": 1}}]}',
    "lines": '{"metadata": {}, "cells": [{"cell_type": "code", "source": [1]}]}',
    "surrogate": '{"metadata": {}, "cells": [{"cell_type": "code", "source": "\\ud800"}]}',
    "deep cell": json.dumps(
        {"metadata": {}, "cells": [{"cell_type": "code", "source": "-" * 100_000 + "1"}]}
    ),
}


@pytest.mark.parametrize("what", NOTEBOOKS)
def test_damaged_notebooks(tmp_path, what):
    path = tmp_path / "book.ipynb"
    text = NOTEBOOKS[what]
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProgramError) as error:
        load(str(path))
    assert "book.ipynb" in str(error.value)
    assert len(str(error.value)) < 1000


def test_a_notebook_cut_or_changed_anywhere(notebook):
    path = notebook("import tensorflow as tf", "tf.abs(1)\nx = 'text'")
    whole = path.read_bytes()
    for at in range(len(whole)):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            path.write_bytes(data)
            try:
                load(str(path))
            except ProgramError:
                continue


CODE = {"cell_type": "code", "outputs": []}


@pytest.mark.parametrize(
    "document",
    [
        {"cells": [{**CODE, "source": "x = 1"}]},
        {"cells": [{**CODE, "source": ["x = ", "1"]}], "metadata": {"kernelspec": None}},
        {"cells": [{**CODE, "source": "x = 1"}], "metadata": {"language_info": {"name": "python"}}},
        {"cells": [{**CODE, "code": "x = 1"}]},
        {"worksheets": [{"cells": []}, {"cells": [{**CODE, "input": "x = 1"}]}], "metadata": {}},
        {"cells": [{"cell_type": "raw", "source": "-"}, {**CODE, "source": "x = 1"}]},
    ],
)
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_notebooks_that_jupyter_reads(tmp_path, document, start):
    path = tmp_path / "book.ipynb"
    path.write_text(start + json.dumps(document), encoding="utf-8")
    assert [cell.source for cell in load(str(path)).cells] == ["x = 1"]


def test_a_notebook_in_another_language(tmp_path):
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps({"cells": [], "metadata": {"language_info": {"name": "R"}}}))
    with pytest.raises(ProgramError, match="a notebook in R, not in Python"):
        load(str(path))


@pytest.mark.parametrize(
    "text", ["-" * 100_000 + "1", "(" * 1000 + ")" * 1000, "a" + ".b" * 3000, "\0", b"\xff"]
)
def test_scripts_that_are_none(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProgramError) as error:
        load(str(path))
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("name", ["x" * 5000 + ".py", "a\0b.py", "x" * 5000])
def test_names_that_no_file_has(name):
    with pytest.raises(ProgramError):
        load(name)

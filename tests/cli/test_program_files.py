"""Folders stand for the programs below them."""

import sys

import pytest

from gradtape._src.cli.program import CommandError
from gradtape._src.cli.program_files import FEW, program_files, with_progress


def test_what_lies_below_a_folder(tmp_path):
    for name in (
        *("a.py", "sub/b.ipynb", "sub/c.txt", ".hidden/d.py", ".e.py"),
        *("env/pyvenv.cfg", "env/f.py", "node_modules/g.py", "__pycache__/h.py"),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    found = program_files([str(tmp_path), str(tmp_path / "a.py"), "none.py"])
    assert found == [str(tmp_path / "a.py"), str(tmp_path / "sub/b.ipynb"), "none.py"]


def test_a_folder_without_programs(tmp_path, gradtape):
    with pytest.raises(CommandError, match=r"and no \.ipynb file"):
        program_files([str(tmp_path)])
    result = gradtape("doctor", tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.py").write_text("")
    found = program_files([str(tmp_path / "empty"), str(tmp_path / "a.py")])
    assert found == [str(tmp_path / "a.py")]


@pytest.mark.parametrize(("count", "terminal"), [(FEW, True), (FEW, False), (FEW - 1, True)])
def test_progress(count, terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("FORCE_COLOR", "1")
    names = [f"{number}.py" for number in range(count)]
    assert list(with_progress(names)) == names
    out, err = capsys.readouterr()
    assert out == ""
    assert (f"reading {FEW} files" in err) == (terminal and count == FEW)

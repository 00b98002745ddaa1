"""Figures that a program would show, saved as files."""

import pytest

pytestmark = pytest.mark.slow


def test_save_figures(gradtape, notebook, tmp_path):
    pytest.importorskip("matplotlib")
    path = notebook(
        "import matplotlib.pyplot as plt",
        "plt.plot([1, 2])\nplt.show()\nplt.plot([2, 1]);",
        "x = 1",
        "fig, axes = plt.subplots(2);",
    )
    result = gradtape("run", path, "--save-figures", "out")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["cell-02-1.png", "cell-02-2.png", "cell-04-1.png"]
    assert all(name in result.stderr for name in names)


def test_without_save_figures_a_note_says_so(gradtape, notebook):
    pytest.importorskip("matplotlib")
    path = notebook("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    result = gradtape("run", path)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr.count("--save-figures DIR saves") == 1
    assert "Warning" not in result.stderr


def test_save_figures_of_a_script(gradtape, script, tmp_path):
    pytest.importorskip("matplotlib")
    path = script(
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2])\nplt.show()\n"
        "plt.figure()\nplt.figure()\nprint('done')\n"
    )
    result = gradtape("run", "--save-figures", "out", path)
    assert (result.returncode, result.stdout) == (0, "done\n")
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["figure-1.png", "figure-2.png", "figure-3.png"]
    assert "figure-3.png" in result.stderr

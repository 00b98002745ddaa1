"""`%load_ext gradtape`: magics and HTML for IPython and Jupyter."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export


@export("load_ipython_extension")
def load_ipython_extension(ipython: Any) -> None:
    """Adds `%%explain` and `%tape` to a notebook, and shows Keras' layers as tables.

    IPython calls it for `%load_ext gradtape`.

    * `%%explain loss w` in the first line of a cell runs the cell with explanations on, and then
      explains why the gradient of `loss` with respect to `w` is None. With a target alone, it
      explains every variable that the tape watched and whose gradient is None. Without arguments,
      it explains the gradients that the cell computes and that are None.
    * `%tape loss` shows the picture of a tape with the gradients of `loss`; `%tape` shows what was
      recorded. `--tape NAME` selects the tape, `--depth N` sets how many levels of boxes are open,
      and `--summary` shows the table of operations.

    Args:
      ipython: The shell.

    >>> from IPython.core.interactiveshell import InteractiveShell
    >>> shell = InteractiveShell()
    >>> tf.load_ipython_extension(shell)
    >>> "tape" in shell.magics_manager.magics["line"]
    True
    """
    from gradtape._src.inspect.notebooks.notebook_magics import load

    load(ipython)

"""A matplotlib back end that draws as Agg does and gives what is shown to `figures`."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas

from gradtape._src.cli.figures import show_current

__all__ = ["FigureCanvas", "show"]


def show(*, block: bool | None = None) -> None:
    """Is called by `plt.show()`."""
    show_current()

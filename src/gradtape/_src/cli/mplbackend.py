"""A matplotlib back end that draws like Agg, and passes figures to the module `figures`."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas

from gradtape._src.cli.figures import show_current

__all__ = ["FigureCanvas", "show"]


def show(*, block: bool | None = None) -> None:
    """Handles a call of `plt.show()`."""
    show_current()

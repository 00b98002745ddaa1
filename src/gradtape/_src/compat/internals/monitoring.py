"""Gauges that libraries set to say which of their features a program uses."""

from __future__ import annotations

from gradtape._src.base.export import export

_MOST_LABELS = 2


class BoolGaugeCell:
    """The value of a gauge for one combination of labels."""

    def __init__(self) -> None:
        self._value = False

    def set(self, value: bool) -> None:
        """Sets the value.

        Args:
          value: True or False.

        Raises:
          TypeError: `value` is neither.
        """
        if not isinstance(value, bool):
            raise TypeError(f"The value of a BoolGauge must be a bool, not {value!r}.")
        self._value = value

    def value(self) -> bool:
        """Returns the value, which is False until it is set."""
        return self._value


@export("__internal__.monitoring.BoolGauge")
class BoolGauge:
    """A named truth value, or one for each combination of labels.

    Args:
      name: The name, such as "/my_library/feature".
      description: A sentence about its meaning.
      *labels: The names of at most two labels.

    Raises:
      ValueError: There are more labels.

    >>> gauge = tf.__internal__.monitoring.BoolGauge("/used", "Whether it is used.", "layer")
    >>> gauge.get_cell("dense").set(True)
    >>> gauge.get_cell("dense").value(), gauge.get_cell("conv").value()
    (True, False)
    """

    def __init__(self, name: str, description: str, *labels: str) -> None:
        if len(labels) > _MOST_LABELS:
            raise ValueError(f"Cannot create BoolGauge metric with label >= {_MOST_LABELS + 1}")
        self.name, self.description, self.labels = name, description, labels
        self._cells: dict[tuple[str, ...], BoolGaugeCell] = {}

    def get_cell(self, *labels: str) -> BoolGaugeCell:
        """Returns the cell for some values of the labels.

        Args:
          *labels: A text for each label.

        Returns:
          An object with the methods `set` and `value`.

        Raises:
          ValueError: There is not one for each label.
          TypeError: A label is not a string.
        """
        if len(labels) != len(self.labels):
            raise ValueError(f"The BoolGauge expects taking {len(self.labels)} labels")
        if not all(isinstance(label, str) for label in labels):
            raise TypeError(f"The labels of a BoolGauge must be strings, not {labels!r}.")
        return self._cells.setdefault(labels, BoolGaugeCell())

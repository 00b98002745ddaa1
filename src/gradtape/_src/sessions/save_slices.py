"""The places of variables that are parts of larger ones in checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradtape._src.messages import protos


@dataclass(frozen=True)
class SaveSliceInfo:
    """The place of a variable in a larger one, under whose name it is saved.

    Attributes:
      full_name: The name of the larger variable.
      full_shape: The shape of the larger variable.
      var_offset: The index of the first element.
      var_shape: The shape of the part.
    """

    full_name: str
    full_shape: Sequence[int]
    var_offset: Sequence[int]
    var_shape: Sequence[int]

    @property
    def place(self) -> tuple[tuple[int, int], ...]:
        """The start and length on each axis."""
        return tuple(zip(self.var_offset, self.var_shape, strict=True))

    @property
    def spec(self) -> str:
        """The place as the operations `SaveV2` and `RestoreV2` describe it: "5 2 0,3:0,2"."""
        extents = ":".join(f"{start},{length}" for start, length in self.place)
        return " ".join([*map(str, self.full_shape), extents])

    @classmethod
    def of_spec(cls, full_name: str, spec: str) -> SaveSliceInfo:
        """Returns the place that a text in the form of `spec` describes.

        Args:
          full_name: The name of the larger variable.
          spec: The text.
        """
        *lengths, extents = spec.split(" ")
        shape = [int(n) for n in lengths]
        starts, sizes = [], []
        for extent, whole in zip(extents.split(":"), shape, strict=True):
            start, _, size = extent.partition(",")
            starts.append(0 if extent == "-" else int(start))
            sizes.append(whole if extent == "-" else int(size))
        return cls(full_name, shape, starts, sizes)

    def to_proto(self) -> protos.SaveSliceInfoDef:
        """Returns the place as a message."""
        return protos.SaveSliceInfoDef(
            full_name=self.full_name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )

    @classmethod
    def of_proto(cls, message: Any) -> SaveSliceInfo:
        """Returns the place that a message describes.

        Args:
          message: A `SaveSliceInfoDef`.
        """
        shape = message.full_shape, message.var_offset, message.var_shape
        return cls(message.full_name, *map(list, shape))

    def of_slot(self, name: str, rank: int) -> SaveSliceInfo:
        """Returns the place of a variable that an optimizer keeps for the part.

        Args:
          name: The name of the kept variable, without the name of the part.
          rank: Its rank.
        """
        numbers = (self.full_shape, self.var_offset, self.var_shape)
        return SaveSliceInfo(f"{self.full_name}/{name}", *[list(x)[:rank] for x in numbers])

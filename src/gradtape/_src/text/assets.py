"""`tf.saved_model.Asset`: files that belong to a model."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import graph_operation, of_shape


@export("saved_model.Asset")
class Asset(Trackable):
    """A file that a model needs: it is copied into the model's `assets` when the model is saved.

    Functions that read `asset_path` get the path of the copy when the model is loaded.

    Args:
      path: The path of the file, text or a scalar string tensor.

    Raises:
      TypeError: `path` is neither text nor a string tensor.

    >>> import pathlib, tempfile
    >>> directory = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (directory / "words.txt").write_text("a")
    >>> module = tf.Module()
    >>> module.words = tf.saved_model.Asset(str(directory / "words.txt"))
    >>> tf.saved_model.save(module, str(directory / "model"))
    >>> (directory / "model" / "assets" / "words.txt").read_text()
    'a'
    """

    def __init__(self, path: Any) -> None:
        self._path = convert_to_tensor(path, string)

    @property
    def asset_path(self) -> Tensor:
        """The path of the file, a scalar string tensor."""
        return _path_of((self,))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return self.asset_path


@graph_operation("AssetPath", of_shape((), string), stateful=True, undone=True)
def _path_of(asset: tuple[Asset]) -> Tensor:  # an asset alone would stand for its path
    return asset[0]._path

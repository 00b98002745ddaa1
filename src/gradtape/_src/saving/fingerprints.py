"""Fingerprints of saved models: numbers that differ if the models differ."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.export import export
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.paths import local, opened
from gradtape._src.messages import protos
from gradtape._src.messages.reading import parsed

FILE = "fingerprint.pb"
_VERSION = 1


@export("saved_model.experimental.Fingerprint")
@dataclass
class Fingerprint:
    """The fingerprint of a saved model. Equal parts have equal numbers.

    gradtape and TensorFlow compute different numbers for the same model.

    Attributes:
      saved_model_checksum: The checksum of `saved_model.pb`.
      graph_def_program_hash: The hash of the graph, with its functions.
      signature_def_hash: The hash of the signatures.
      saved_object_graph_hash: The hash of the objects.
      checkpoint_hash: The hash of the index of the variables.
      version: The version of the method that computed the numbers.
    """

    saved_model_checksum: int | None = None
    graph_def_program_hash: int | None = None
    signature_def_hash: int | None = None
    saved_object_graph_hash: int | None = None
    checkpoint_hash: int | None = None
    version: int | None = None

    @classmethod
    def from_proto(cls, proto: protos.FingerprintDef) -> Self:
        """Returns the fingerprint of a message.

        Args:
          proto: A `FingerprintDef`.

        Returns:
          The fingerprint.
        """
        return cls(
            proto.saved_model_checksum,
            proto.graph_def_program_hash,
            proto.signature_def_hash,
            proto.saved_object_graph_hash,
            proto.checkpoint_hash,
            proto.version.producer,
        )

    def singleprint(self) -> str:
        """Returns the numbers of all parts as one text.

        Returns:
          Four numbers with slashes between them.
        """
        parts = (
            self.graph_def_program_hash,
            self.signature_def_hash,
            self.saved_object_graph_hash,
            self.checkpoint_hash,
        )
        return "/".join(map(str, parts))


def fingerprint_of(model: bytes, meta: protos.MetaGraphDef, index: bytes) -> bytes:
    """Returns the contents of a model's fingerprint file.

    Args:
      model: The contents of `saved_model.pb`.
      meta: The graph in it.
      index: The contents of the index of its variables.
    """
    signatures = b"".join(
        name.encode() + _plain(meta.signature_def[name]) for name in sorted(meta.signature_def)
    )
    made = protos.FingerprintDef(
        saved_model_checksum=_number(model),
        graph_def_program_hash=_number(_plain(meta.graph_def)),
        signature_def_hash=_number(signatures),
        saved_object_graph_hash=_number(_plain(meta.object_graph_def)),
        checkpoint_hash=_number(index),
        version={"producer": _VERSION},
        uuid=str(uuid4()),
    )
    return made.SerializeToString()


def _number(data: bytes) -> int:
    """Returns a hash of bytes, a number below 2⁶⁴."""
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def _plain(message: Any) -> bytes:
    """Returns a message as bytes, in a deterministic order."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data


@export("saved_model.experimental.read_fingerprint")
def read_fingerprint(export_dir: Any) -> Fingerprint:
    """Reads the fingerprint of a saved model.

    Args:
      export_dir: The directory of the model.

    Returns:
      The fingerprint.

    Raises:
      FileNotFoundError: The model has no fingerprint.
      DataLossError: The file is damaged.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> tf.saved_model.save(tf.Module(), directory)
    >>> fingerprint = tf.saved_model.experimental.read_fingerprint(directory)
    >>> fingerprint.singleprint().count("/")
    3
    """
    path = Path(local(export_dir)) / FILE
    try:
        with opened(str(path)) as file:
            data = file.read()
    except (NotFoundError, InvalidArgumentError):
        raise FileNotFoundError(f"NOT_FOUND: {path} not found") from None
    with reading(f"The fingerprint at {path}"):
        return Fingerprint.from_proto(parsed(protos.FingerprintDef, data))
